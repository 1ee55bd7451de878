package org.hlo4j.builder.lib.nn;

import static org.hlo4j.builder.lib.common.Checks.require;
import static org.hlo4j.hlo.ElementType.F32;

import java.util.List;
import java.util.function.BinaryOperator;
import java.util.function.UnaryOperator;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.builder.lib.Arithmetic;
import org.hlo4j.builder.lib.Constants;
import org.hlo4j.builder.lib.common.Checks;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;

/**
 * Sums, means and other reductions along dimensions, as in {@code jax.numpy}.
 *
 * <p>Where no dimension is given all are reduced. Dimensions may be counted from the end: -1 is the
 * last. They are not in the result; to broadcast the result to the operand again, {@code
 * x.sub(mean(x, 1), broadcastDimensions(0))} gives the dimensions that are left.
 */
public final class Reductions {
  private Reductions() {}

  /**
   * Returns the sum. Floats narrower than f32 are added in f32 and rounded once.
   *
   * @param x an array; of pred, whether any element holds
   * @param dimensions the dimensions to reduce; none for all
   * @return the op, of the dimensions left
   * @throws HloException if x is not an array, or there is no such dimension
   */
  public static XlaOp sum(XlaOp x, int... dimensions) {
    Dims reduced = reduced("sum", x, dimensions);
    return wide(x, v -> reduce(v, Constants.zero(v.builder(), type(v)), XlaOp::add, reduced));
  }

  /**
   * Returns the largest element, NaN if there is one; minus infinity or the smallest value for no
   * elements.
   *
   * @param x an array, not complex
   * @param dimensions the dimensions to reduce; none for all
   * @return the op, of the dimensions left
   * @throws HloException if x is complex or not an array, or there is no such dimension
   */
  public static XlaOp max(XlaOp x, int... dimensions) {
    Dims reduced = reduced("max", x, dimensions);
    return reduce(x, Constants.minValue(x.builder(), type(x)), XlaOp::max, reduced);
  }

  /**
   * Returns the smallest element, NaN if there is one; infinity or the largest value for no
   * elements.
   *
   * @param x an array, not complex
   * @param dimensions the dimensions to reduce; none for all
   * @return the op, of the dimensions left
   * @throws HloException if x is complex or not an array, or there is no such dimension
   */
  public static XlaOp min(XlaOp x, int... dimensions) {
    Dims reduced = reduced("min", x, dimensions);
    return reduce(x, Constants.maxValue(x.builder(), type(x)), XlaOp::min, reduced);
  }

  /**
   * Returns the sum divided by the count; NaN for no elements. Computed in f32 for narrower floats,
   * and rounded once.
   *
   * @param x an array of floats
   * @param dimensions the dimensions to reduce; none for all
   * @return the op, of the dimensions left
   * @throws HloException if x is not an array of floats, or there is no such dimension
   */
  public static XlaOp mean(XlaOp x, int... dimensions) {
    requireFloats("mean", x);
    Dims reduced = reduced("mean", x, dimensions);
    return wide(x, v -> mean(v, reduced));
  }

  /**
   * Returns the mean of the squared distances from the mean; the divisor is the count and not the
   * count minus one, as in {@code jax.numpy.var}. Computed in f32 for narrower floats, and rounded
   * once.
   *
   * @param x an array of floats
   * @param dimensions the dimensions to reduce; none for all
   * @return the op, of the dimensions left
   * @throws HloException if x is not an array of floats, or there is no such dimension
   */
  public static XlaOp variance(XlaOp x, int... dimensions) {
    requireFloats("variance", x);
    Dims reduced = reduced("variance", x, dimensions);
    return wide(
        x,
        v -> {
          XlaOp centred = v.sub(mean(v, reduced), kept(v, reduced));
          return mean(centred.mul(centred), reduced);
        });
  }

  /**
   * log(sum(exp(x))) without overflow: the largest element is subtracted before and added after.
   *
   * @param x an array of floats
   * @param dimensions the dimensions to reduce; none for all
   * @return the op, of the dimensions left
   * @throws HloException if x is not an array of floats, or there is no such dimension
   */
  public static XlaOp logSumExp(XlaOp x, int... dimensions) {
    requireFloats("logSumExp", x);
    Dims reduced = reduced("logSumExp", x, dimensions);
    XlaOp most = reduce(x, Constants.minValue(x.builder(), type(x)), XlaOp::max, reduced);
    XlaOp finite = most.isFinite().select(most, 0);
    XlaOp exp = x.sub(finite, kept(x, reduced)).exp();
    return sum(exp, ints(reduced)).log().add(finite);
  }

