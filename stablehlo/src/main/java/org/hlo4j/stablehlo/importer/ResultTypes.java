package org.hlo4j.stablehlo.importer;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.stablehlo.mlir.Operation;

/** Checks that an op has the results it declares. */
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
      Shape declared = Shapes.of(operation.results().get(i).type());
      Shape inferred = results.get(i).shape();
      require(
          agrees(declared, inferred),
          HloException.Kind.VERIFY,
          "result %s got %s (%s), want %s",
          i,
          declared,
          operation.results().get(i).type(),
          inferred);
    }
  }

  /** Bounds may be declared wider or narrower than they are inferred; static sizes may not. */
  private static boolean agrees(Shape declared, Shape inferred) {
    return declared.compatible(inferred)
        || ((declared.isDynamic() || inferred.isDynamic())
            && declared instanceof Shape.Array one
            && inferred instanceof Shape.Array other
            && one.elementType() == other.elementType()
            && one.rank() == other.rank());
  }
}
