package org.hlo4j.builder.lib;

import static org.hlo4j.builder.lib.common.Checks.require;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.builder.lib.common.Checks;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.GetDimensionSize;

/** Ops on arrays with dynamic sizes, which have a bound and are known only at run time. */
public final class DynamicShapes {
  private DynamicShapes() {}

  /**
   * Runs one of two computations, whose results may differ in sizes, but not in rank: dimensions
   * with different sizes are dynamic in the result, bounded by the larger size.
   *
   * @param builder the builder
   * @param predicate a pred scalar
   * @param trueOperand what onTrue takes
   * @param onTrue what is run if it holds
   * @param falseOperand what onFalse takes
   * @param onFalse what is run if not
   * @return the result of the one that is run
   * @throws HloException if the results differ in more than sizes
   */
  public static XlaOp dynamicConditional(
      XlaBuilder builder,
      XlaOp predicate,
      XlaOp trueOperand,
      UnaryOperator<XlaOp> onTrue,
      XlaOp falseOperand,
      UnaryOperator<XlaOp> onFalse) {
    List<XlaOp> operands = Arrays.asList(trueOperand, falseOperand);
    List<HloComputation> branches = alike(builder, Arrays.asList(onTrue, onFalse), operands);
    return builder.conditional(
        predicate, trueOperand, branches.get(0), falseOperand, branches.get(1));
  }

  /**
   * Runs one of several computations, selected by an index, whose results may differ in sizes.
   *
   * @param builder the builder
   * @param branchIndex an s32 scalar; an index out of range selects the last
   * @param branches what may be run, one at least
   * @param operands what each takes
   * @return the result of the one that is run
   * @throws HloException if the results differ in more than sizes, or counts differ
   */
  public static XlaOp dynamicConditional(
      XlaBuilder builder,
      XlaOp branchIndex,
      List<UnaryOperator<XlaOp>> branches,
      List<XlaOp> operands) {
    require(
        !branches.isEmpty() && branches.size() == operands.size(),
        "",
        "dynamicConditional: got %s branches and %s operands, want one at least and as many",
        branches.size(),
        operands.size());
    return builder.conditionalCalls(branchIndex, alike(builder, branches, operands), operands);
  }

  /** Returns the branches with results of one common shape. */
  private static List<HloComputation> alike(
      XlaBuilder builder, List<UnaryOperator<XlaOp>> branches, List<XlaOp> operands) {
    List<HloComputation> plain = new ArrayList<>();
    for (int i = 0; i < branches.size(); i++) {
      UnaryOperator<XlaOp> branch = branches.get(i);
      require(
          branch != null && operands.get(i) != null,
          "",
          "dynamicConditional: branch %s or its operand is null",
          i);
      List<Shape> parameters = List.of(operands.get(i).shape());
      plain.add(builder.computation("branch", parameters, (b, p) -> branch.apply(p.get(0))));
    }
    Shape widest = plain.get(0).root().shape();
    for (HloComputation branch : plain) {
      widest = widest(widest, branch.root().shape());
    }
    Shape result = widest;
    return IntStream.range(0, plain.size())
        .mapToObj(i ->
            plain.get(i).root().shape().compatible(result)
                ? plain.get(i)
                : builder.computation(
                    "widened",
                    List.of(operands.get(i).shape()),
                    (b, p) -> widened(b.call(plain.get(i), p.get(0)), result)))
        .toList();
  }

  private static Shape widest(Shape one, Shape other) {
    if (one instanceof Shape.Tuple a && other instanceof Shape.Tuple b) {
      requireAlike(a.elements().size() == b.elements().size(), one, other);
      return new Shape.Tuple(
          IntStream.range(0, a.elements().size())
              .mapToObj(i -> widest(a.elements().get(i), b.elements().get(i)))
              .collect(ImmutableList.toImmutableList()));
    }
    if (one instanceof Shape.Array a && other instanceof Shape.Array b) {
      requireAlike(
          a.rank() == b.rank() && a.elementType() == b.elementType() && isBounded(a, b),
          one,
          other);
      return widest(a, b);
    }
    requireAlike(one.compatible(other), one, other);
    return one;
  }

  private static boolean isBounded(Shape.Array one, Shape.Array other) {
    return !one.hasUnbounded() && !other.hasUnbounded();
  }

  private static void requireAlike(boolean holds, Shape one, Shape other) {
    require(
        holds,
        "",
        "dynamicConditional: branches got %s and %s, want them to differ in bounded sizes only",
        one,
        other);
  }

  private static Shape.Array widest(Shape.Array one, Shape.Array other) {
    Dims sizes = one.sizes();
    List<Integer> dynamic = new ArrayList<>();
    for (int i = 0; i < one.rank(); i++) {
      sizes = sizes.with(i, Math.max(one.size(i), other.size(i)));
      if (one.isDynamic(i) || other.isDynamic(i) || one.size(i) != other.size(i)) {
        dynamic.add(i);
      }
    }
    return one.withSizes(sizes).withDynamic(dynamic);
  }