  /**
   * Returns the index of the largest element along a dimension, in s32: of equal elements that of
   * the first; the first NaN if there is one, unlike {@link Arithmetic#argMax}.
   *
   * @param x an array, not complex
   * @param dimension the dimension along which to look, at least one long
   * @return the op, s32, of the dimensions left
   * @throws HloException if x is complex or not an array, or there is no such dimension
   */
  public static XlaOp argMax(XlaOp x, int dimension) {
    return argBest("argMax", x, dimension, XlaOp::gt);
  }

  /**
   * Returns the index of the smallest element along a dimension, in s32: of equal elements that of
   * the first; the first NaN if there is one, unlike {@link Arithmetic#argMin}.
   *
   * @param x an array, not complex
   * @param dimension the dimension along which to look, at least one long
   * @return the op, s32, of the dimensions left
   * @throws HloException if x is complex or not an array, or there is no such dimension
   */
  public static XlaOp argMin(XlaOp x, int dimension) {
    return argBest("argMin", x, dimension, XlaOp::lt);
  }

  private static XlaOp argBest(
      String function, XlaOp x, int dimension, BinaryOperator<XlaOp> isBetter) {
    Shape.Array shape = Checks.array(function, "x", x);
    require(!type(x).isComplex(), "", "%s: x got %s, want ordered elements", function, shape);
    int along = Checks.dimension(function, shape, dimension);
    require(
        shape.size(along) > 0 && shape.size(along) < Integer.MAX_VALUE,
        "",
        "%s: x got %s, want an element along dimension %s, and not more than s32 can count",
        function,
        shape,
        along);
    XlaBuilder b = x.builder();
    boolean isMax = function.equals("argMax");
    XlaOp worst = isMax ? Constants.minValue(b, type(x)) : Constants.maxValue(b, type(x));
    XlaOp places = b.iota(Shape.of(ElementType.S32, shape.sizes()), along);
    // An index beyond all others, so that the initial value never wins against an equal element.
    XlaOp beyond = b.constant(Integer.MAX_VALUE);
    return b.reduce(
            List.of(x, places), List.of(worst, beyond), (inner, p) -> better(p, isBetter), along)
        .getTupleElement(1);
  }

  /**
   * Selects one of two values with their indices. The choice does not depend on the order of the
   * two.
   */
  private static XlaOp better(List<XlaOp> p, BinaryOperator<XlaOp> isBetter) {
    XlaOp left = p.get(0);
    XlaOp right = p.get(2);
    XlaOp leftNan = left.ne(left);
    XlaOp rightNan = right.ne(right);
    XlaOp equal = left.eq(right).or(leftNan.and(rightNan));
    XlaOp wins = isBetter.apply(left, right).or(leftNan.and(rightNan.not()));
    XlaOp takeLeft = wins.or(equal.and(p.get(1).lt(p.get(3))));
    return left.builder().tuple(takeLeft.select(left, right), takeLeft.select(p.get(1), p.get(3)));
  }

  static XlaOp mean(XlaOp x, Dims reduced) {
    long count = x.arrayShape().sizes().at(reduced).product();
    XlaOp sum = reduce(x, Constants.zero(x.builder(), type(x)), XlaOp::add, reduced);
    return sum.div(count);
  }

  static XlaOp reduce(XlaOp x, XlaOp init, BinaryOperator<XlaOp> body, Dims reduced) {
    return x.reduce(init, body, reduced.toArray());
  }

  /** Computes floats of fewer bits than f32 in f32, as JAX does, and rounds the result. */
  static XlaOp wide(XlaOp x, UnaryOperator<XlaOp> body) {
    ElementType type = type(x);
    return type.isFloating() && type.bits() < F32.bits()
        ? converted(body.apply(converted(x, F32)), type)
        : body.apply(x);
  }

  /** Converts an array to an element type, without an op if it already has that type. */
  static XlaOp converted(XlaOp x, ElementType type) {
    return type(x) == type ? x : x.convertElementType(type);
  }

  /** Returns the dimensions to reduce, in order; all if none is given. */
  static Dims reduced(String function, XlaOp x, int... dimensions) {
    Shape.Array shape = Checks.array(function, "x", x);
    return dimensions.length == 0
        ? Dims.range(0, shape.rank())
        : Checks.dimensions(function, shape, dimensions);
  }

  /** Returns the dimensions that are left, which map a result to its operand. */
  static Dims kept(XlaOp x, Dims reduced) {
    return Dims.range(0, x.arrayShape().rank()).without(reduced);
  }

  static void requireFloats(String function, XlaOp x) {
    Shape.Array shape = Checks.array(function, "x", x);
    require(
        shape.elementType().isFloating(),
        "",
        "%s: x got %s, want an array of floats, such as x.convertElementType(F32)",
        function,
        shape);
  }

  static ElementType type(XlaOp x) {
    return x.arrayShape().elementType();
  }

  private static int[] ints(Dims dims) {
    return dims.stream().mapToInt(Math::toIntExact).toArray();
  }
}
