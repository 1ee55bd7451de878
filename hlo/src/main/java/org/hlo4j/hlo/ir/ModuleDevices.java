package org.hlo4j.hlo.ir;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.math.LongMath;
import com.google.common.primitives.Ints;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Collective;
import org.hlo4j.hlo.op.CollectiveStart;
import org.hlo4j.hlo.op.CustomCall;
import org.hlo4j.hlo.op.PartitionId;
import org.hlo4j.hlo.op.Recv;
import org.hlo4j.hlo.op.Send;

/**
 * The devices that a program is for, and how its arguments and results lie on them; {@link
 * HloModule#devices} gives it.
 *
 * <p>A global program is that of all partitions together, as JAX exports it: its entry takes and
 * gives whole arrays, of which each device holds a slice, and it goes over to the slices of each
 * device itself ({@code shard_map}) or leaves them to a partitioner. Any other program is that of
 * one device: each device runs it on arguments of its own.
 *
 * @param replicas the number of replicas: {@code replica_count} of the header, or 1
 * @param partitions the number of partitions of each replica: {@code num_partitions} of the header;
 *     without it, of a program that goes over to slices itself the size of its largest mesh or
 *     sharding, else 1
 * @param isGlobal whether the program is global
 * @param entersSlices whether it goes over to slices itself
 * @param parameters how each array or token of the parameters lies, in order; of a program that is
 *     not global {@code manual}: the shapes are those of one device already
 * @param results how each array or token of the result lies
 */
public record ModuleDevices(
    int replicas,
    int partitions,
    boolean isGlobal,
    boolean entersSlices,
    ImmutableList<ArraySharding> parameters,
    ImmutableList<ArraySharding> results) {
  private static final Pattern NUMBER = Pattern.compile("\\d{1,9}");
  private static final Pattern MESH = Pattern.compile("#sdy\\.mesh<\\[([^\\]]*)\\]");
  private static final Pattern AXIS_SIZE = Pattern.compile("=\\s*(\\d{1,9})");
  private static final String FRONTEND = "frontend_attributes";
  private static final String SHARDY = "xla.sdy.";

  /** The custom calls from whole arrays to the slices of each device. */
  private static final ImmutableSet<String> TO_SLICES =
      ImmutableSet.of("xla.sdy.GlobalToLocalShape", "SPMDFullToShardShape");

  static ModuleDevices of(HloModule module) {
    int replicas = number(module, "replica_count").orElse(1);
    boolean entersSlices = module.instructions().anyMatch(ModuleDevices::entersSlices);
    int partitions =
        number(module, "num_partitions")
            .orElseGet(() -> entersSlices ? Math.max(meshSize(module), tileCount(module)) : 1);
    boolean isGlobal = entersSlices || isForPartitioner(module);
    Layouts layouts = new Layouts(isGlobal, replicas, partitions);
    return new ModuleDevices(
        replicas,
        partitions,
        isGlobal,
        entersSlices,
        module.entry().parameters().stream()
            .flatMap(layouts::of)
            .collect(ImmutableList.toImmutableList()),
        layouts.of(module.entry().root()).collect(ImmutableList.toImmutableList()));
  }

  /**
   * Returns the number of devices.
   *
   * @return replicas times partitions
   */
  public int count() {
    return Ints.saturatedCast(LongMath.saturatedMultiply(replicas, partitions));
  }

  private static Optional<Integer> number(HloModule module, String attribute) {
    return Optional.ofNullable(module.attributes().get(attribute))
        .filter(text -> NUMBER.matcher(text).matches())
        .map(Integer::parseInt)
        .filter(number -> number > 0);
  }

  private static boolean entersSlices(HloInstruction instruction) {
    return instruction.op() instanceof CustomCall call
        && TO_SLICES.contains(call.customCallTarget());
  }

  /**
   * Returns whether a program is one that a partitioner has to cut: it has shardings, and no device
   * asks for its number or for values of others. After partitioning, shardings only tell how a
   * program was made; then it is also scheduled.
   */
  private static boolean isForPartitioner(HloModule module) {
    return !module.attributes().getOrDefault("is_scheduled", "").equals("true")
        && module.instructions().anyMatch(ModuleDevices::isSharded)
        && module.instructions().noneMatch(ModuleDevices::meetsOthers);
  }

  private static boolean isSharded(HloInstruction instruction) {
    return instruction.sharding().isPresent()
        || instruction.attributes().getOrDefault(FRONTEND, "").contains(SHARDY)
        || (instruction.op() instanceof CustomCall call
            && call.customCallTarget().startsWith(SHARDY));
  }

  private static boolean meetsOthers(HloInstruction instruction) {
    return switch (instruction.op()) {
      case Collective _, CollectiveStart _, PartitionId _, Send _, Recv _ -> true;
      default -> false;
    };
  }

  /** Returns the largest number of tiles of a sharding. */
  private static int tileCount(HloModule module) {
    return module
        .instructions()
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
    return MESH.matcher(module.attributes().getOrDefault(FRONTEND, ""))
        .results()
        .mapToInt(mesh -> axesProduct(mesh.group(1)))
        .max()
        .orElse(1);
  }

  private static int axesProduct(String axes) {
    return AXIS_SIZE
        .matcher(axes)
        .results()
        .map(axis -> Long.parseLong(axis.group(1)))
        .reduce(LongMath::saturatedMultiply)
        .map(Ints::saturatedCast)
        .orElse(1);
  }

  /** Gives how the arrays of a parameter, or of the root, lie on the devices. */
  private record Layouts(boolean isGlobal, int replicas, int partitions) {
    Stream<ArraySharding> of(HloInstruction value) {
      List<Shape> leaves = Sharding.leaves(value.shape().withoutLayout());
      List<Sharding.Placement> placements =
          value
              .sharding()
              .map(sharding -> sharding.forShape(value.shape()).placements())
              .orElse(ImmutableList.of());
      return IntStream.range(0, leaves.size())
          .mapToObj(i ->
              new ArraySharding(
                  leaves.get(i), placement(leaves.get(i), i, placements), replicas, partitions));
    }

    private Sharding.Placement placement(Shape leaf, int i, List<Sharding.Placement> placements) {
      if (!isGlobal) {
        return Sharding.Uniform.MANUAL;
      }
      return leaf instanceof Shape.Array && i < placements.size()
          ? placements.get(i)
          : Sharding.Uniform.REPLICATED;
    }
  }
}