  private static XlaOp widened(XlaOp op, Shape wanted) {
    if (wanted instanceof Shape.Tuple tuple) {
      return op.builder()
          .tuple(
              IntStream.range(0, tuple.elements().size())
                  .mapToObj(i -> widened(op.getTupleElement(i), tuple.elements().get(i)))
                  .toList());
    }
    return wanted instanceof Shape.Array array ? widenedArray(op, array) : op;
  }

  private static XlaOp widenedArray(XlaOp op, Shape.Array wanted) {
    XlaOp result = op;
    for (int i = 0; i < wanted.rank(); i++) {
      Shape.Array shape = result.arrayShape();
      if (shape.size(i) != wanted.size(i) || shape.isDynamic(i) != wanted.isDynamic(i)) {
        XlaOp size = result.getDimensionSize(i);
        XlaOp still = shape.isDynamic(i) ? result.removeDynamicDimension(i) : result;
        XlaOp zero = op.builder().zeros(Shape.of(wanted.elementType()));
        XlaOp padded = still.padInDim(zero, i, 0, wanted.size(i) - shape.size(i));
        // A sum, since a constant of the static size would leave the dimension static.
        result = padded.setDimensionSize(size.add(size.zerosLike()), i);
      }
    }
    return result;
  }

  /**
   * Makes a dimension dynamic and sets its size. Elements beyond an upper bound of the size are
   * removed first, if a bound can be derived: from constants, dimension sizes and the minimum of
   * two values. A constant size keeps the dimension static.
   *
   * @param operand an array
   * @param dimensionSize the size, s32[]
   * @param dimension the dimension
   * @return the op
   * @throws HloException if there is no such dimension, or the size is no s32 scalar
   */
  public static XlaOp setDimensionSizeWithRebound(
      XlaOp operand, XlaOp dimensionSize, int dimension) {
    String function = "setDimensionSizeWithRebound";
    require(operand != null, "", "%s: operand is null, want an array", function);
    Shape.Array shape = operand.arrayShape();
    Checks.requireDimension(function, shape, dimension);
    Checks.requireShape(function, "size", dimensionSize, Shape.of(ElementType.S32));
    OptionalLong bound = upperBound(dimensionSize.instruction());
    require(bound.orElse(0) >= 0, "", "%s: size got at most %s, want 0", function, bound.orElse(0));
    boolean cuts = bound.isPresent() && bound.getAsLong() < shape.size(dimension);
    XlaOp cut = cuts ? operand.sliceInDim(0, bound.getAsLong(), 1, dimension) : operand;
    return dimensionSize.instruction().op() instanceof Constant && cuts
        ? cut
        : cut.setDimensionSize(dimensionSize, dimension);
  }

  /** Returns an upper bound of an s32 scalar, if one can be derived. */
  private static OptionalLong upperBound(HloInstruction size) {
    return switch (size.op()) {
      case Constant constant when constant.literal().elementType().isIntegral() ->
          OptionalLong.of(constant.literal().longAt(0));
      case GetDimensionSize of ->
          bound((Shape.Array) size.operands().get(0).shape(), of.dimensions().getInt(0));
      case Elementwise e when e.kind() == Elementwise.Kind.MINIMUM ->
          size.operands().stream()
              .map(DynamicShapes::upperBound)
              .flatMapToLong(OptionalLong::stream)
              .min();
      default -> OptionalLong.empty();
    };
  }

  private static OptionalLong bound(Shape.Array shape, int dimension) {
    return shape.isUnbounded(dimension)
        ? OptionalLong.empty()
        : OptionalLong.of(shape.size(dimension));
  }

  /**
   * Makes each dimension dynamic, with sizes from a vector; a constant vector keeps the dimensions
   * static.
   *
   * @param operand an array
   * @param sizeVector the sizes, s32, as many as dimensions
   * @return the op
   * @throws HloException if the vector is of another shape
   */
  public static XlaOp setAllDimensionSizes(XlaOp operand, XlaOp sizeVector) {
    require(operand != null, "", "setAllDimensionSizes: operand is null, want an array");
    Shape.Array shape = operand.arrayShape();
    Checks.requireShape(
        "setAllDimensionSizes", "sizes", sizeVector, Shape.of(ElementType.S32, shape.rank()));
    XlaOp result = operand;
    for (int i = 0; i < shape.rank(); i++) {
      XlaOp size =
          sizeVector.instruction().op() instanceof Constant constant
              ? operand.builder().constant((int) constant.literal().longAt(i))
              : sizeVector.sliceInDim(i, i + 1L, 1, 0).reshape();
      result = setDimensionSizeWithRebound(result, size, i);
    }
    return result;
  }
}
