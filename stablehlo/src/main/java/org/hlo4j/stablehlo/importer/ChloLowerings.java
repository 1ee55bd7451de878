package org.hlo4j.stablehlo.importer;

import static org.hlo4j.hlo.HloException.Kind.VERIFY;
import static org.hlo4j.stablehlo.importer.Verification.verify;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BinaryOperator;
import java.util.function.UnaryOperator;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.builder.lib.math.XlaMath;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Select;
import org.hlo4j.stablehlo.dialect.OpTable;
import org.hlo4j.stablehlo.mlir.Attribute;

/**
 * The lowering of CHLO's ops: to an op of HLO where there is one, else by the library of the
 * builder.
 */
final class ChloLowerings {
  private static final ImmutableMap<String, UnaryOperator<XlaOp>> UNARY =
      ImmutableMap.<String, UnaryOperator<XlaOp>>builder()
          .put("bessel_i1e", XlaMath::besselI1e)
          .put("digamma", XlaMath::digamma)
          .put("erf_inv", XlaMath::erfInv)
          .put("erfc", XlaMath::erfc)
          .put("is_inf", XlaMath::isInf)
          .put("is_neg_inf", XlaMath::isNegInf)
          .put("is_pos_inf", XlaMath::isPosInf)
          .put("lgamma", XlaMath::lgamma)
          .put("square", XlaMath::square)
          .put("conj", x -> XlaMath.maybeConjugate(x, true))
          .buildOrThrow();

  private static final ImmutableMap<String, BinaryOperator<XlaOp>> BINARY =
      ImmutableMap.of(
          "next_after", XlaMath::nextAfter,
          "polygamma", XlaMath::polygamma,
          "zeta", XlaMath::zeta);

  private ChloLowerings() {}

  /** Lowers atan as XLA does, which has no op for it, unless the numbers are complex. */
  private static HloInstruction atan(OpImport op) {
    Shape.Array shape = op.array(0);
    if (shape.elementType().isComplex()) {
      return ElementwiseLowerings.elementwise(op, ElementwiseLowerings.kind("atan"));
    }
    return op.emit(
        new Elementwise(Elementwise.Kind.ATAN2), op.operand(0), op.like(op.operand(0), 1));
  }

  static void addTo(Lowerings table) {
    table.one("chlo.atan", ChloLowerings::atan);
    UNARY.forEach((name, function) ->
        table.one(
            "chlo." + name,
            op -> op.inlineLibraryFunction(x -> function.apply(x.get(0)), op.operands())));
    BINARY.forEach((name, function) -> {
      table.one("chlo." + name, op -> binary(op, function, op.operands()));
      table.one("chlo.broadcast_" + name, op -> binary(op, function, broadcast(op)));
    });
    ElementwiseLowerings.KINDS.forEach((name, kind) -> {
      if (OpTable.find("chlo.broadcast_" + name).isPresent()) {
        Elementwise applied = new Elementwise(kind);
        table.one("chlo.broadcast_" + name, op -> op.emit(applied, broadcast(op), List.of()));
      }
    });
    table.one(
        "chlo.broadcast_compare",
        op -> op.emit(ElementwiseLowerings.compareOp(op), broadcast(op), List.of()));
    table.one("chlo.broadcast_select", op -> op.emit(new Select(), broadcast(op), List.of()));
    table.one("chlo.constant", op -> MovementLowerings.constant(op, "value"));
    table.one("chlo.constant_like", ChloLowerings::constantLike);
    table.many(
        "chlo.top_k", op -> op.elements(op.emitMirrored(op.operands(), Map.of("largest", true))));
    table.many("mhlo.topk", CustomCalls::topk);
    table.mirror(
        "chlo.ragged_dot",
        op -> Map.of("preferred_element_type", Optional.of(op.declaredElementType())));
    table.many("chlo.scan", ChloLowerings::scan);
    for (String name :
        List.of(
            "asin_acos_kernel", "dynamic_reshape", "minimum_broadcast_shapes", "reshape_dynamic")) {
      table.refused("chlo." + name, "that has no counterpart in HLO");
    }
  }

  private static HloInstruction binary(
      OpImport op, BinaryOperator<XlaOp> function, List<HloInstruction> operands) {
    return op.inlineLibraryFunction(x -> function.apply(x.get(0), x.get(1)), operands);
  }

  /**
   * Returns the operands broadcast to the sizes of the result. Operands of lower rank are mapped to
   * {@code broadcast_dimensions}, or to the last dimensions if that is missing. Dimensions of size
   * 1 are stretched.
   */
  private static List<HloInstruction> broadcast(OpImport op) {
    Shape.Array result = op.resultArray();
    ImmutableList.Builder<HloInstruction> operands = ImmutableList.builder();
    for (HloInstruction operand : op.operands()) {
      int rank = OpImport.arrayShape(operand).rank();
      verify(
          rank <= result.rank(),
          "result got %s, want at least the rank of operand %s",
          result,
          operand.shape());
      boolean given = op.fields().has("broadcast_dimensions") && rank < result.rank();
      Dims dimensions =
          given
              ? op.fields().ints("broadcast_dimensions")
              : Dims.range((long) result.rank() - rank, result.rank());
      operands.add(MovementLowerings.emitBroadcastInDim(op, operand, result, dimensions));
    }
    return operands.build();
  }

  private static HloInstruction constantLike(OpImport op) {
    Shape.Array shape = op.resultArray();
    Literal scalar = scalar(shape.elementType(), op.fields().entries().get("value"));
    return op.broadcast(op.emit(new Constant(scalar)), shape.sizes());
  }

  /** Returns a number as a scalar of a type. */
  static Literal scalar(ElementType type, @org.jspecify.annotations.Nullable Attribute value) {
    LiteralBuilder builder = new LiteralBuilder(Shape.of(type));
    if (value instanceof Attribute.Floating real && type.isFloating()) {
      builder.setDouble(0, real.value());
    } else if (value instanceof Attribute.Int integer && !type.isComplex()) {
      builder.setLong(0, integer.value().longValue());
    } else if (value instanceof Attribute.Floating real && type.isComplex()) {
      builder.setComplex(0, real.value(), 0);
    } else {
      throw new HloException(VERIFY, "value got %s, want one of type %s", value, type);
    }
    return builder.build();
  }

  /**
   * Lowers a scan. Its operands are the inputs, then the initial carried values; its results are
   * the outputs, then the final carried values. They are a tuple, as XLA writes them, although the
   * computation gives a single one by itself.
   */
  private static ImmutableList<HloInstruction> scan(OpImport op) {
    int carries =
        op.operation().attributes().get("operandSegmentSizes")
                    instanceof Attribute.DenseArray segments
                && segments.values().size() == 2
            ? segments.values().get(1).intValue()
            : op.operandCount() / 2;
    Optional<Shape> shape = op.resultCount() == 1 ? Optional.of(single(op)) : Optional.empty();
    return op.elements(
        op.emitMirrored(op.operands(), Map.of("num_carries", carries, "shape", shape)));
  }

  private static Shape single(OpImport op) {
    return new Shape.Tuple(op.resultShapes(0, 1));
  }
}
