package org.hlo4j.interpreter.reference;

import java.util.List;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloComputation;

/** Runs the computations that an instruction calls. */
interface Caller {
  /** The result of a computation on arguments of its parameters' shapes. */
  Literal call(HloComputation computation, List<Literal> arguments);
}
