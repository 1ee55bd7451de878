package org.hlo4j.interpreter.compiled.passes;

import static org.hlo4j.interpreter.compiled.passes.Simplification.array;

import java.util.List;
import java.util.stream.LongStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Concatenate;
import org.hlo4j.hlo.op.DynamicSlice;
import org.hlo4j.hlo.op.Movement;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Pad;
import org.hlo4j.hlo.op.PadConfig;
import org.hlo4j.hlo.op.Reshape;
import org.hlo4j.hlo.op.Reverse;
import org.hlo4j.hlo.op.Slice;
import org.hlo4j.hlo.op.Transpose;
import org.jspecify.annotations.Nullable;

/**
 * Simplification of movement ops: those that move nothing go, and two become one. An op and the one
 * before it read a source at an index that is a function of that of the result; one op that reads
 * it so stands for both.
 */
final class MovementRules implements Simplification.Rule {
  @Override
  public @Nullable HloInstruction apply(HloInstruction instruction, Rewriter rewriter) {
    if (instruction.op() instanceof Reshape
        && instruction.operands().get(0).op() instanceof Reshape) {
      HloInstruction source = instruction.operands().get(0).operands().get(0);
      return rewriter.newReplacement(instruction, instruction.op(), source);
    }
    Access own = instruction.op() instanceof Movement ? Access.of(instruction, rewriter) : null;
    if (own == null) {
      return null;
    }
    HloInstruction operand = own.source();
    Op op = own.op();
    if (op instanceof Reshape && keepsShape(instruction, operand)) {
      return operand;
    }
    HloInstruction joined = joined(instruction, own, rewriter);
    return joined != null || op == null || isSame(op, instruction.op())
        ? joined
        : written(instruction, op, operand, rewriter);
  }

  private static boolean keepsShape(HloInstruction instruction, HloInstruction source) {
    return array(instruction).sizes().equals(array(source).sizes());
  }

  /** Returns whether an op is the one that is given, or no better. */
  private static boolean isSame(Op op, Op given) {
    return switch (op) {
      case Slice _ -> !(given instanceof DynamicSlice); // a pad that cuts can join a window
      case Broadcast broadcast ->
          given instanceof Broadcast && broadcast.dimensions().isStrictlyIncreasing();
      case Reverse _ -> op.equals(given);
      default -> op.getClass() == given.getClass();
    };
  }

  /** Returns an instruction that reads what the source of another one reads, instead of it. */
  private static @Nullable HloInstruction joined(
      HloInstruction instruction, Access own, Rewriter rewriter) {
    HloInstruction operand = own.source();
    Access both = own.throughSource(rewriter);
    if (both == null) {
      return instruction.op() instanceof Transpose transpose
              && operand.op() instanceof Concatenate inner
              && isOfSingles(inner, operand)
          ? stackedElsewhere(transpose, instruction, inner, operand, rewriter)
          : null;
    }
    Op op = both.op();
    if (op == null) {
      Op part = operand.op() instanceof Broadcast ? both.part() : null;
      return part == null
          ? null
          : rewriter.newReplacement(
              instruction,
              new Broadcast(array(instruction), both.at()),
              rewriter.add(part, both.source()));
    }
    if (op instanceof Broadcast broadcast) {
      if (!broadcast.dimensions().isStrictlyIncreasing()
          && !(instruction.op() instanceof Transpose)) {
        return null; // which would only exchange the two
      }
      boolean isOperand =
          operand.op() instanceof Broadcast inner
              && inner.dimensions().equals(broadcast.dimensions())
              && keepsShape(instruction, operand);
      if (isOperand) {
        return operand;
      }
    }
    return written(instruction, op, both.source(), rewriter);
  }

  /** Writes an op of a source; a broadcast out of order as one of a transpose. */
  private static HloInstruction written(
      HloInstruction instruction, Op op, HloInstruction source, Rewriter rewriter) {
    if (op instanceof Reshape && keepsShape(instruction, source)) {
      return source;
    }
    if (op instanceof Broadcast broadcast && !broadcast.dimensions().isStrictlyIncreasing()) {
      Dims places = broadcast.dimensions();
      Dims order = Dims.of(places.stream().sorted().map(places::indexOf).toArray());
      return rewriter.newReplacement(
          instruction,
          new Broadcast(broadcast.shape(), places.at(order)),
          rewriter.transpose(source, order));
    }
    return rewriter.newReplacement(instruction, op, source);
  }

  private static boolean isOfSingles(Concatenate concatenate, HloInstruction instruction) {
    return instruction.operands().stream()
        .allMatch(operand -> array(operand).size(concatenate.dimension()) == 1);
  }

  /**
   * Moves a transpose into a concatenation of operands of size 1: each operand is transposed, and
   * the operands are concatenated along the transposed dimension.
   */
  private static HloInstruction stackedElsewhere(
      Transpose op,
      HloInstruction instruction,
      Concatenate stacked,
      HloInstruction stack,
      Rewriter rewriter) {
    List<HloInstruction> operands =
        stack.operands().stream().map(operand -> rewriter.add(op, operand)).toList();
    int dimension = op.dimensions().indexOf(stacked.dimension());
    return rewriter.newReplacement(instruction, Concatenate.along(dimension), operands);
  }

  /** Returns the dimensions of an array whose size is not 1. */
  static Dims wide(Shape.Array array) {
    return Dims.of(
        LongStream.range(0, array.rank()).filter(d -> array.size((int) d) != 1).toArray());
  }

  /** Returns the permutation of the dimensions by a transpose; null for any other op. */
  static @Nullable Dims permutation(HloInstruction instruction) {
    return instruction.op() instanceof Transpose transpose ? transpose.dimensions() : null;
  }

  /**
   * Returns the same movement of arrays whose dimensions are stored in another order; null if it is
   * none that keeps its dimensions.
   */
  static @Nullable Op permuted(Op op, Dims order) {
    Dims to = order.inverse();
    return switch (op) {
      case Concatenate concatenate -> new Concatenate(to.at(concatenate.dimensions()));
      case Pad pad ->
          new Pad(
              new PadConfig(
                  pad.padding().edgePaddingLow().at(order),
                  pad.padding().edgePaddingHigh().at(order),
                  pad.padding().interiorPadding().at(order)));
      case Reverse reverse -> new Reverse(to.at(reverse.dimensions()));
      case Slice slice ->
          Slice.of(
              slice.slice().startIndices().at(order),
              slice.slice().limitIndices().at(order),
              slice.slice().strides().at(order));
      default -> null;
    };
  }

  /**
   * Returns the broadcast that a value would be with its dimensions in another order; null if it is
   * no broadcast.
   */
  static @Nullable Op broadcast(HloInstruction value, Dims order) {
    return value.op() instanceof Broadcast op
        ? new Broadcast(
            array(value).withLayout(null).withSizes(array(value).sizes().at(order)),
            order.inverse().at(op.dimensions()))
        : null;
  }
}
