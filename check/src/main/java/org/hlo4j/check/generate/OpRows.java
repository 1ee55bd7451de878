package org.hlo4j.check.generate;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.GetTupleElement;

/**
 * A row for each op, which says what varies: its attributes over all that is legal, the types and
 * shapes of its operands, and the computations that it calls. The definitions of the ops are the
 * only source; what an evaluator likes is none.
 */
final class OpRows {
  /** The families, each as likely as another. */
  private static final ImmutableList<ImmutableMap<String, Step>> FAMILIES =
      ImmutableList.of(
          PointwiseRows.ELEMENTWISE,
          PointwiseRows.OTHERS,
          MovementRows.ALL,
          HigherOrderRows.ALL,
          ContractionRows.ALL,
          RoutineRows.ALL,
          ControlRows.ALL,
          EffectRows.ALL,
          CollectiveRows.ALL,
          SizingRows.ALL);

  private static final ImmutableList<Step> PRODUCTS =
      ImmutableList.of(
          requireNonNull(ContractionRows.ALL.get("dot")),
          requireNonNull(ContractionRows.ALL.get("convolution")));

  /** How often a step is of a family: the ops that programs mostly consist of, more often. */
  private static final ImmutableList<ImmutableList<Step>> WEIGHTED =
      weighted(
          Map.of(
              PointwiseRows.ELEMENTWISE, 3,
              PointwiseRows.OTHERS, 2,
              MovementRows.ALL, 3,
              HigherOrderRows.ALL, 3,
              ContractionRows.ALL, 2));

  /** All rows by opcode. */
  static final ImmutableMap<String, Step> ALL = all();

  private OpRows() {}

  private static ImmutableMap<String, Step> all() {
    ImmutableMap.Builder<String, Step> all = ImmutableMap.builder();
    FAMILIES.forEach(all::putAll);
    return all.buildOrThrow();
  }

  /** Returns the row of an op. */
  static Step of(String opcode) {
    return Optional.ofNullable(ALL.get(opcode))
        .orElseThrow(() -> new HloException("", "no row of " + opcode));
  }

  /** Returns the row of an op that is applied to each element. */
  static Step pointwise(Choices choices) {
    ImmutableMap<String, Step> family =
        choices.chance(2) ? PointwiseRows.ELEMENTWISE : PointwiseRows.OTHERS;
    return choices.oneOf(family.values().asList());
  }

  /** Returns the families as often as they weigh, with the patterns and most common products. */
  private static ImmutableList<ImmutableList<Step>> weighted(
      Map<ImmutableMap<String, Step>, Integer> weights) {
    ImmutableList.Builder<ImmutableList<Step>> all = ImmutableList.builder();
    for (ImmutableMap<String, Step> family : FAMILIES) {
      all.addAll(Collections.nCopies(weights.getOrDefault(family, 1), family.values().asList()));
    }
    return all.add(Pattern.ALL).add(PRODUCTS).add(PRODUCTS).build();
  }

  /** Draws a row and appends what it says, if it applies here. */
  static boolean any(Block block) {
    return take(block, block.choices().oneOf(block.choices().oneOf(WEIGHTED)));
  }

  /** Appends what a row says, if it applies here, and takes its tuples apart. */
  static boolean take(Block block, Step row) {
    int before = block.instructions().size();
    if (!block.attempt(row)) {
      return false;
    }
    List<HloInstruction> added = block.instructions();
    for (HloInstruction each : added.subList(before, added.size())) {
      if (each.shape() instanceof Shape.Tuple tuple && !Sources.isOpen(each)) {
        takeApart(block, each, tuple);
      }
    }
    return true;
  }

  private static void takeApart(Block block, HloInstruction whole, Shape.Tuple tuple) {
    for (int i = 0; i < tuple.elements().size() && i < 8; i++) {
      if (!block.choices().chance(4)) {
        block.add(new GetTupleElement(i), whole);
      }
    }
  }
}
