package org.hlo4j.check.generate;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Dot;
import org.hlo4j.hlo.op.DotAlgorithm;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.ReplicaGroups;
import org.hlo4j.hlo.schema.OpAttribute;
import org.hlo4j.hlo.schema.OpSchema;

/**
 * Instructions whose attributes are drawn by their types and names. What a row knows better, such
 * as how dimensions of several operands belong together, it gives.
 */
final class Row {
  private static final ImmutableList<Float> EPSILONS =
      ImmutableList.of(0f, 1e-3f, 0.5f, 1f, -0.25f, 1e30f);

  /**
   * Flags that stay off: they need several devices, or promise what random operands do not keep.
   */
  private static final ImmutableSet<String> OFF =
      ImmutableSet.of(
          "constrain_layout",
          "indices_are_sorted",
          "is_associative",
          "is_composite",
          "unique_indices",
          "use_global_device_ids");

  private final Block block;
  private final Choices choices;
  private final String opcode;
  private final Dims sizes;

  private Row(Block block, String opcode, Dims sizes) {
    this.block = block;
    this.choices = block.choices();
    this.opcode = opcode;
    this.sizes = sizes;
  }

  /** Where an operand comes from, beside the first one. */
  @FunctionalInterface
  interface Source {
    HloInstruction of(Block block, HloInstruction first, Op op);
  }

  /** Returns the row of an op with no other attributes than those of its first operand's sizes. */
  static Step of(String opcode, Function<Block, HloInstruction> first, Source... others) {
    return (block, choices) -> {
      List<HloInstruction> operands = new ArrayList<>(List.of(first.apply(block)));
      Op op = op(block, opcode, ImmutableMap.of(), operands);
      for (Source other : others) {
        operands.add(other.of(block, operands.get(0), op));
      }
      block.add(op, operands, List.of());
    };
  }

  /** Appends an instruction of which some attributes are given by name. */
  static HloInstruction add(
      Block block,
      String opcode,
      Map<String, ?> given,
      List<HloInstruction> operands,
      HloComputation... called) {
    return block.add(op(block, opcode, given, operands), operands, List.of(called));
  }

  /** Returns an op of which some attributes are given by name. */
  static Op op(Block block, String opcode, Map<String, ?> given, List<HloInstruction> operands) {
    boolean isOfArray = !operands.isEmpty() && operands.get(0).shape() instanceof Shape.Array;
    Row row =
        new Row(block, opcode, isOfArray ? Sources.shape(operands.get(0)).sizes() : Dims.of());
    OpSchema schema = OpSchema.of(opcode).orElseThrow();
    List<Object> values = new ArrayList<>();
    for (OpAttribute each : schema.attributes()) {
      Object known = given.get(each.name());
      values.add(known == null ? row.drawn(each) : known);
    }
    return schema.create(values);
  }

  private Object drawn(OpAttribute attribute) {
    Class<?> type = attribute.component().getType();
    if (type.isEnum()) {
      return choices.oneOf(List.of(type.getEnumConstants()));
    }
    return switch (attribute.name()) {
      case "algorithm" -> perhaps(8, List.of(DotAlgorithm.values()));
      case "channel_id" -> perhaps(3, List.of(channel(block)));
      case "dimensions" -> dimensions();
      case "epsilon" -> choices.oneOf(EPSILONS);
      case "exponent_bits" -> choices.oneOf(List.of(1, 2, 4, 5, 8, 11, 15, 1 + choices.below(12)));
      case "feature_index" -> choices.below(sizes.count());
      case "k" -> choices.between(0, sizes.get(sizes.count() - 1));
      case "mantissa_bits" -> choices.oneOf(List.of(0, 1, 3, 7, 10, 23, 52, 60, choices.below(30)));
      case "new_element_type" -> choices.anyType();
      case "operand_precision" -> precision();
      case "preferred_element_type" -> perhaps(4, List.of(choices.anyType()));
      case "replica_groups" ->
          choices.chance(2) ? ReplicaGroups.all() : ReplicaGroups.of(new long[1]);
      default ->
          type == boolean.class
              ? !OFF.contains(attribute.name()) && choices.chance(2)
              : type == Optional.class
                  ? Optional.empty()
                  : type == String.class ? "" : ImmutableList.of();
    };
  }

  private <T> Optional<T> perhaps(int times, List<T> some) {
    return choices.chance(times) ? Optional.of(choices.oneOf(some)) : Optional.empty();
  }

  /** Returns a channel of the program's own. */
  static long channel(Block block) {
    return 1L + block.draft().nextName();
  }

  private ImmutableList<Dot.Precision> precision() {
    List<Dot.Precision> all = List.of(Dot.Precision.values());
    return choices.chance(5)
        ? ImmutableList.of(choices.oneOf(all), choices.oneOf(all))
        : ImmutableList.of();
  }

  /** Returns all dimensions, some in any order, or one. */
  private Dims dimensions() {
    return switch (opcode) {
      case "map" -> Dims.range(0, sizes.count());
      case "transpose" -> choices.permutation(sizes.count());
      case "reduce", "reverse" -> {
        Dims some = choices.subset(sizes.count());
        yield some.at(choices.permutation(some.count()));
      }
      default -> Dims.of(choices.below(sizes.count()));
    };
  }
}
