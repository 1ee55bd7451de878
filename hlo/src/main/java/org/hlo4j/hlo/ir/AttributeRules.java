package org.hlo4j.hlo.ir;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.base.Ascii;
import com.google.common.base.Joiner;
import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.hlo4j.hlo.op.AsyncStart;
import org.hlo4j.hlo.op.Conditional;
import org.hlo4j.hlo.op.While;
import org.hlo4j.hlo.schema.KnownAttributes;

/**
 * The rules of attributes that every instruction may have, and of the execution threads of
 * computations.
 */
final class AttributeRules {
  private final DeviceRules devices;

  AttributeRules(DeviceRules devices) {
    this.devices = devices;
  }

  /** Checks an instruction, those before it in its computation known by name. */
  void check(HloComputation computation, HloInstruction instruction, Predicate<String> earlier) {
    checkPredecessors(instruction, earlier);
    checkThreads(computation, instruction);
    require(
        !instruction.attributes().containsKey("sharding"),
        "",
        "sharding got the text %s, want HloInstruction.withSharding",
        Ascii.truncate(instruction.attributes().getOrDefault("sharding", ""), 60, "…"));
    instruction
        .sharding()
        .ifPresent(
            sharding -> ShardingRules.check(sharding, instruction.shape(), devices.partitions()));
    checkSameShardings(instruction);
  }

  /** Returns warnings of attributes that XLA does not know, because they would be lost there. */
  static ImmutableList<String> unknown(HloInstruction instruction) {
    return unknown(
        instruction.op().opcode(),
        instruction.attributes().keySet(),
        name -> KnownAttributes.isOf(instruction.op().opcode(), name));
  }

  /** Returns the unknown attributes of the header of a module. */
  static ImmutableList<String> unknown(HloModule module) {
    return unknown(
        "HloModule", module.attributes().keySet(), KnownAttributes.ofModules()::contains);
  }

  private static ImmutableList<String> unknown(
      String owner, Set<String> names, Predicate<String> isKnown) {
    return names.stream()
        .filter(name -> !isKnown.test(name))
        .map(name -> owner + ": got the attribute " + name + ", which XLA does not know")
        .collect(ImmutableList.toImmutableList());
  }

  /** Refuses attributes that XLA does not know. */
  static void requireKnown(ImmutableList<String> unknown) {
    require(
        unknown.isEmpty(), "", "%s; Verifier.lenient() permits it", Joiner.on("; ").join(unknown));
  }

  /**
   * Checks that control predecessors precede the instruction in order, so that no instruction waits
   * for itself.
   */
  private static void checkPredecessors(HloInstruction instruction, Predicate<String> earlier) {
    for (String name : instruction.controlPredecessors()) {
      require(
          earlier.test(name),
          "",
          "control-predecessors of %s got %s, want earlier instructions of its computation",
          instruction.name(),
          name);
    }
  }

  // Threads.

  private static void checkThreads(HloComputation computation, HloInstruction instruction) {
    String wanted =
        instruction.op() instanceof AsyncStart start
            ? thread(start.asyncExecutionThread())
            : thread(computation.executionThread());
    for (HloComputation called : instruction.called()) {
      require(
          thread(called.executionThread()).equals(wanted),
          "",
          "%s: execution_thread of %s got %s, want %s",
          instruction.op().opcode(),
          called.name(),
          thread(called.executionThread()),
          wanted);
    }
  }

  private static String thread(String name) {
    return name.isEmpty() ? "main" : name;
  }

  // Shardings of what is one value.

  /** The states of a loop and the results of branches are divided alike. */
  private static void checkSameShardings(HloInstruction instruction) {
    List<HloInstruction> same = new ArrayList<>(List.of(instruction));
    if (instruction.op() instanceof While) {
      instruction.called().forEach(called -> same.addAll(called.parameters()));
      same.add(instruction.called().get(1).root());
    } else if (instruction.op() instanceof Conditional) {
      instruction.called().forEach(called -> same.add(called.root()));
    }
    ImmutableList<HloInstruction> divided =
        same.stream()
            .filter(each -> each.sharding().isPresent())
            .collect(ImmutableList.toImmutableList());
    for (HloInstruction other : divided) {
      Sharding want = sharding(divided.get(0));
      require(
          sharding(other).equals(want),
          "",
          "%s: sharding of %s got %s, want %s as %s",
          instruction.op().opcode(),
          other.name(),
          Ascii.truncate(sharding(other).toString(), 60, "…"),
          Ascii.truncate(want.toString(), 60, "…"),
          divided.get(0).name());
    }
  }

  /** As far as it is compared. */
  private static Sharding sharding(HloInstruction instruction) {
    return instruction.sharding().orElseThrow().forShape(instruction.shape()).withoutMetadata();
  }
}
