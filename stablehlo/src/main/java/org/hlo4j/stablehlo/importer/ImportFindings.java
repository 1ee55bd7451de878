package org.hlo4j.stablehlo.importer;

import static org.hlo4j.hlo.HloException.Kind.VERIFY;

import com.google.common.collect.ImmutableList;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.stablehlo.mlir.Operation;

/** What HLO does not allow in a module whose operations break no rule of StableHLO. */
final class ImportFindings {
  private ImportFindings() {}

  /**
   * Returns what the verifier of HLO finds in a module that becomes HLO as it is; none if it does
   * not, because of sizes that are not known or ops that HLO has not.
   */
  static ImmutableList<HloException> of(Operation module) {
    if (!ModuleOutline.hasEntry(module) || ModuleOutline.hasSymbolicDimensions(module)) {
      return ImmutableList.of();
    }
    try {
      return Verifier.lenient().findings(ModuleImport.of(module));
    } catch (HloException refusal) {
      if (ModuleImport.isStop(refusal)) {
        throw refusal;
      }
      return refusal.kind() == VERIFY ? ImmutableList.of(refusal) : ImmutableList.of();
    }
  }
}
