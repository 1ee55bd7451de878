package org.hlo4j.stablehlo.importer;

import com.google.common.collect.ImmutableList;
import org.hlo4j.hlo.ir.HloInstruction;

/** The lowering of an op to HLO. */
@FunctionalInterface
interface Lowering {
  /**
   * Emits the instructions of an op.
   *
   * @param op the op with its operands and attributes, and the computation to add to
   * @return the instructions whose values are its results, in order
   */
  ImmutableList<HloInstruction> lower(OpImport op);

  /** A lowering of an op with one result. */
  @FunctionalInterface
  interface Single {
    /** Emits the instructions of an op and returns the one that computes the result. */
    HloInstruction lower(OpImport op);
  }
}
