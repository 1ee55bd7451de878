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
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Elementwise.Kind;
import org.hlo4j.hlo.op.Iota;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.hlo.op.ReduceWindow;
import org.hlo4j.hlo.op.Scan;
import org.hlo4j.hlo.op.Select;
import org.hlo4j.hlo.op.SelectAndScatter;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.hlo.op.Window;

/** Steps that reduce many elements into one. */
final class ReduceSteps {
  static final ImmutableList<Step> ALL =
      ImmutableList.of(
          ReduceSteps::reduce,
          ReduceSteps::reduce,
          ReduceSteps::reduce,
          ReduceSteps::reduceTwo,
          ReduceSteps::argMax,
          ReduceSteps::reduceWindow,
          ReduceSteps::cumulative,
          ReduceSteps::selectAndScatter,
          ReduceSteps::scan);

  private ReduceSteps() {}

  private static Shape.Array shape(HloInstruction instruction) {
    return (Shape.Array) instruction.shape();
  }

  private static HloInstruction initial(Block block, Choices choices, ElementType type) {
    return choices.chance(2)
        ? Numbers.like(block, Shape.of(type))
        : block.scalar(choices.neutral(type));
  }

  /** Returns a reducer of two scalars, with the operands in either order. */
  static HloComputation body(Block block, Kind kind, ElementType type) {
    Block body = block.inner(Numbers.CALLED, List.of(Shape.of(type), Shape.of(type)), 1);
    int first = block.choices.chance(4) ? 1 : 0;
    return body.close(
        body.add(
            new Elementwise(kind),
            body.instructions().get(first),
            body.instructions().get(1 - first)));
  }

  private static void reduce(Block block, Choices choices) {
    HloInstruction operand = Numbers.any(block, shape -> shape.rank() > 0);
    Kind kind = Regions.combining(choices, shape(operand).elementType());
    reduce(block, kind, operand, Numbers.subset(choices, shape(operand).rank()));
  }

  /** Appends a reduction by one function. */
  static void reduce(Block block, Kind kind, HloInstruction operand, Dims dimensions) {
    ElementType type = shape(operand).elementType();
    block.add(
        new Reduce(dimensions),
        List.of(operand, initial(block, block.choices, type)),
        List.of(body(block, kind, type)));
  }

