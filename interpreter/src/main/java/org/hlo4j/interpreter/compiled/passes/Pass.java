package org.hlo4j.interpreter.compiled.passes;

import org.hlo4j.hlo.ir.HloModule;

/**
 * A pass: rewrites a module into one that computes the same, bit for bit. It has no state between
 * runs.
 */
interface Pass {
  /**
   * Runs the pass.
   *
   * @param module the module before the pass
   * @param session the names in use, and the counts of what passes do
   * @return the module after the pass; the same one if there was nothing to do
   */
  HloModule run(HloModule module, Session session);
}
