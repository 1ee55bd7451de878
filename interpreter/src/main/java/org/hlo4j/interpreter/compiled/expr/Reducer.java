package org.hlo4j.interpreter.compiled.expr;

import java.util.Optional;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.op.Elementwise;

/**
 * The computation of a reduction and its properties.
 *
 * @param name the name of the computation
 * @param code the code of one step, from accumulators and elements to accumulators
 * @param type the element type of the input, or of the first input if there are several
 * @param single the op, if the computation is a single op of its two parameters in any order
 */
public record Reducer(
    String name, BodyCode code, ElementType type, Optional<Elementwise.Kind> single) {
  /** {@return the reducer of a computation; empty if there is no code for it} */
  public static Optional<Reducer> of(HloComputation computation) {
    return BodyCode.ofReduction(computation)
        .map(code ->
            new Reducer(computation.name(), code, code.elementType(0), SingleOp.of(computation)));
  }

  /** {@return the reason why a computation has no reducer} */
  public static String noCode(HloComputation computation) {
    return "no code for " + computation.name();
  }

  /** {@return the number of inputs that are reduced together} */
  public int count() {
    return code.accumulatorCount();
  }

  /** {@return whether it is a sum of floats, which accumulates in double and is rounded once} */
  public boolean isSum() {
    return code.accumulatesInDouble();
  }

  /** {@return whether the result does not depend on the order, except for the rounding of a sum} */
  public boolean isUnordered() {
    Optional<ReductionOp> op = single.flatMap(ReductionOp::of);
    return op.isPresent()
        && switch (op.get()) {
          case ADD, MAXIMUM, MINIMUM -> !type.isComplex();
          case MULTIPLY -> type.isIntegral() || type == ElementType.PRED;
          case AND, OR, XOR -> true;
        };
  }
}
