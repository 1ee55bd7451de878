package org.hlo4j.interpreter;

import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;

/** Runs modules. */
public interface Evaluator {
  /**
   * The result of a module's entry computation.
   *
   * @param module the module
   * @param arguments one literal for each parameter of the entry, of its shape
   * @return the value of the entry's root
   * @throws HloException if the module breaks a rule, an argument does not suit its parameter, or
   *     the values do not fit on the heap
   */
  Literal run(HloModule module, Literal... arguments);
}
