package org.hlo4j.interpreter.compiled.reduce;

import java.util.Optional;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.interpreter.compiled.expr.BodyCode;
import org.hlo4j.interpreter.compiled.expr.ReductionOp;
import org.hlo4j.interpreter.compiled.expr.SingleOp;

/**
 * The computation of a reduction, and what is known of it.
 *
 * @param name the name of the computation
 * @param code one step: accumulators and elements in, accumulators out
 * @param type the type of what is reduced, of the first if there are several
 * @param single the op, if it does nothing but this, with its two parameters in any order
 */
record Reducer(String name, BodyCode code, ElementType type, Optional<Elementwise.Kind> single) {
  /** The reduction of a computation; empty if there is no code for it. */
  static Optional<Reducer> of(HloComputation computation) {
    return BodyCode.ofReduction(computation)
        .map(code ->
            new Reducer(computation.name(), code, code.elementType(0), SingleOp.of(computation)));
  }

  /** Why there is none. */
  static String noCode(HloComputation computation) {
    return "no code for " + computation.name();
  }

  /** How many values are reduced together. */
  int count() {
    return code.count();
  }

  /** Whether it is the sum of floats, which accumulates in double and is rounded once. */
  boolean isSum() {
    return code.isWide();
  }

  /** Whether the order does not matter, but for a sum's rounding. */
  boolean isUnordered() {
    Optional<ReductionOp> op = single.flatMap(ReductionOp::of);
    return op.isPresent()
        && switch (op.get()) {
          case ADD, MAXIMUM, MINIMUM -> !type.isComplex();
          case MULTIPLY -> type.isIntegral() || type == ElementType.PRED;
          case AND, OR, XOR -> true;
        };
  }
}
