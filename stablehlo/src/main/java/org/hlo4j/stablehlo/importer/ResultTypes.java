package org.hlo4j.stablehlo.importer;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.stablehlo.mlir.Operation;
import org.hlo4j.stablehlo.mlir.Type;

/** The check that the inferred results of an op match its declared result types. */
final class ResultTypes {
  private ResultTypes() {}

  static void check(Operation operation, ImmutableList<HloInstruction> results) {
    require(
        results.size() == operation.results().size(),
        HloException.Kind.VERIFY,
        "results got %s, want %s",
        operation.results().size(),
        results.size());
    for (int i = 0; i < results.size(); i++) {
      Type declared = operation.results().get(i).type();
      require(
          Shapes.fits(results.get(i).shape(), declared),
          HloException.Kind.VERIFY,
          "result %s got %s, want %s",
          i,
          declared,
          Shapes.text(results.get(i).shape()));
    }
  }
}
