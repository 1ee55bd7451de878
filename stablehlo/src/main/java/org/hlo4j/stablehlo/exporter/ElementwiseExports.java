package org.hlo4j.stablehlo.exporter;

import com.google.common.collect.ImmutableList;
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
      case BitcastConvert _ -> op.emitOperation("stablehlo.bitcast_convert");
      case Clamp _ -> op.emitOperation("stablehlo.clamp");
      case Convert _ -> op.emitOperation("stablehlo.convert");
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
