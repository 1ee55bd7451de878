package org.hlo4j.stablehlo;

import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.stablehlo.importer.ModuleImport;
import org.hlo4j.stablehlo.mlir.Operation;

/** StableHLO in and out of HLO. */
public final class StableHlo {
  private StableHlo() {}

  /**
   * The HLO module that computes what a StableHLO module does. A function becomes a computation, a
   * call a call; a region becomes a computation, and what it uses from outside is passed to it.
   * Locations become metadata.
   *
   * @param module a {@code builtin.module} with static shapes; its entry is the function {@code
   *     main}, or the only function there is
   * @return the module, not verified; its result is that of the entry, a tuple unless there is just
   *     one
   * @throws HloException if an op breaks a rule of StableHLO or has no counterpart in HLO; the
   *     message begins with the place in the file and the name of the op
   */
  public static HloModule toHlo(Operation module) {
    return ModuleImport.of(module);
  }
}
