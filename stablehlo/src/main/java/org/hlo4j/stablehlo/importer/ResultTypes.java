package org.hlo4j.stablehlo.importer;

import static org.hlo4j.stablehlo.importer.Verification.verify;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.stablehlo.mlir.Operation;
import org.hlo4j.stablehlo.mlir.Type;

/** The check that the inferred results of an op match its declared result types. */
final class ResultTypes {
  /** The ops whose results may have one bounded size, as upstream's verifier has it. */
  private static final ImmutableSet<String> OF_ONE_BOUNDED_SIZE =
      ImmutableSet.of("stablehlo.reshape", "stablehlo.broadcast_in_dim");

  private ResultTypes() {}

  static void check(Operation operation, ImmutableList<HloInstruction> results) {
    verify(
        results.size() == operation.results().size(),
        "results got %s, want %s",
        operation.results().size(),
        results.size());
    for (int i = 0; i < results.size(); i++) {
      Type declared = operation.results().get(i).type();
      verify(
          Shapes.fits(results.get(i).shape(), declared),
          "result %s got %s, want %s",
          i,
          declared,
          Shapes.text(results.get(i).shape()));
    }
    if (OF_ONE_BOUNDED_SIZE.contains(operation.name())) {
      operation.resultTypes().forEach(ResultTypes::requireOneBoundedSize);
    }
  }

  /** Requires that sizes are static; one may have a bound instead. */
  private static void requireOneBoundedSize(Type type) {
    verify(
        !(type instanceof Type.Tensor tensor)
            || tensor.isStatic()
            || (Shapes.symbolicShape(tensor) instanceof Shape.Array array
                && !array.hasUnbounded()
                && array.dynamicDimensions().size() == 1),
        "result got %s, want static sizes, of which one may be bounded instead",
        type);
  }
}
