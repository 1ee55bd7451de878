package org.hlo4j.interpreter.compiled.passes;

import com.google.common.collect.ImmutableList;
import java.util.Optional;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Pad;
import org.hlo4j.hlo.op.PadConfig;
import org.hlo4j.hlo.op.ReduceWindow;
import org.hlo4j.hlo.op.Window;
import org.hlo4j.interpreter.compiled.expr.ReductionOp;
import org.hlo4j.interpreter.compiled.expr.SingleOp;
import org.jspecify.annotations.Nullable;

/**
 * A pad under a window, as the window's own padding and dilation of the base: holes are left out,
 * which is the same if reducing the padding value in changes nothing. The gradient of average
 * pooling is such a sum of zeros for the most part.
 */
final class WindowRules implements Simplification.Rule {
  @Override
  public @Nullable HloInstruction apply(HloInstruction instruction, Rewriter rewriter) {
    if (!(instruction.op() instanceof ReduceWindow op) || instruction.operands().size() != 2) {
      return null;
    }
    HloInstruction base = instruction.operands().get(0);
    HloInstruction init = instruction.operands().get(1);
    return base.op() instanceof Pad pad
            && changesNothing(instruction, base.operands().get(1), init)
            && joins(pad.padding(), op.window())
        ? HloInstruction.create(
            instruction.name(),
            new ReduceWindow(joined(pad.padding(), op.window())),
            ImmutableList.of(base.operands().get(0), init),
            instruction.called(),
            instruction.shape().withoutLayout(),
            instruction.metadata())
        : null;
  }

  /** Zeros of a sum; in a greatest or least, what that begins with. */
  private static boolean changesNothing(
      HloInstruction instruction, HloInstruction value, HloInstruction init) {
    Optional<Literal> padding = UniformValues.scalar(value);
    boolean isSame =
        value == init || (padding.isPresent() && padding.equals(UniformValues.scalar(init)));
    Optional<ReductionOp> op = SingleOp.of(instruction.called().get(0)).flatMap(ReductionOp::of);
    return isSame
        && op.isPresent()
        && switch (op.get()) {
          case MAXIMUM, MINIMUM -> true;
          case ADD -> padding.isPresent() && isZero(padding.get());
          case AND, MULTIPLY, OR, XOR -> false;
        };
  }

  private static boolean isZero(Literal number) {
    return switch (number.elementType().kind()) {
      case FLOAT -> number.doubleAt(0) == 0;
      case SIGNED, UNSIGNED -> number.longAt(0) == 0;
      case PRED, COMPLEX -> false;
    };
  }

  /**
   * Whether nothing that is cut off comes back, and what is contiguous along the last dimension
   * still does.
   */
  private static boolean joins(PadConfig pad, Window window) {
    int rank = window.rank();
    return rank > 0
        && pad.interiorPadding().get(rank - 1) == 0
        && IntStream.range(0, rank).allMatch(d -> window.baseDilation().get(d) == 1)
        && keepsCut(pad.edgePaddingLow(), window.paddingLow())
        && keepsCut(pad.edgePaddingHigh(), window.paddingHigh());
  }

  private static boolean keepsCut(Dims first, Dims next) {
    return IntStream.range(0, first.count()).allMatch(d -> first.get(d) >= 0 || next.get(d) <= 0);
  }

  private static Window joined(PadConfig pad, Window window) {
    Dims ones = Dims.filled(window.rank(), 1);
    return window
        .withPadding(
            window.paddingLow().plus(pad.edgePaddingLow()),
            window.paddingHigh().plus(pad.edgePaddingHigh()))
        .withBaseDilation(pad.interiorPadding().plus(ones).toArray());
  }
}
