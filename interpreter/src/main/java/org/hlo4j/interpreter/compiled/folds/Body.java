package org.hlo4j.interpreter.compiled.folds;

import java.util.Optional;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Parameter;

/**
 * The computation of a fold, and what is known of it.
 *
 * @param computation the computation
 * @param type the type of what is folded, of the first if there are several
 * @param single the op, if it does nothing but this, with its two parameters in any order
 */
record Body(HloComputation computation, ElementType type, Optional<Elementwise.Kind> single) {
  static Body of(HloComputation computation) {
    ElementType type = ((Shape.Array) computation.parameters().get(0).shape()).elementType();
    return new Body(computation, type, single(computation));
  }

  private static Optional<Elementwise.Kind> single(HloComputation computation) {
    if (computation.root().op() instanceof Elementwise op
        && computation.parameters().size() == 2
        && computation.root().operands().stream().allMatch(part -> part.op() instanceof Parameter)
        && computation.root().operands().stream().distinct().count() == 2) {
      return Optional.of(op.kind());
    }
    return Optional.empty();
  }

  /** How many values are folded together. */
  int count() {
    return computation.parameters().size() / 2;
  }

  /** Whether it is the sum of floats, which accumulates in double and is rounded once. */
  boolean isSum() {
    return type.isFloating() && single.equals(Optional.of(Elementwise.Kind.ADD));
  }

  /** Whether the order does not matter, but for a sum's rounding. */
  boolean isUnordered() {
    return single.isPresent()
        && switch (single.get()) {
          case ADD -> !type.isComplex();
          case MAXIMUM, MINIMUM -> !type.isComplex();
          case MULTIPLY -> type.isIntegral() || type == ElementType.PRED;
          case AND, OR, XOR -> true;
          default -> false;
        };
  }
}
