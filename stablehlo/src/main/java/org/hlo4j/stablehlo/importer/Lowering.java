package org.hlo4j.stablehlo.importer;

import com.google.common.collect.ImmutableList;
import org.hlo4j.hlo.ir.HloInstruction;

/** How an op becomes HLO. */
@FunctionalInterface
interface Lowering {
  /**
   * Adds the instructions for an op.
   *
   * @param op the op with its operands and attributes, and where to add
   * @return the instructions whose values are its results, in order
   */
  ImmutableList<HloInstruction> lower(OpImport op);

  /** A lowering of an op with one result. */
  @FunctionalInterface
  interface Single {
    /** The instruction whose value is the result. */
    HloInstruction lower(OpImport op);
  }
}
