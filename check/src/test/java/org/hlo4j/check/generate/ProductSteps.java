package org.hlo4j.check.generate;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Convolution;
import org.hlo4j.hlo.op.ConvolutionDimensionNumbers;
import org.hlo4j.hlo.op.Dot;
import org.hlo4j.hlo.op.RaggedDot;
import org.hlo4j.hlo.op.ScaledDot;
import org.hlo4j.hlo.op.Window;

/** Steps with products: dots and convolutions. */
final class ProductSteps {
  static final ImmutableList<Step> ALL =
      ImmutableList.of(
          ProductSteps::dot,
          ProductSteps::dot,
          ProductSteps::dot,
          ProductSteps::matmul,
          ProductSteps::matmul,
          ProductSteps::convolution,
          ProductSteps::convolution,
          ProductSteps::raggedDot,
          ProductSteps::scaledDot);

  private static final List<String> LABELS =
      List.of("bf01_oi01->bf01", "b01f_01io->b01f", "bf01_01io->b01f", "fb01_io01->fb01");

  private ProductSteps() {}

  private static Shape.Array shape(HloInstruction instruction) {
    return (Shape.Array) instruction.shape();
  }

  /** Appends a dot with any batch and contracting dimensions. */
  private static void dot(Block block, Choices choices) {
    HloInstruction lhs =
        Numbers.any(block, shape -> shape.rank() > 0 && shape.elementCount() < 2000);
    Dims order = choices.permutation(shape(lhs).rank());
    int batch = choices.below(order.count() + 1);
    int contracted = batch + choices.below(order.count() + 1 - batch);
    Dims batchDims = order.subList(0, batch);
    Dims contractedDims = order.subList(batch, contracted);
    Dims sizes = shape(lhs).sizes().at(batchDims).concat(shape(lhs).sizes().at(contractedDims));
    Dims free = choices.chance(2) ? Dims.of(choices.size()) : Dims.of();
    Dims natural = sizes.concat(free);
    Dims where = choices.permutation(natural.count());
    Dims place = where.inverse();
    HloInstruction rhs = Numbers.like(block, rhsType(choices, lhs), natural.at(where));
    block.add(
        preferring(
            choices,
            lhs,
            Dot.general(
                batchDims,
                contractedDims,
                place.subList(0, batch),
                place.subList(batch, contracted))),
        lhs,
        rhs);
  }

  private static ElementType rhsType(Choices choices, HloInstruction lhs) {
    return choices.chance(12) ? choices.type() : shape(lhs).elementType();
  }

  private static Dot preferring(Choices choices, HloInstruction lhs, Dot dot) {
    ElementType type = shape(lhs).elementType();
    if (!choices.chance(4) || type.isComplex()) {
      return dot;
    }
    ElementType wide = type.isFloating() ? ElementType.F32 : ElementType.S32;
    return new Dot(
        dot.lhsBatchDims(),
        dot.lhsContractingDims(),
        dot.rhsBatchDims(),
        dot.rhsContractingDims(),
        dot.operandPrecision(),
        dot.algorithm(),
        Optional.of(type == ElementType.F64 ? type : wide));
  }

  /** Appends a product of two matrices with sizes near the tile sizes of kernels. */
  private static void matmul(Block block, Choices choices) {
    List<Long> sizes = List.of(1L, 5L, 6L, 7L, 13L, 16L, 31L, 48L, 65L);
    long rows = choices.oneOf(sizes);
    long columns = choices.oneOf(sizes);
    long inner = choices.oneOf(sizes);
    ElementType type = choices.chance(2) ? ElementType.F32 : choices.type();
    boolean left = choices.chance(4);
    boolean right = choices.chance(4);
    block.add(
        Dot.general(Dims.of(), Dims.of(left ? 0 : 1), Dims.of(), Dims.of(right ? 1 : 0)),
        Numbers.like(block, type, left ? Dims.of(inner, rows) : Dims.of(rows, inner)),
        Numbers.like(block, type, right ? Dims.of(columns, inner) : Dims.of(inner, columns)));
  }

