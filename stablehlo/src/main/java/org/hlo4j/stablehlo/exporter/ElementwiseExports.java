package org.hlo4j.stablehlo.exporter;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.stream.Stream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.BitcastConvert;
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Pointwise;
import org.hlo4j.stablehlo.dialect.AccuracyForm;
import org.hlo4j.stablehlo.dialect.RecordBinding;
import org.hlo4j.stablehlo.mlir.Value;

/** The conversion of element-wise ops. */
final class ElementwiseExports {
  private ElementwiseExports() {}

  static ImmutableList<Value> values(OpExport op, Pointwise pointwise) {
    return switch (pointwise) {
      case Elementwise elementwise ->
          op.mirror(elementwise)
              .with("result_accuracy", AccuracyForm.of(op.instruction().attributes()))
              .emit();
      case BitcastConvert bitcast -> bitcast(op, bitcast.newElementType());
      case Convert convert -> convert(op, convert.newElementType());
      default -> op.mirrored();
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
    boolean isLast = to == ElementType.PRED;
    Shape.Array bytes = (isLast ? result : from).withElementType(ElementType.U8);
    String first = isLast ? "stablehlo.bitcast_convert" : "stablehlo.convert";
    return op.newOperation(isLast ? "stablehlo.convert" : "stablehlo.bitcast_convert")
        .withOperands(op.intermediate(first, op.value(0), bytes))
        .emit();
  }

  /**
   * Returns whether the StableHLO op has the attribute {@code result_accuracy}; no op of CHLO has
   * it.
   */
  static boolean hasAccuracy(Op op) {
    return RecordBinding.of(op)
        .filter(binding -> binding.definition().attributes().containsKey("result_accuracy"))
        .isPresent();
  }
}