  /** Appends a reduction with two operands. */
  private static void reduceTwo(Block block, Choices choices) {
    HloInstruction operand = Numbers.any(block, shape -> shape.rank() > 0);
    ElementType type = shape(operand).elementType();
    ElementType any = choices.type();
    ElementType other = any.isFloating() && type.isFloating() ? type : any;
    Block body =
        block.inner(
            Numbers.CALLED,
            List.of(Shape.of(type), Shape.of(other), Shape.of(type), Shape.of(other)),
            1);
    List<Kind> kinds = List.of(Regions.combining(choices, type), Regions.combining(choices, other));
    List<HloInstruction> parts = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      Kind kind = kinds.get(i);
      parts.add(
          body.add(
              new Elementwise(kind), body.instructions().get(i), body.instructions().get(i + 2)));
    }
    HloComputation both = body.close(body.add(new Tuple(), parts, List.of()));
    HloInstruction result =
        block.add(
            new Reduce(Numbers.subset(choices, shape(operand).rank())),
            List.of(
                operand,
                Numbers.like(block, shape(operand).withElementType(other)),
                initial(block, choices, type),
                initial(block, choices, other)),
            List.of(both));
    ControlSteps.takeApart(block, result);
  }

  /** Appends an argmax in the form that JAX emits. */
  private static void argMax(Block block, Choices choices) {
    HloInstruction operand =
        Numbers.any(block, shape -> shape.rank() > 0 && !shape.elementType().isComplex());
    ElementType type = shape(operand).elementType();
    int dimension = choices.below(shape(operand).rank());
    Shape.Array value = Shape.of(type);
    Shape.Array index = Shape.of(ElementType.S32);
    Block body = block.inner(Numbers.CALLED, List.of(value, index, value, index), 1);
    HloInstruction greater = compare(body, Compare.Direction.GT, 0, 2);
    HloInstruction equal = compare(body, Compare.Direction.EQ, 0, 2);
    HloInstruction earlier = compare(body, Compare.Direction.LT, 1, 3);
    HloInstruction tie = body.add(new Elementwise(Kind.AND), equal, earlier);
    HloInstruction first = body.add(new Elementwise(Kind.OR), greater, tie);
    HloInstruction best =
        body.add(new Select(), greater, body.instructions().get(0), body.instructions().get(2));
    HloInstruction place =
        body.add(new Select(), first, body.instructions().get(1), body.instructions().get(3));
    HloComputation choice = body.close(body.add(new Tuple(), List.of(best, place), List.of()));
    HloInstruction numbers =
        block.add(
            new Iota(
                (Shape.Array) shape(operand).withElementType(ElementType.S32).withoutLayout(),
                dimension));
    HloInstruction result =
        block.add(
            new Reduce(Dims.of(dimension)),
            List.of(
                operand,
                numbers,
                initial(block, choices, type),
                initial(block, choices, ElementType.S32)),
            List.of(choice));
    ControlSteps.takeApart(block, result);
  }

  private static HloInstruction compare(Block body, Compare.Direction direction, int a, int b) {
    return body.add(
        new Compare(direction, Optional.empty()),
        body.instructions().get(a),
        body.instructions().get(b));
  }

  /** Returns a window that fits, sometimes with strides, padding and dilation. */
  private static Window window(Choices choices, Dims sizes, boolean dilated) {
    long[] size = new long[sizes.count()];
    long[] stride = new long[size.length];
    long[] dilation = new long[size.length];
    Dims low = Dims.filled(size.length, 0);
    for (int i = 0; i < size.length; i++) {
      size[i] = 1L + choices.below(Math.clamp(sizes.get(i), 1, 4));
      stride[i] = 1L + choices.below(2);
      dilation[i] = dilated && choices.chance(4) ? 2 : 1;
      low = low.with(i, choices.below((int) size[i]));
    }
    return Window.of(size)
        .withStrides(stride)
        .withPadding(low, choices.chance(2) ? low : Dims.filled(size.length, 0))
        .withWindowDilation(dilation);
  }

  private static void reduceWindow(Block block, Choices choices) {
    HloInstruction operand =
        Numbers.any(block, shape -> shape.rank() > 0 && shape.elementCount() < 3000);
    ElementType type = shape(operand).elementType();
    Window window = window(choices, shape(operand).sizes(), true);
    long[] base = Dims.filled(shape(operand).rank(), 1).toArray();
    base[choices.below(base.length)] = choices.chance(5) ? 2 : 1;
    Kind kind = Regions.combining(choices, type);
    block.add(
        new ReduceWindow(window.withBaseDilation(base)),
        List.of(operand, initial(block, choices, type)),
        List.of(body(block, kind, type)));
  }

  /** Appends a cumulative reduce-window, whose window covers all preceding elements. */
  private static void cumulative(Block block, Choices choices) {
    HloInstruction operand =
        Numbers.any(
            block,
            shape -> shape.rank() > 0 && shape.elementCount() > 0 && shape.elementCount() < 600);
    ElementType type = shape(operand).elementType();
    Dims one = Dims.filled(shape(operand).rank(), 1);
    int dimension = choices.below(one.count());
    long size = shape(operand).size(dimension);
    Dims none = Dims.filled(one.count(), 0);
    Dims before = none.with(dimension, size - 1);
    boolean isReverse = choices.chance(3);
    Window window =
        Window.of(one.with(dimension, size))
            .withPadding(isReverse ? none : before, isReverse ? before : none);
    Kind kind = Regions.combining(choices, type);
    block.add(
        new ReduceWindow(window),
        List.of(operand, initial(block, choices, type)),
        List.of(body(block, kind, type)));
  }

  private static void selectAndScatter(Block block, Choices choices) {
    HloInstruction operand =
        Numbers.any(
            block,
            shape ->
                shape.rank() > 0
                    && shape.elementCount() < 2000
                    && !shape.elementType().isComplex());
    ElementType type = shape(operand).elementType();
    Window window = window(choices, shape(operand).sizes(), false);
    Block select = block.inner(Numbers.CALLED, List.of(Shape.of(type), Shape.of(type)), 1);
    boolean greatest = choices.chance(2);
    HloComputation choice =
        select.close(compare(select, greatest ? Compare.Direction.GE : Compare.Direction.LE, 0, 1));
    Dims places = window.outputSizes(shape(operand).sizes());
    Kind kind = Regions.combining(choices, type);
    block.add(
        new SelectAndScatter(window),
        List.of(operand, Numbers.like(block, type, places), initial(block, choices, type)),
        List.of(choice, body(block, kind, type)));
  }

  /** Appends a prefix sum by the scan op. */
  private static void scan(Block block, Choices choices) {
    HloInstruction operand =
        Numbers.any(block, shape -> shape.rank() == 1 && shape.elementCount() < 300);
    ElementType type = shape(operand).elementType();
    Block body = block.inner(Numbers.CALLED, List.of(Shape.of(type), Shape.of(type)), 1);
    Kind kind = Regions.combining(choices, type);
    HloInstruction total =
        body.add(new Elementwise(kind), body.instructions().get(0), body.instructions().get(1));
    HloComputation step = body.close(body.add(new Tuple(), List.of(total, total), List.of()));
    HloInstruction result =
        block.add(
            new Scan(Dims.of(0), 1, choices.chance(2), false),
            List.of(operand, initial(block, choices, type)),
            List.of(step));
    ControlSteps.takeApart(block, result);
  }
}
