package org.hlo4j.interpreter.compiled.reduce;

import org.hlo4j.hlo.op.Elementwise;

/** What is known not to be negative, or NaN, whatever is read: powers of e, squares, absolutes. */
final class NonNegativity {
  private NonNegativity() {}

  /** Whether a float is known not to be below 0 in any position. */
  static boolean isKnown(ReduceNode node) {
    return switch (node) {
      case ReduceNode.Immediate immediate -> immediate.scalar.doubleAt(0) >= 0;
      case ReduceNode.Apply apply ->
          apply.op instanceof Elementwise op && isKnown(op.kind(), apply);
      case ReduceNode.Read _, ReduceNode.BroadcastBack _, ReduceNode.Reduced _ -> false;
    };
  }

  private static boolean isKnown(Elementwise.Kind kind, ReduceNode.Apply apply) {
    return switch (kind) {
      case ABS, EXPONENTIAL, LOGISTIC, SQRT -> true;
      case MAXIMUM -> apply.operands.stream().anyMatch(NonNegativity::isKnown);
      case MULTIPLY -> apply.operands.get(0) == apply.operands.get(1) || areAllKnown(apply);
      case ADD, DIVIDE, MINIMUM -> areAllKnown(apply);
      default -> false;
    };
  }

  private static boolean areAllKnown(ReduceNode.Apply apply) {
    return apply.operands.stream().allMatch(NonNegativity::isKnown);
  }
}
