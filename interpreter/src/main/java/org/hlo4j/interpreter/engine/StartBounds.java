package org.hlo4j.interpreter.engine;

import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.DynamicSlice;
import org.hlo4j.hlo.op.DynamicUpdateSlice;
import org.hlo4j.hlo.op.Gather;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Scatter;

/**
 * How far the starts of boxes may go. The specification has a box fit the actual sizes: its start
 * is clamped, or a scatter leaves the box out. XLA goes by the bounds, which may reach beyond the
 * elements that exist. A start for which both agree is accepted; others are rejected.
 *
 * @param sizes the sizes of the array
 * @param last the last start that fits the sizes, in each dimension
 * @param lastByBounds the last start that fits the bounds
 * @param scalars the operand that is the start in the first dimension, if each dimension has one; 0
 *     if starts are index vectors
 */
public record StartBounds(Dims sizes, Dims last, Dims lastByBounds, int scalars) {
  /** Returns whether an op has boxes whose starts are data. */
  static boolean haveStarts(Op op) {
    return switch (op) {
      case DynamicSlice _, DynamicUpdateSlice _, Gather _, Scatter _ -> true;
      default -> false;
    };
  }

  /**
   * Returns the bounds of an instruction's starts, if sizes and bounds disagree about some of them.
   *
   * @param instruction the instruction, as declared
   * @param op its op, adapted to the sizes
   * @param operands the shapes that its operands have at run time
   * @return the bounds; empty if it has no starts, or sizes and bounds agree about all of them
   */
  public static Optional<StartBounds> of(HloInstruction instruction, Op op, List<Shape> operands) {
    return ofAny(instruction, op, operands).filter(some -> !some.last.equals(some.lastByBounds));
  }

  /**
   * Returns the bounds of an instruction's starts.
   *
   * @param instruction the instruction, as declared
   * @param op its op, adapted to the sizes
   * @param operands the shapes that its operands have at run time
   * @return the bounds; empty if it has no starts
   */
  public static Optional<StartBounds> ofAny(
      HloInstruction instruction, Op op, List<Shape> operands) {
    return switch (op) {
      case DynamicSlice slice ->
          of(instruction, operands, slice.dynamicSliceSizes(), slice.dynamicSliceSizes(), 1);
      case DynamicUpdateSlice _ ->
          of(instruction, operands, sizes(operands, 1), declared(instruction, 1), 2);
      case Gather gather ->
          of(
              instruction,
              operands,
              gather.sliceSizes(),
              ((Gather) instruction.op()).sliceSizes(),
              0);
      case Scatter scatter -> {
        int updates = operands.size() / 2 + 1;
        int rank = sizes(operands, 0).count();
        yield of(
            instruction,
            operands,
            scatter.windowSizes(rank, sizes(operands, updates)),
            scatter.windowSizes(rank, declared(instruction, updates)),
            0);
      }
      default -> Optional.empty();
    };
  }

  private static Optional<StartBounds> of(
      HloInstruction instruction, List<Shape> operands, Dims box, Dims boxByBounds, int scalars) {
    Dims sizes = sizes(operands, 0);
    return Optional.of(
        new StartBounds(
            sizes, sizes.minus(box), declared(instruction, 0).minus(boxByBounds), scalars));
  }

  /** {@return the sizes of the boxes} */
  public Dims box() {
    return sizes.minus(last);
  }

  private static Dims sizes(List<Shape> operands, int operand) {
    return ((Shape.Array) operands.get(operand)).sizes();
  }

  private static Dims declared(HloInstruction instruction, int operand) {
    return ((Shape.Array) instruction.operands().get(operand).shape()).sizes();
  }

  /**
   * Returns whether windows of one element are left out beyond the sizes, where nobody sees them.
   */
  public boolean areSingleElements() {
    return IntStream.range(0, sizes.count())
        .filter(i -> last.get(i) != lastByBounds.get(i))
        .allMatch(i -> last.get(i) == sizes.get(i) - 1);
  }
}
