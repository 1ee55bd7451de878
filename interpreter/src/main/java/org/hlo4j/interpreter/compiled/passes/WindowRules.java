package org.hlo4j.interpreter.compiled.passes;

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
 * Simplification of a reduce-window of a pad: the pad becomes padding and base dilation of the
 * window. The window then skips the padded elements, which gives the same result if reducing the
 * padding value changes nothing. The gradient of average pooling is such a sum, mostly of zeros.
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
        ? rewriter
            .newReplacement(
                instruction,
                new ReduceWindow(joined(pad.padding(), op.window())),
                base.operands().get(0),
                init)
            .withCalled(instruction.called())
        : null;
  }

  /**
   * Returns whether reducing the padding value changes nothing: it is zero in a sum; in a maximum
   * or minimum, it is the initial value.
   */
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
   * Returns whether the pad can become part of the window: elements that negative padding cuts off
   * do not reappear, and the last dimension stays contiguous.
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
