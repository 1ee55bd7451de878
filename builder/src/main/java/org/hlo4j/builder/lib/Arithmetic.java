package org.hlo4j.builder.lib;

import static org.hlo4j.builder.lib.common.Checks.require;

import java.util.List;
import java.util.function.BinaryOperator;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.builder.lib.common.Checks;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;

/**
 * Computations of two scalars for ops that call one, and arg-max and arg-min, as in XLA's {@code
 * lib/arithmetic.h}.
 *
 * <p>For a computation that is used only once, a lambda is equivalent: {@code x.reduce(zero,
 * XlaOp::add, 1)}.
 */
public final class Arithmetic {
  private Arithmetic() {}

  /**
   * Returns a computation of two scalars.
   *
   * @param name its name, to which the element type is added unless it is pred
   * @param type the element type of both
   * @param builder the builder in whose module it is to be called
   * @param generator the body
   * @return the computation
   * @throws HloException if the generator makes a mistake
   */
  public static HloComputation createScalarComputation(
      String name, ElementType type, XlaBuilder builder, BinaryOperator<XlaOp> generator) {
    Shape scalar = Shape.of(type);
    return builder.computation(
        type == ElementType.PRED ? name : name + "_" + type,
        List.of(scalar, scalar),
        (inner, p) -> generator.apply(p.get(0), p.get(1)));
  }

  /**
   * Returns the sum; of pred logical or.
   *
   * @param type any element type
   * @param builder the builder in whose module it is to be called
   * @return the computation
   */
  public static HloComputation createScalarAddComputation(ElementType type, XlaBuilder builder) {
    return createScalarComputation("add", type, builder, XlaOp::add);
  }

  /**
   * Returns the product; of pred logical and.
   *
   * @param type any element type
   * @param builder the builder in whose module it is to be called
   * @return the computation
   */
  public static HloComputation createScalarMultiplyComputation(
      ElementType type, XlaBuilder builder) {
    return createScalarComputation("mul", type, builder, XlaOp::mul);
  }

  /**
   * Returns whether the first is at least the second.
   *
   * @param type any element type but complex ones
   * @param builder the builder in whose module it is to be called
   * @return the computation, to pred
   * @throws HloException if the type is complex
   */
  public static HloComputation createScalarGeComputation(ElementType type, XlaBuilder builder) {
    return createScalarComputation("ge", type, builder, XlaOp::ge);
  }

  /**
   * Returns the greater.
   *
   * @param type any element type
   * @param builder the builder in whose module it is to be called
   * @return the computation
   */
  public static HloComputation createScalarMaxComputation(ElementType type, XlaBuilder builder) {
    return createScalarComputation("max", type, builder, XlaOp::max);
  }

  /**
   * Returns the lesser.
   *
   * @param type any element type
   * @param builder the builder in whose module it is to be called
   * @return the computation
   */
  public static HloComputation createScalarMinComputation(ElementType type, XlaBuilder builder) {
    return createScalarComputation("min", type, builder, XlaOp::min);
  }

  /**
   * Bitwise or logical and.
   *
   * @param type pred or an integer type
   * @param builder the builder in whose module it is to be called
   * @return the computation
   * @throws HloException if the type is a float or complex
   */
  public static HloComputation createScalarAndComputation(ElementType type, XlaBuilder builder) {
    return createScalarComputation("and", type, builder, XlaOp::and);
  }

  /**
   * Bitwise or logical or.
   *
   * @param type pred or an integer type
   * @param builder the builder in whose module it is to be called
   * @return the computation
   * @throws HloException if the type is a float or complex
   */
  public static HloComputation createScalarOrComputation(ElementType type, XlaBuilder builder) {
    return createScalarComputation("or", type, builder, XlaOp::or);
  }

  /**
   * Returns a computation for which zero is the identity: or where the type has it, else the sum.
   *
   * @param type any element type
   * @param builder the builder in whose module it is to be called
   * @return the computation
   */
  public static HloComputation createScalarIdentityWithZeroComputation(
      ElementType type, XlaBuilder builder) {
    return type.isIntegral() || type == ElementType.PRED
        ? createScalarOrComputation(type, builder)
        : createScalarAddComputation(type, builder);
  }

