package org.hlo4j.check.generate;

import com.google.common.collect.ImmutableMap;
import java.util.Arrays;
import java.util.Optional;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.BitcastConvert;
import org.hlo4j.hlo.op.Clamp;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Elementwise.Kind;
import org.hlo4j.hlo.op.Select;
import org.hlo4j.hlo.op.StochasticConvert;

/** The rows of ops that are applied to each element. */
final class PointwiseRows {
  /** A row for each element-wise function. */
  static final ImmutableMap<String, Step> ELEMENTWISE =
      Arrays.stream(Kind.values())
          .collect(
              ImmutableMap.toImmutableMap(
                  Kind::mnemonic, kind -> (block, choices) -> elementwise(block, choices, kind)));

  static final ImmutableMap<String, Step> OTHERS =
      ImmutableMap.<String, Step>builder()
          .put("bitcast-convert", PointwiseRows::bitcastConvert)
          .put("clamp", PointwiseRows::clamp)
          .put("compare", PointwiseRows::compare)
          .put("convert", Row.of("convert", Sources::array))
          .put(
              "reduce-precision",
              Row.of("reduce-precision", block -> Sources.array(block, ElementType::isFloating)))
          .put("select", PointwiseRows::select)
          .put("stochastic-convert", PointwiseRows::stochasticConvert)
          .buildOrThrow();

  private PointwiseRows() {}

  /** Returns an operand of this shape, at times the same one. */
  private static HloInstruction like(Block block, HloInstruction operand) {
    return block.choices().chance(6) ? operand : Sources.value(block, operand.shape());
  }

  private static void elementwise(Block block, Choices choices, Kind kind) {
    HloInstruction operand = Sources.array(block, kind::accepts);
    if (kind.arity() == 1) {
      block.add(new Elementwise(kind), operand);
    } else {
      HloInstruction other = like(block, operand);
      boolean swaps = choices.chance(2);
      block.add(new Elementwise(kind), swaps ? other : operand, swaps ? operand : other);
    }
  }

  private static void compare(Block block, Choices choices) {
    HloInstruction operand = Sources.array(block);
    Sources.compared(block, operand, like(block, operand));
  }

  private static void select(Block block, Choices choices) {
    HloInstruction operand = Sources.array(block);
    Shape.Array shape = (Shape.Array) operand.shape();
    Shape.Array pred =
        choices.chance(3) ? Shape.of(ElementType.PRED) : shape.withElementType(ElementType.PRED);
    block.add(new Select(), Sources.value(block, pred), operand, like(block, operand));
  }

  /** Each bound may be a scalar, and the lower one above the upper. */
  private static void clamp(Block block, Choices choices) {
    HloInstruction operand = Sources.array(block, type -> !type.isComplex());
    block.add(new Clamp(), bound(block, operand), operand, bound(block, operand));
  }

  private static HloInstruction bound(Block block, HloInstruction operand) {
    ElementType type = ((Shape.Array) operand.shape()).elementType();
    return block.choices().chance(2) ? Sources.scalar(block, type) : like(block, operand);
  }

  /** To as many bits, or fewer with one more dimension, or more with one less. */
  private static void bitcastConvert(Block block, Choices choices) {
    ElementType from = choices.anyType();
    ElementType to =
        choices.type(type ->
            type.isComplex() == from.isComplex()
                && (type.bits() % from.bits() == 0 || from.bits() % type.bits() == 0));
    int ratio = to.bits() / from.bits();
    Shape.Array shape = Sources.shape(block, from, Math.min(choices.rank(), 4));
    block.add(
        new BitcastConvert(to),
        Sources.value(
            block,
            ratio > 1 ? shape.withSizes(shape.sizes().inserted(shape.rank(), ratio)) : shape));
  }

  private static void stochasticConvert(Block block, Choices choices) {
    HloInstruction operand =
        Sources.array(block, type -> type.isFloating() && unsigned(type.bits()).isPresent());
    Shape.Array shape = (Shape.Array) operand.shape();
    ElementType to = choices.type(type -> type.isFloating() || type.isIntegral());
    block.add(
        new StochasticConvert(to),
        operand,
        Sources.value(
            block, shape.withElementType(unsigned(shape.elementType().bits()).orElseThrow())));
  }

  private static Optional<ElementType> unsigned(int bits) {
    return Arrays.stream(ElementType.values())
        .filter(type -> type.kind() == ElementType.Kind.UNSIGNED && type.bits() == bits)
        .findFirst();
  }
}
