package org.hlo4j.interpreter.compiled.passes;

import org.hlo4j.hlo.ir.HloModule;

/** From a module to one that computes the same, bit for bit. Without state between runs. */
interface Pass {
  /**
   * The module after the pass.
   *
   * @param module the module before it
   * @param session the names in use, and where the pass counts what it does
   * @return the module; the same one if there was nothing to do
   */
  HloModule run(HloModule module, Session session);
}