  /**
   * Returns whether any element holds.
   *
   * @param predicates an array of pred
   * @return the op, a scalar
   * @throws HloException if the elements are not pred
   */
  public static XlaOp any(XlaOp predicates) {
    return predicates.reduceAll(predicates.builder().constant(false), XlaOp::or);
  }

  /**
   * Returns the index of the largest element along a dimension; of equal elements that of the
   * first. NaN is ignored unless all elements are NaN.
   *
   * @param input an array, not complex
   * @param outputType the integer type of the result
   * @param dimension the dimension along which to look
   * @return the op, of the dimensions left
   * @throws HloException if the types are others, or there is no such dimension
   */
  public static XlaOp argMax(XlaOp input, ElementType outputType, int dimension) {
    return argMinMax(input, outputType, dimension, false);
  }

  /**
   * Returns the index of the smallest element along a dimension; of equal elements that of the
   * first. NaN is ignored unless all elements are NaN.
   *
   * @param input an array, not complex
   * @param outputType the integer type of the result
   * @param dimension the dimension along which to look
   * @return the op, of the dimensions left
   * @throws HloException if the types are others, or there is no such dimension
   */
  public static XlaOp argMin(XlaOp input, ElementType outputType, int dimension) {
    return argMinMax(input, outputType, dimension, true);
  }

  /**
   * Returns the index of the smallest or largest element along a dimension; of equal elements that
   * of the first; 0 if the dimension is empty, or all elements are NaN.
   *
   * @param input an array, not complex
   * @param outputType the integer type of the result
   * @param dimension the dimension along which to look
   * @param isMin whether to look for the smallest
   * @return the op, of the dimensions left
   * @throws HloException if the types are others, or there is no such dimension
   */
  public static XlaOp argMinMax(XlaOp input, ElementType outputType, int dimension, boolean isMin) {
    String function = isMin ? "argMin" : "argMax";
    Shape.Array shape = input.arrayShape();
    requireTypes(function, shape.elementType(), outputType);
    Checks.requireDimension(function, shape, dimension);
    XlaBuilder b = input.builder();
    ElementType indexType =
        shape.size(dimension) <= Integer.MAX_VALUE ? ElementType.S32 : ElementType.S64;
    XlaOp indices = b.iota(Shape.of(indexType, shape.sizes()), dimension);
    XlaOp worst =
        isMin
            ? Constants.maxValue(b, shape.elementType())
            : Constants.minValue(b, shape.elementType());
    XlaOp found =
        b.reduce(
            List.of(input, indices),
            List.of(worst, Constants.maxValue(b, indexType)),
            (inner, p) -> better(p, isMin),
            dimension);
    // The initial index is beyond all others, so that it never wins against an equal element.
    XlaOp index = found.getTupleElement(1);
    XlaOp none = index.eq(Constants.maxValue(b, indexType));
    XlaOp first = none.select(0, index);
    return indexType == outputType ? first : first.convertElementType(outputType);
  }

  private static void requireTypes(String function, ElementType input, ElementType output) {
    require(
        !input.isComplex(), "", "%s: element type got %s, want an ordered one", function, input);
    require(
        output.isIntegral(), "", "%s: output type got %s, want an integer type", function, output);
  }

  /**
   * Selects one of two values with their indices. The choice does not depend on the order of the
   * two.
   */
  private static XlaOp better(List<XlaOp> p, boolean isMin) {
    XlaOp left = p.get(0);
    XlaOp right = p.get(2);
    XlaOp bothNan = left.ne(left).and(right.ne(right));
    XlaOp equal = left.eq(right).or(bothNan);
    XlaOp wins = isMin ? left.lt(right) : left.gt(right);
    XlaOp rightAloneNan = right.ne(right).and(left.eq(left));
    XlaOp takeLeft = wins.or(rightAloneNan);
    XlaOp index = takeLeft.select(p.get(1), p.get(3));
    return left.builder()
        .tuple(takeLeft.select(left, right), equal.select(p.get(1).min(p.get(3)), index));
  }
}
