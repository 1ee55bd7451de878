package org.hlo4j.interpreter.compiled.reduce;

import com.google.common.collect.Comparators;
import java.util.function.Predicate;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.interpreter.compiled.loops.LoopNode;

/**
 * An analysis that finds floats that are never below 0, whatever the operands are: exponentials,
 * squares, absolute values. They may be NaN. Some may be -0, such as a square root: they are not
 * below 0, but what is divided by them is.
 */
final class NonNegativity {
  /** What is known of all values of a node that are not NaN. */
  private enum Sign {
    /** Nothing. */
    ANY,
    /** At least 0, where -0 is 0. */
    NOT_BELOW_ZERO,
    /** Not below 0, and not -0. */
    POSITIVE
  }

  /** What is known so far. Values have many users, so that each is looked at once. */
  private final Memo<LoopNode, Sign> known = new Memo<>(this::compute);

  private final Predicate<LoopNode> isUnknown;

  private NonNegativity(Predicate<LoopNode> isUnknown) {
    this.isUnknown = isUnknown;
  }

  /**
   * {@return whether a float is known not to be below 0 in any position, where -0 counts as 0}
   *
   * @param isUnknown whether nothing is known of a value
   */
  static boolean isNonNegative(LoopNode node, Predicate<LoopNode> isUnknown) {
    return new NonNegativity(isUnknown).known.get(node) != Sign.ANY;
  }

  private Sign compute(LoopNode node) {
    if (isUnknown.test(node)) {
      return Sign.ANY;
    }
    return switch (node) {
      case LoopNode.Immediate immediate -> of(immediate.scalar().doubleAt(0));
      case LoopNode.Apply apply -> apply.op() instanceof Elementwise op ? of(op, apply) : Sign.ANY;
      case LoopNode.Read _, LoopNode.Count _, LoopNode.Reduced _ -> Sign.ANY;
    };
  }

  private static Sign of(double value) {
    return !(value >= 0)
        ? Sign.ANY
        : Double.compare(value, 0) < 0 ? Sign.NOT_BELOW_ZERO : Sign.POSITIVE;
  }

  private Sign of(Elementwise op, LoopNode.Apply apply) {
    return switch (op.kind()) {
      case ABS, EXPONENTIAL, LOGISTIC -> Sign.POSITIVE;
      case SQRT -> Sign.NOT_BELOW_ZERO;
      case MULTIPLY -> isSquare(apply) ? Sign.POSITIVE : least(apply);
      case MINIMUM -> least(apply);
      case MAXIMUM -> greatest(apply);
      case ADD -> least(apply) == Sign.ANY ? Sign.ANY : greatest(apply);
      case DIVIDE -> rhs(apply) == Sign.POSITIVE ? lhs(apply) : Sign.ANY;
      default -> Sign.ANY;
    };
  }

  private static boolean isSquare(LoopNode.Apply product) {
    return product.operands().get(0) == product.operands().get(1);
  }

  private Sign least(LoopNode.Apply apply) {
    return Comparators.min(lhs(apply), rhs(apply));
  }

  private Sign greatest(LoopNode.Apply apply) {
    return Comparators.max(lhs(apply), rhs(apply));
  }

  private Sign lhs(LoopNode.Apply apply) {
    return known.get(apply.operands().get(0));
  }

  private Sign rhs(LoopNode.Apply apply) {
    return known.get(apply.operands().get(1));
  }
}
