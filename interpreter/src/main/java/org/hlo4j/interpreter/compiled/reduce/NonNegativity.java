package org.hlo4j.interpreter.compiled.reduce;

import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import org.hlo4j.hlo.op.Elementwise;

/**
 * An analysis that finds floats that are never below 0, whatever the operands are: exponentials,
 * squares, absolute values. They may be NaN.
 */
final class NonNegativity {
  private static final ImmutableSet<Elementwise.Kind> ALWAYS =
      Sets.immutableEnumSet(
          Elementwise.Kind.ABS,
          Elementwise.Kind.EXPONENTIAL,
          Elementwise.Kind.LOGISTIC,
          Elementwise.Kind.SQRT);

  /** Ops whose result is not negative if their operands are not negative. */
  private static final ImmutableSet<Elementwise.Kind> PRESERVING =
      Sets.immutableEnumSet(
          Elementwise.Kind.ADD,
          Elementwise.Kind.DIVIDE,
          Elementwise.Kind.MINIMUM,
          Elementwise.Kind.MULTIPLY);

  /** What is known so far. Values have many users, so that each is looked at once. */
  private final Memo<ReduceNode, Boolean> known = new Memo<>(this::compute);

  private NonNegativity() {}

  /** {@return whether a float is known not to be below 0 in any position} */
  static boolean isNonNegative(ReduceNode node) {
    return new NonNegativity().known.get(node);
  }

  private boolean compute(ReduceNode node) {
    return switch (node) {
      case ReduceNode.Immediate immediate -> immediate.scalar.doubleAt(0) >= 0;
      case ReduceNode.Apply apply -> apply.op instanceof Elementwise op && found(op.kind(), apply);
      case ReduceNode.Read _, ReduceNode.BroadcastBack _, ReduceNode.Reduced _ -> false;
    };
  }

  private boolean found(Elementwise.Kind kind, ReduceNode.Apply apply) {
    if (kind == Elementwise.Kind.MAXIMUM) {
      return apply.operands().stream().anyMatch(known::get);
    }
    boolean isSquare =
        kind == Elementwise.Kind.MULTIPLY && apply.operands().get(0) == apply.operands().get(1);
    return isSquare
        || ALWAYS.contains(kind)
        || (PRESERVING.contains(kind) && apply.operands().stream().allMatch(known::get));
  }
}