  /** Appends a product of groups of rows, or of columns, whose sizes are values. */
  private static void raggedDot(Block block, Choices choices) {
    ElementType type = choices.type();
    Dims sizes = Dims.of(1 + choices.below(9), 1 + choices.below(9), 1 + choices.below(5));
    long groups = 1L + choices.below(3);
    HloInstruction lhs = Numbers.like(block, type, sizes.subList(0, 2));
    Dims columns = sizes.subList(1, 3);
    boolean isFree = choices.chance(2);
    Dot dot = Dot.general(Dims.of(), Dims.of(1), Dims.of(), Dims.of(isFree ? 1 : 0));
    HloInstruction rhs = Numbers.like(block, type, isFree ? columns.inserted(0, groups) : columns);
    LiteralBuilder counts = new LiteralBuilder(Shape.of(ElementType.S32, groups));
    for (int i = 0; i < groups; i++) {
      counts.setBits(i, choices.below((int) (sizes.get(isFree ? 0 : 1) / groups) + 1));
    }
    block.add(
        isFree ? RaggedDot.of(dot, 0, 0) : RaggedDot.of(dot, 1),
        lhs,
        rhs,
        block.scalar(counts.build()));
  }

  /** Appends a product of operands with a scale for each block. */
  private static void scaledDot(Block block, Choices choices) {
    ElementType type = choices.type(ElementType::isFloating);
    Dims lhs = Dims.of(1 + choices.below(6), 8);
    Dims rhs = Dims.of(1 + choices.below(6), 8);
    Dot dot = Dot.general(Dims.of(), Dims.of(1), Dims.of(), Dims.of(1));
    block.add(
        ScaledDot.of(dot.withPreferredElementType(ElementType.F32)),
        Numbers.like(block, type, lhs),
        Numbers.like(block, type, rhs),
        Numbers.like(block, type, lhs.with(1, choices.oneOf(List.of(1L, 2L, 4L)))),
        choices.chance(3)
            ? Numbers.like(block, Shape.of(type))
            : Numbers.like(block, type, rhs.with(1, 2)));
  }

  /**
   * Appends a convolution over two spatial dimensions with various layouts, groups, strides,
   * padding and dilation.
   */
  private static void convolution(Block block, Choices choices) {
    ConvolutionDimensionNumbers numbers =
        ConvolutionDimensionNumbers.fromLabels(choices.oneOf(LABELS));
    long groups = choices.chance(3) ? 2 : 1;
    boolean batchGroups = groups == 2 && choices.chance(3);
    long features = (1 + choices.below(3)) * (batchGroups ? 1 : groups);
    long outputs = (1 + choices.below(5)) * groups;
    long batch = (1 + choices.below(2)) * (batchGroups ? groups : 1);
    Dims spatial = Dims.of(1 + choices.below(9), 1 + choices.below(9));
    Dims kernel = Dims.of(1 + choices.below(3), 1 + choices.below(3));
    ElementType type = choices.chance(2) ? ElementType.F32 : choices.type();
    Window window =
        Window.of(kernel)
            .withStrides(1 + choices.below(2), 1 + choices.below(2))
            .withPadding(
                Dims.of(choices.below(3), choices.below(2)),
                Dims.of(choices.below(2), choices.below(3)))
            .withWindowDilation(1 + choices.below(2), 1)
            .withBaseDilation(1, choices.chance(4) ? 2 : 1);
    Convolution op =
        Convolution.of(choices.chance(6) ? window.withReversal(true, false) : window)
            .withDimensionNumbers(numbers);
    op = batchGroups ? op.withBatchGroupCount(groups) : op.withFeatureGroupCount(groups);
    Dims lhs = Dims.of(batch, features).concat(spatial);
    Dims rhs = Dims.of(features / (batchGroups ? 1 : groups), outputs).concat(kernel);
    Dims input =
        Dims.of(numbers.inputBatchDimension(), numbers.inputFeatureDimension())
            .concat(numbers.inputSpatialDimensions());
    Dims places =
        Dims.of(numbers.kernelInputFeatureDimension(), numbers.kernelOutputFeatureDimension())
            .concat(numbers.kernelSpatialDimensions());
    block.add(
        op,
        Numbers.like(block, type, lhs.at(input.inverse())),
        Numbers.like(block, type, rhs.at(places.inverse())));
  }
}
