package org.hlo4j.stablehlo.exporter;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.Metadata;
import org.hlo4j.hlo.ir.ModuleCopy;
import org.hlo4j.hlo.op.Dot;
import org.hlo4j.hlo.op.ScaledDot;
import org.hlo4j.stablehlo.dialect.AttributeFactory;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Type;
import org.hlo4j.stablehlo.mlir.Value;

/**
 * The conversion of a scaled dot to a composite, which XLA recognizes. Other consumers use its
 * decomposition, a function.
 */
final class ScaledDotExport {
  private static final String NAME = "xla.scaled_dot";

  private ScaledDotExport() {}

  static ImmutableList<Value> values(OpExport op, ScaledDot dot) {
    if (dot.algorithm().isPresent()) {
      throw OpExport.unsupported("with an algorithm");
    }
    Attribute numbers =
        AttributeFactory.array(
            List.of(
                pair(dot.lhsContractingDims(), dot.rhsContractingDims()),
                pair(dot.lhsBatchDims(), dot.rhsBatchDims())));
    Type element = ((Type.Tensor) op.types().get(0)).element();
    return op.newOperation("stablehlo.composite")
        .with("name", new Attribute.Str(NAME))
        .with("decomposition", op.block().module().function(decomposition(op, dot)))
        .with(
            "composite_attributes",
            new Attribute.Dictionary(
                ImmutableMap.of(
                    "dimension_numbers",
                    numbers,
                    "preferred_element_type",
                    new Attribute.OfType(element))))
        .emit();
  }

  private static Attribute pair(Dims lhs, Dims rhs) {
    return AttributeFactory.array(List.of(numbers(lhs), numbers(rhs)));
  }

  private static Attribute numbers(Dims dims) {
    return AttributeFactory.array(dims.stream().mapToObj(Attribute.Int::i64).toList());
  }

  /**
   * Returns {@code dot(lhs * lhs_scale, rhs * rhs_scale)}, computed in f64 and rounded to the
   * result type.
   */
  private static HloComputation decomposition(OpExport op, ScaledDot scaled) {
    XlaBuilder builder = new XlaBuilder(NAME);
    List<XlaOp> parameters = new ArrayList<>();
    for (String name : List.of("lhs", "rhs", "lhs_scale", "rhs_scale")) {
      int number = parameters.size();
      parameters.add(builder.parameter(number, op.shape(number).withoutLayout(), name));
    }
    Dot dot = scaled.dot();
    Dot wide =
        new Dot(
            dot.lhsBatchDims(),
            dot.lhsContractingDims(),
            dot.rhsBatchDims(),
            dot.rhsContractingDims(),
            dot.operandPrecision(),
            Optional.empty(),
            Optional.of(((Shape.Array) op.instruction().shape()).elementType()));
    XlaOp lhs = scaled(parameters.get(0), parameters.get(2));
    XlaOp rhs = scaled(parameters.get(1), parameters.get(3));
    // Drops the metadata, source lines of this file, which mean nothing to a user.
    return ModuleCopy.map(
            builder.build(lhs.dotGeneral(rhs, wide)),
            each ->
                HloInstruction.create(
                    each.name(),
                    each.op(),
                    each.operands(),
                    each.called(),
                    each.shape(),
                    Metadata.NONE))
        .entry();
  }

  /**
   * Returns the elements multiplied by their scales; each scale is broadcast to its block of
   * elements.
   */
  private static XlaOp scaled(XlaOp operand, XlaOp scale) {
    Dims sizes = ((Shape.Array) operand.shape()).sizes();
    Dims scales = ((Shape.Array) scale.shape()).sizes();
    XlaOp numbers = operand.convertElementType(ElementType.F64);
    XlaOp factors = scale.convertElementType(ElementType.F64);
    if (scales.isEmpty()) {
      return numbers.mul(factors.broadcastInDim(sizes, Dims.of()));
    }
    List<Long> blocks = new ArrayList<>();
    List<Long> kept = new ArrayList<>();
    for (int i = 0; i < sizes.count(); i++) {
      kept.add((long) blocks.size());
      blocks.add(scales.get(i));
      blocks.add(scales.get(i) == 0 ? 1 : sizes.get(i) / scales.get(i));
    }
    return numbers.mul(
        factors.broadcastInDim(Dims.copyOf(blocks), Dims.copyOf(kept)).reshape(sizes));
  }
}
