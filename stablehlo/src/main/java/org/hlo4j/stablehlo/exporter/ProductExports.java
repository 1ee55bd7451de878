package org.hlo4j.stablehlo.exporter;

import com.google.common.base.Ascii;
import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.List;
import org.hlo4j.hlo.op.Contraction;
import org.hlo4j.hlo.op.Dot;
import org.hlo4j.hlo.op.DotAlgorithm;
import org.hlo4j.hlo.op.ScaledDot;
import org.hlo4j.stablehlo.dialect.StructTable;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Type;
import org.hlo4j.stablehlo.mlir.Value;

/** The conversion of dots and convolutions. */
final class ProductExports {
  private ProductExports() {}

  static ImmutableList<Value> values(OpExport op, Contraction contraction) {
    return switch (contraction) {
      case Dot dot ->
          op.mirror(dot)
              .with("algorithm", dot.algorithm().map(algorithm -> algorithm(op, algorithm)))
              .emit();
      case ScaledDot dot -> ScaledDotExport.values(op, dot);
      default -> op.mirrored();
    };
  }

  /** Returns the parts of an algorithm's name, such as {@code dot_bf16_bf16_f32_x3}. */
  private static Attribute algorithm(OpExport op, DotAlgorithm algorithm) {
    String name = Ascii.toLowerCase(algorithm.name()).replace("any_f8", "any");
    List<String> parts = Splitter.on('_').splitToList(name);
    boolean several = parts.size() > 4 && parts.get(4).startsWith("x");
    long products = several ? Long.parseLong(parts.get(4).substring(1)) : 1;
    return StructTable.struct(
        "dot_algorithm",
        ImmutableMap.of(
            "lhs_precision_type", precisionType(op, 0, parts.get(1)),
            "rhs_precision_type", precisionType(op, 1, parts.get(2)),
            "accumulation_type", new Attribute.OfType(new Type.Floating(parts.get(3))),
            "lhs_component_count", Attribute.Int.i64(1),
            "rhs_component_count", Attribute.Int.i64(1),
            "num_primitive_operations", Attribute.Int.i64(products),
            "allow_imprecise_accumulation", Attribute.Int.bool(name.endsWith("_fast_accum"))));
  }

  /**
   * Returns a type; any of 8 bits is that of the operand, or if that is no type of products,
   * f8E5M2.
   */
  private static Attribute precisionType(OpExport op, int operand, String name) {
    Type element = OpExport.type(op.value(operand)).element();
    boolean isAny = name.equals("any");
    boolean hasEightBits =
        element.toString().startsWith("f8") && !element.toString().equals("f8E8M0FNU");
    return new Attribute.OfType(
        isAny && hasEightBits ? element : new Type.Floating(isAny ? "f8E5M2" : name));
  }
}
