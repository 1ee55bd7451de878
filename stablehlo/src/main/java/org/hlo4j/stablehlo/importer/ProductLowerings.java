package org.hlo4j.stablehlo.importer;

import static org.hlo4j.hlo.HloException.Kind.UNSUPPORTED;
import static org.hlo4j.hlo.HloException.require;
import static org.hlo4j.stablehlo.importer.Verification.verify;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.hlo4j.builder.lib.linalg.Einsum;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Dot;
import org.hlo4j.hlo.op.DotAlgorithm;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Window;
import org.hlo4j.stablehlo.dialect.AlgorithmForm;
import org.hlo4j.stablehlo.mlir.Attribute;

/**
 * The lowering of dots, convolutions, normalization, factorizations, Fourier transforms and random
 * numbers.
 */
final class ProductLowerings {
  private ProductLowerings() {}

  static void addTo(Lowerings table) {
    table.one("stablehlo.dot", ProductLowerings::dot);
    table.mirror("stablehlo.dot_general", op -> Map.of("algorithm", algorithm(op)));
    table.one("stablehlo.einsum", ProductLowerings::einsum).onlyCheckedIf(OpImport::isSymbolic);
    table
        .one("stablehlo.unary_einsum", ProductLowerings::unaryEinsum)
        .onlyCheckedIf(OpImport::isSymbolic);
    table.one("stablehlo.convolution", op -> op.emit(convolution(op), op.operands(), List.of()));
    table.mirror("stablehlo.triangular_solve").checkedBy(ProductLowerings::checkTranspose);
    table.one("stablehlo.rng", ProductLowerings::rng);
  }

  private static HloInstruction dot(OpImport op) {
    Shape.Array lhs = op.array(0);
    verify(lhs.rank() >= 1, "lhs got %s, want a vector or a matrix", lhs);
    return op.emit(
        op.mirrored(
            "stablehlo.dot_general",
            Map.of(
                "lhs_contracting_dims", Dims.of(lhs.rank() - 1L),
                "rhs_contracting_dims", Dims.of(0))),
        op.operands(),
        List.of());
  }

  private static List<Dot.Precision> precisions(OpImport op) {
    return op.fields().words("precision_config").stream().map(Dot.Precision::valueOf).toList();
  }

  private static Optional<DotAlgorithm> algorithm(OpImport op) {
    if (!op.fields().has("algorithm")) {
      return Optional.empty();
    }
    Fields fields = op.fields().struct("algorithm");
    requirePositive(fields, "lhs_component_count", "dot_general C22");
    requirePositive(fields, "rhs_component_count", "dot_general C23");
    requirePositive(fields, "num_primitive_operations", "dot_general C24");
    require(
        precisions(op).stream().allMatch(each -> each == Dot.Precision.DEFAULT),
        "dot_general C21",
        "precision_config got %s with an algorithm, want DEFAULT",
        precisions(op));
    Optional<DotAlgorithm> algorithm =
        op.fields().find("algorithm", Attribute.Struct.class).flatMap(AlgorithmForm::find);
    require(
        algorithm.isPresent(),
        UNSUPPORTED,
        "algorithm got %s, want that of one of %s",
        op.fields().entries().get("algorithm"),
        Arrays.toString(DotAlgorithm.values()));
    return algorithm;
  }

  private static void requirePositive(Fields fields, String name, String label) {
    require(
        fields.int64(name, 1) > 0,
        label,
        "%s got %s, want at least 1",
        name,
        fields.int64(name, 1));
  }

  private static HloInstruction einsum(OpImport op) {
    String config = op.fields().string("einsum_config");
    return op.inlineLibraryFunction(x -> Einsum.einsum(x.get(0), x.get(1), config), op.operands());
  }

  private static HloInstruction unaryEinsum(OpImport op) {
    String config = op.fields().string("einsum_config");
    return op.inlineLibraryFunction(x -> Einsum.einsum(x.get(0), config), op.operands());
  }

  /** Returns the number of spatial dimensions. */
  static int spatialRank(OpImport op) {
    return op.fields().struct("dimension_numbers").ints("input_spatial_dimensions").count();
  }

  /** Returns the convolution of the first two operands. */
  static Op convolution(OpImport op) {
    int rank = spatialRank(op);
    Dims spatial = op.fields().struct("dimension_numbers").ints("kernel_spatial_dimensions");
    Shape.Array kernel = op.array(1);
    require(
        op.array(0).elementType() == kernel.elementType(),
        "convolution C27",
        "kernel got %s, want the element type of the input, %s",
        kernel,
        op.array(0));
    require(
        spatial.stream().allMatch(d -> d >= 0 && d < kernel.rank()),
        "convolution C14",
        "kernel_spatial_dimensions got %s, want dimensions of %s",
        spatial,
        kernel);
    Window window =
        ReductionLowerings.window(
            op,
            kernel.sizes().at(spatial),
            ReductionLowerings.padding(op, rank),
            "lhs_dilation",
            "rhs_dilation");
    return op.mirrored("stablehlo.convolution", Map.of("window", window));
  }

  private static void checkTranspose(OpImport op) {
    String transpose = op.fields().word("transpose_a").orElseThrow();
    verify(
        !transpose.equals("TRANSPOSE_INVALID"),
        "transpose_a got %s, want NO_TRANSPOSE, TRANSPOSE or ADJOINT",
        transpose);
  }

  /**
   * Lowers a random number op. Its third operand is the shape, which the result type also gives.
   */
  private static HloInstruction rng(OpImport op) {
    SizeRules.requireShapeOperand(op, 2, "rng C3");
    SizeRules.requireCount(op, 2, op.resultArray().rank(), "rng C3");
    return op.emitMirrored(op.operands(0, 2));
  }
}
