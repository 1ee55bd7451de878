package org.hlo4j.interpreter.engine;

import static org.hlo4j.hlo.HloException.require;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.schema.AttributeText;

/**
 * The peers of a device in a send or recv with source-target pairs.
 *
 * @param target the number of the device to send to; empty if this device is no source
 * @param source the number of the device to receive from; empty if this device is no target
 */
public record SendRecvPeers(Optional<Integer> target, Optional<Integer> source) {
  private static final String NAME = "_xla_send_recv_source_target_pairs";
  private static final Pattern PAIR = Pattern.compile("\\{(\\d+),(\\d+)},?");

  /**
   * Returns the peers of a device in a send or a recv; empty if the instruction has no pairs and
   * does not involve other devices.
   */
  public static Optional<SendRecvPeers> of(HloInstruction instruction, Device device) {
    String attributes = instruction.attributes().getOrDefault("frontend_attributes", "{}");
    return Optional.ofNullable(AttributeText.parseFrontendAttributes(attributes).get(NAME))
        .map(text -> of(instruction, text.replaceAll("\\s", ""), device));
  }

  private static SendRecvPeers of(HloInstruction instruction, String text, Device device) {
    List<Integer> sources = new ArrayList<>();
    List<Integer> targets = new ArrayList<>();
    Matcher pair = PAIR.matcher(text);
    int at = text.startsWith("{") ? 1 : 0;
    while (pair.region(at, text.length()).lookingAt()) {
      sources.add(number(instruction, pair.group(1), device));
      targets.add(number(instruction, pair.group(2), device));
      at = pair.end();
    }
    require(
        at > 0 && text.startsWith("}", at) && at + 1 == text.length(),
        "",
        "run: %s: %s got %s, want pairs such as {{0,1},{1,2}}",
        instruction.name(),
        NAME,
        text);
    require(
        sources.stream().distinct().count() == sources.size()
            && targets.stream().distinct().count() == targets.size(),
        "",
        "run: %s: %s got %s, want no source and no target twice",
        instruction.name(),
        NAME,
        text);
    return new SendRecvPeers(partner(sources, targets, device), partner(targets, sources, device));
  }

  private static Optional<Integer> partner(
      List<Integer> these, List<Integer> others, Device device) {
    int at = these.indexOf(device.number());
    return at < 0 ? Optional.empty() : Optional.of(others.get(at));
  }

  /**
   * Parses an id of a pair into a device number. Ids are partitions of the replica of this device,
   * or replicas if each has a single partition.
   */
  private static int number(HloInstruction instruction, String id, Device device) {
    int partitions = device.grid().partitions();
    int count = partitions > 1 ? partitions : device.grid().replicas();
    boolean known = id.length() < 6 && Integer.parseInt(id) < count;
    require(
        known,
        "",
        "run: %s: %s got %s, want below %s, as there are %s",
        instruction.name(),
        NAME,
        id,
        count,
        device.grid());
    return (partitions > 1 ? device.replicaId() * partitions : 0) + Integer.parseInt(id);
  }
}
