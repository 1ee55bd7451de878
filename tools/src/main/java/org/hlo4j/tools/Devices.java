package org.hlo4j.tools;

import com.google.common.collect.ImmutableSet;
import com.google.common.primitives.Ints;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Sharding;
import org.hlo4j.hlo.op.CustomCall;
import org.hlo4j.interpreter.DeviceGrid;

/** The number of devices that a program is written for. */
final class Devices {
  private static final Pattern NUMBER = Pattern.compile("\\d{1,9}");
  private static final Pattern MESH = Pattern.compile("#sdy\\.mesh<\\[([^\\]]*)\\]");
  private static final Pattern AXIS_SIZE = Pattern.compile("=\\s*(\\d{1,9})");

  /** The custom calls from global arrays to those of the devices. */
  private static final ImmutableSet<String> TO_SHARDS =
      ImmutableSet.of("xla.sdy.GlobalToLocalShape", "SPMDFullToShardShape");

  private Devices() {}

  /**
   * Returns the grid that the header gives. Without one, a program with manual computations is for
   * as many devices as its largest mesh or sharding has.
   */
  static DeviceGrid of(HloModule module) {
    int replicas = number(module, "replica_count").orElse(1);
    int partitions =
        number(module, "num_partitions")
            .orElseGet(() -> isManual(module) ? Math.max(meshSize(module), tileCount(module)) : 1);
    return new DeviceGrid(replicas, partitions);
  }

  private static Optional<Integer> number(HloModule module, String attribute) {
    return Optional.ofNullable(module.attributes().get(attribute))
        .filter(text -> NUMBER.matcher(text).matches())
        .map(Integer::parseInt);
  }

  /** Returns whether the program itself converts global arrays to those of the devices. */
  static boolean isManual(HloModule module) {
    return instructions(module)
        .anyMatch(instruction ->
            instruction.op() instanceof CustomCall call
                && TO_SHARDS.contains(call.customCallTarget()));
  }

  private static Stream<HloInstruction> instructions(HloModule module) {
    return module.computations().stream()
        .flatMap(computation -> computation.instructions().stream());
  }

  /** Returns the largest number of tiles of a sharding. */
  private static int tileCount(HloModule module) {
    return instructions(module)
        .flatMap(instruction -> instruction.sharding().stream())
        .mapToInt(sharding ->
            sharding instanceof Sharding.Single single
                    && single.placement() instanceof Sharding.Tiled tiled
                ? Ints.saturatedCast(tiled.tiles().count())
                : 1)
        .max()
        .orElse(1);
  }

  private static int meshSize(HloModule module) {
    Matcher mesh = MESH.matcher(module.attributes().getOrDefault("frontend_attributes", ""));
    int largest = 1;
    while (mesh.find()) {
      int size =
          AXIS_SIZE
              .matcher(mesh.group(1))
              .results()
              .map(axis -> Integer.parseInt(axis.group(1)))
              .reduce(1, (a, b) -> a * b);
      largest = Math.max(largest, size);
    }
    return largest;
  }
}
