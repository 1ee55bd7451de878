package org.hlo4j.stablehlo.exporter;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.stream.Stream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.BitcastConvert;
import org.hlo4j.hlo.op.Clamp;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Pointwise;
import org.hlo4j.hlo.op.ReducePrecision;
import org.hlo4j.hlo.op.Select;
import org.hlo4j.hlo.op.StochasticConvert;
import org.hlo4j.stablehlo.dialect.AccuracyForm;
import org.hlo4j.stablehlo.dialect.OpTable;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Value;

/** The conversion of element-wise ops. */
final class ElementwiseExports {
  private ElementwiseExports() {}

  static ImmutableList<Value> values(OpExport op, Pointwise pointwise) {
    return switch (pointwise) {
      case Elementwise elementwise -> elementwise(op, name(elementwise));
      case BitcastConvert bitcast -> bitcast(op, bitcast.newElementType());
      case Clamp _ -> op.emitOperation("stablehlo.clamp");
      case Convert convert -> convert(op, convert.newElementType());
      case Select _ -> op.emitOperation("stablehlo.select");
      case Compare compare -> compare(op, compare);
      case ReducePrecision precision ->
          op.newOperation("stablehlo.reduce_precision")
              .with("exponent_bits", Attribute.Int.i32(precision.exponentBits()))
              .with("mantissa_bits", Attribute.Int.i32(precision.mantissaBits()))
              .emit();
      case StochasticConvert _ -> throw OpExport.unsupported("");
    };
  }

  /**
   * Converts a conversion. From complex numbers to booleans, StableHLO asks only whether the real
   * part is not zero, HLO whether a part is not.
   */
  private static ImmutableList<Value> convert(OpExport op, ElementType to) {
    Shape.Array from = (Shape.Array) op.shape(0);
    if (!from.elementType().isComplex() || to != ElementType.PRED) {
      return op.emitOperation("stablehlo.convert");
    }
    Shape.Array part = from.withElementType(from.elementType().componentType());
    Shape.Array pred = from.withElementType(ElementType.PRED);
    List<Value> parts =
        Stream.of("stablehlo.real", "stablehlo.imag")
            .map(name -> op.intermediate(name, op.value(0), part))
            .map(value -> op.intermediate("stablehlo.convert", value, pred))
            .toList();
    return op.newOperation("stablehlo.or").withOperands(parts).emit();
  }

  /**
   * Converts a conversion of bits. A boolean of HLO is a byte there, one of StableHLO a bit: it
   * becomes a byte first, or a byte becomes a boolean last.
   */
  private static ImmutableList<Value> bitcast(OpExport op, ElementType to) {
    Shape.Array from = (Shape.Array) op.shape(0);
    Shape.Array result = (Shape.Array) op.instruction().shape();
    if ((from.elementType() == ElementType.PRED) == (to == ElementType.PRED)) {
      return op.emitOperation("stablehlo.bitcast_convert");
    }
    if (to == ElementType.PRED) {
      Shape.Array bytes = result.withElementType(ElementType.U8);
      return op.newOperation("stablehlo.convert")
          .withOperands(op.intermediate("stablehlo.bitcast_convert", op.value(0), bytes))
          .emit();
    }
    Shape.Array bytes = from.withElementType(ElementType.U8);
    return op.newOperation("stablehlo.bitcast_convert")
        .withOperands(op.intermediate("stablehlo.convert", op.value(0), bytes))
        .emit();
  }

  private static ImmutableList<Value> elementwise(OpExport op, String name) {
    return op.newOperation(name)
        .with("result_accuracy", AccuracyForm.of(op.instruction().attributes()))
        .emit();
  }

  private static ImmutableList<Value> compare(OpExport op, Compare compare) {
    return op.newOperation("stablehlo.compare")
        .with(
            "comparison_direction",
            AttributeFactory.word("comparison_direction", compare.direction().name()))
        .with(
            "compare_type",
            compare.type().map(type -> AttributeFactory.word("comparison_type", type.name())))
        .emit();
  }

  /**
   * Returns whether the StableHLO op has the attribute {@code result_accuracy}; no op of CHLO has
   * it.
   */
  static boolean hasAccuracy(Op op) {
    return op instanceof Elementwise elementwise
        && OpTable.find(name(elementwise))
            .filter(row -> row.attributes().containsKey("result_accuracy"))
            .isPresent();
  }

  /**
   * Returns the name of the op. Both dialects use HLO's names; CHLO has the ops that StableHLO
   * lacks.
   */
  private static String name(Elementwise op) {
    String name = op.opcode().replace('-', '_');
    return OpTable.find("stablehlo." + name).isPresent() ? "stablehlo." + name : "chlo." + name;
  }
}
