package org.hlo4j.check.generate;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Gather;
import org.hlo4j.hlo.op.Scatter;
import org.hlo4j.hlo.op.Sort;
import org.hlo4j.hlo.op.Topk;

/** Steps whose data movement depends on values: gather, scatter, sort. */
final class IndexSteps {
  static final ImmutableList<Step> ALL =
      ImmutableList.of(
          IndexSteps::gatherAlong,
          IndexSteps::gather,
          IndexSteps::scatter,
          IndexSteps::scatter,
          IndexSteps::sort,
          IndexSteps::sort,
          IndexSteps::topk);

  private IndexSteps() {}

  private static Shape.Array shape(HloInstruction instruction) {
    return (Shape.Array) instruction.shape();
  }

  private static HloInstruction indices(Block block, Choices choices, Dims sizes) {
    List<ElementType> types = List.of(ElementType.S32, ElementType.S64, ElementType.U8);
    return Numbers.like(block, choices.oneOf(types), sizes);
  }

  private static void gatherAlong(Block block, Choices choices) {
    HloInstruction operand = Numbers.any(block, shape -> shape.rank() > 0);
    Dims sizes = choices.chance(2) ? Dims.of(choices.size()) : Dims.of(choices.size(), 2);
    HloInstruction indices = indices(block, choices, sizes);
    int dimension = choices.below(shape(operand).rank());
    block.add(Gather.alongDimension(shape(operand), shape(indices), dimension), operand, indices);
  }

  /** Appends a gather with index vectors for some dimensions in any order and smaller windows. */
  private static Gather any(Choices choices, Shape.Array operand, Shape.Array indices) {
    int rank = operand.rank();
    int vector = (int) indices.size(indices.rank() - 1);
    Dims map = choices.permutation(rank).subList(0, vector);
    Dims window = MoveSteps.smaller(choices, operand.sizes());
    Dims collapsed = Dims.of();
    for (int i = 0; i < rank; i++) {
      if (choices.chance(2) && operand.size(i) > 0) {
        collapsed = collapsed.inserted(collapsed.count(), i);
        window = window.with(i, 1);
      }
    }
    int offsets = rank - collapsed.count();
    int batch = indices.rank() - 1;
    boolean inFront = choices.chance(2);
    Dims offset = inFront ? Dims.range(0, offsets) : Dims.range(batch, batch + offsets);
    return new Gather(
        offset, collapsed, map, Dims.of(), Dims.of(), indices.rank() - 1, window, false);
  }

  private static HloInstruction vectors(Block block, Choices choices, HloInstruction operand) {
    int vector = choices.below(shape(operand).rank() + 1);
    Dims sizes = choices.chance(2) ? Dims.of(choices.size(), vector) : Dims.of(3, 2, vector);
    return indices(block, choices, sizes);
  }

  private static void gather(Block block, Choices choices) {
    HloInstruction operand = Numbers.any(block, shape -> shape.rank() > 0);
    HloInstruction indices = vectors(block, choices, operand);
    block.add(any(choices, shape(operand), shape(indices)), operand, indices);
  }

  /** Appends a scatter that adds, selects, or replaces. */
  private static void scatter(Block block, Choices choices) {
    HloInstruction operand =
        Numbers.any(block, shape -> shape.rank() > 0 && shape.elementCount() < 3000);
    ElementType type = shape(operand).elementType();
    HloInstruction indices = vectors(block, choices, operand);
    Gather gather = any(choices, shape(operand), shape(indices));
    Shape updates = gather.infer(operand.shape(), indices.shape());
    Scatter op =
        new Scatter(
            gather.offsetDims(),
            gather.collapsedSliceDims(),
            gather.startIndexMap(),
            Dims.of(),
            Dims.of(),
            gather.indexVectorDim(),
            false,
            false);
    block.add(
        op,
        List.of(operand, indices, Numbers.like(block, (Shape.Array) updates)),
        List.of(combined(block, choices, type)));
  }

  private static HloComputation combined(Block block, Choices choices, ElementType type) {
    if (choices.chance(2)) {
      return ReduceSteps.body(block, Regions.combining(choices, type), type);
    }
    Block put = block.inner(Numbers.CALLED, List.of(Shape.of(type), Shape.of(type)), 1);
    return put.close(put.instructions().get(1));
  }

  /** Appends a sort of one to three arrays by the first. */
  private static void sort(Block block, Choices choices) {
    HloInstruction keys =
        Numbers.any(
            block,
            shape ->
                shape.rank() > 0
                    && shape.elementCount() < 5000
                    && !shape.elementType().isComplex());
    Shape.Array shape = shape(keys);
    List<HloInstruction> operands = new ArrayList<>(List.of(keys));
    List<Shape> scalars = new ArrayList<>();
    for (int i = choices.below(3); i > 0; i--) {
      operands.add(Numbers.like(block, shape.withElementType(choices.type())));
    }
    for (HloInstruction operand : operands) {
      Shape.Array scalar = Shape.of(shape(operand).elementType());
      scalars.addAll(List.of(scalar, scalar));
    }
    Block comparator = block.inner(Numbers.CALLED, scalars, 1);
    boolean total = shape.elementType().isFloating() && choices.chance(2);
    HloInstruction before =
        comparator.add(
            new Compare(
                choices.chance(2) ? Compare.Direction.LT : Compare.Direction.GT,
                total ? Optional.of(Compare.Type.TOTALORDER) : Optional.empty()),
            comparator.instructions().get(0),
            comparator.instructions().get(1));
    HloInstruction result =
        block.add(
            new Sort(choices.below(shape.rank()), true),
            operands,
            List.of(comparator.close(before)));
    if (operands.size() > 1) {
      ControlSteps.takeApart(block, result);
    }
  }

  private static void topk(Block block, Choices choices) {
    HloInstruction operand =
        Numbers.any(
            block,
            shape ->
                shape.rank() > 0
                    && shape.size(shape.rank() - 1) > 0
                    && !shape.elementType().isComplex());
    long size = shape(operand).size(shape(operand).rank() - 1);
    HloInstruction result =
        block.add(new Topk(1 + choices.below((int) size), choices.chance(2)), operand);
    ControlSteps.takeApart(block, result);
  }
}
