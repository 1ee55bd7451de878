package org.hlo4j.stablehlo.exporter;

import com.google.common.collect.ImmutableList;
import org.hlo4j.hlo.op.Contraction;
import org.hlo4j.hlo.op.Dot;
import org.hlo4j.hlo.op.ScaledDot;
import org.hlo4j.stablehlo.dialect.AlgorithmForm;
import org.hlo4j.stablehlo.mlir.Type;
import org.hlo4j.stablehlo.mlir.Types;
import org.hlo4j.stablehlo.mlir.Value;

/** The conversion of dots and convolutions. */
final class ProductExports {
  private ProductExports() {}

  static ImmutableList<Value> values(OpExport op, Contraction contraction) {
    return switch (contraction) {
      case Dot dot ->
          op.mirror(dot)
              .with(
                  "algorithm",
                  dot.algorithm()
                      .map(
                          algorithm -> AlgorithmForm.of(algorithm, element(op, 0), element(op, 1))))
              .emit();
      case ScaledDot dot -> ScaledDotExport.values(op, dot);
      default -> op.mirrored();
    };
  }

  /** Returns the type of an operand; f8E8M0FNU is no type of products. */
  private static Type element(OpExport op, int operand) {
    Type element = OpExport.type(op.value(operand)).element();
    return element.toString().equals("f8E8M0FNU") ? Types.F32 : element;
  }
}
