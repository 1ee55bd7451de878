package org.hlo4j.stablehlo.dialect;

import com.google.common.base.Ascii;
import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableMap;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.op.DotAlgorithm;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Type;

/**
 * The conversion of algorithms of products between the two dialects: {@code dot_bf16_bf16_f32_x3}
 * of HLO is a struct of StableHLO, of the types that its name consists of and a number of products.
 */
public final class AlgorithmForm {
  private static final Type ANY = new Type.Floating("f8E5M2");

  private AlgorithmForm() {}

  /**
   * {@return the attribute of StableHLO}
   *
   * @param algorithm the algorithm of HLO
   * @param lhs the type that stands for any of 8 bits on the left
   * @param rhs the same on the right
   */
  public static Attribute.Struct of(DotAlgorithm algorithm, Type lhs, Type rhs) {
    String name = Ascii.toLowerCase(algorithm.name()).replace("any_f8", "any");
    List<String> parts = Splitter.on('_').splitToList(name);
    boolean several = parts.size() > 4 && parts.get(4).startsWith("x");
    long products = several ? Long.parseLong(parts.get(4).substring(1)) : 1;
    return StructTable.struct(
        "dot_algorithm",
        ImmutableMap.of(
            "lhs_precision_type", precisionType(parts.get(1), lhs),
            "rhs_precision_type", precisionType(parts.get(2), rhs),
            "accumulation_type", new Attribute.OfType(new Type.Floating(parts.get(3))),
            "lhs_component_count", Attribute.Int.i64(1),
            "rhs_component_count", Attribute.Int.i64(1),
            "num_primitive_operations", Attribute.Int.i64(products),
            "allow_imprecise_accumulation", Attribute.Int.bool(name.endsWith("_fast_accum"))));
  }

  private static Attribute precisionType(String name, Type any) {
    boolean hasEightBits = any.toString().startsWith("f8");
    return new Attribute.OfType(
        !name.equals("any") ? new Type.Floating(name) : hasEightBits ? any : ANY);
  }

  /**
   * {@return the algorithm of HLO, if it has one}
   *
   * @param attribute the attribute of StableHLO
   */
  public static Optional<DotAlgorithm> find(Attribute.Struct attribute) {
    Type lhs = type(attribute, "lhs_precision_type");
    Type rhs = type(attribute, "rhs_precision_type");
    return Arrays.stream(DotAlgorithm.values())
        .filter(algorithm -> of(algorithm, lhs, rhs).equals(attribute))
        .findFirst();
  }

  private static Type type(Attribute.Struct attribute, String field) {
    return attribute.fields().get(field) instanceof Attribute.OfType of ? of.type() : ANY;
  }
}
