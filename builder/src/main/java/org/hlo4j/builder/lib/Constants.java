package org.hlo4j.builder.lib;

import static org.hlo4j.builder.lib.common.Checks.require;

import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.builder.lib.common.Floats;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;

/**
 * Scalar constants that exist in every element type, as in XLA's {@code lib/constants.h}.
 *
 * <p>Arrays of one value are {@link XlaOp#fullLike}, {@link XlaOp#zerosLike} and {@link
 * XlaBuilder#zeros}; a scalar of a given type is {@link XlaBuilder#constant(ElementType, Object)}.
 */
public final class Constants {
  private Constants() {}

  /**
   * Returns a scalar of the element type of an op.
   *
   * @param prototype an array
   * @param value a {@code Boolean} or a {@code Number}; floats are rounded to the type
   * @return the constant
   * @throws HloException if prototype is not an array, or the value does not fit its element type
   */
  public static XlaOp scalarLike(XlaOp prototype, Object value) {
    return Floats.scalarLike(prototype, value);
  }

  /**
   * 0; of pred false.
   *
   * @param builder the builder of the constant
   * @param type any element type
   * @return the scalar
   */
  public static XlaOp zero(XlaBuilder builder, ElementType type) {
    return builder.zeros(Shape.of(type));
  }

  /**
   * 1; of pred true.
   *
   * @param builder the builder of the constant
   * @param type any element type
   * @return the scalar
   */
  public static XlaOp one(XlaBuilder builder, ElementType type) {
    boolean pred = type == ElementType.PRED;
    return builder.full(Shape.of(type), pred ? (Object) true : (Object) 1);
  }

  /**
   * Returns the machine epsilon: the distance from 1 to the next larger number.
   *
   * @param builder the builder of the constant
   * @param type a float type
   * @return the scalar
   * @throws HloException if the type is not a float
   */
  public static XlaOp epsilon(XlaBuilder builder, ElementType type) {
    requireFloat("epsilon", type);
    return ofFloat(builder, type, Math.scalb(1.0, -type.mantissaBits()));
  }

  /**
   * Returns the smallest value: minus infinity for floats, if the type has it.
   *
   * @param builder the builder of the constant
   * @param type any element type but complex ones
   * @return the scalar
   * @throws HloException if the type is complex
   */
  public static XlaOp minValue(XlaBuilder builder, ElementType type) {
    return type.isFloating() && type.hasInfinity()
        ? ofFloat(builder, type, Double.NEGATIVE_INFINITY)
        : minFiniteValue(builder, type);
  }

  /**
   * Returns the smallest finite value.
   *
   * @param builder the builder of the constant
   * @param type any element type but complex ones
   * @return the scalar
   * @throws HloException if the type is complex
   */
  public static XlaOp minFiniteValue(XlaBuilder builder, ElementType type) {
    return switch (type.kind()) {
      case PRED -> builder.constant(false);
      case SIGNED, UNSIGNED -> ofInteger(builder, type, type.minLong());
      case FLOAT -> ofFloat(builder, type, leastFinite(type));
      case COMPLEX -> throw unordered("minFiniteValue", type);
    };
  }

  /** F8E8M0FNU has only positive numbers, all powers of two. */
  private static double leastFinite(ElementType type) {
    return type.mantissaBits() == 0 ? type.decode(0) : -type.maxFinite();
  }

  /**
   * Returns the smallest positive normal number.
   *
   * @param builder the builder of the constant
   * @param type a float type
   * @return the scalar
   * @throws HloException if the type is not a float
   */
  public static XlaOp minPositiveNormalValue(XlaBuilder builder, ElementType type) {
    requireFloat("minPositiveNormalValue", type);
    boolean hasMantissa = type.mantissaBits() > 0;
    return ofFloat(builder, type, type.decode(hasMantissa ? 1L << type.mantissaBits() : 0));
  }

  /**
   * Returns the largest value: infinity for floats, if the type has it.
   *
   * @param builder the builder of the constant
   * @param type any element type but complex ones
   * @return the scalar
   * @throws HloException if the type is complex
   */
  public static XlaOp maxValue(XlaBuilder builder, ElementType type) {
    return type.isFloating() && type.hasInfinity()
        ? ofFloat(builder, type, Double.POSITIVE_INFINITY)
        : maxFiniteValue(builder, type);
  }

  /**
   * Returns the largest finite value.
   *
   * @param builder the builder of the constant
   * @param type any element type but complex ones
   * @return the scalar
   * @throws HloException if the type is complex
   */
  public static XlaOp maxFiniteValue(XlaBuilder builder, ElementType type) {
    return switch (type.kind()) {
      case PRED -> builder.constant(true);
      case SIGNED, UNSIGNED -> ofInteger(builder, type, type.maxLong());
      case FLOAT -> ofFloat(builder, type, type.maxFinite());
      case COMPLEX -> throw unordered("maxFiniteValue", type);
    };
  }

  /**
   * Not a number.
   *
   * @param builder the builder of the constant
   * @param type a float type that has NaN
   * @return the scalar
   * @throws HloException if the type is not a float, or one without NaN
   */
  public static XlaOp nanValue(XlaBuilder builder, ElementType type) {
    requireFloat("nanValue", type);
    require(type.hasNaN(), "", "nanValue: element type got %s, want one that has NaN", type);
    return ofFloat(builder, type, Double.NaN);
  }

  /**
   * Returns an integer given by its bits, such as an unsigned one for which Java has no type.
   *
   * @param builder the builder of the constant
   * @param type an integer type
   * @param value the bits, of which narrower types use the low ones
   * @return the scalar
   */
  public static XlaOp ofInteger(XlaBuilder builder, ElementType type, long value) {
    LiteralBuilder scalar = new LiteralBuilder(Shape.of(type));
    scalar.setLong(0, value);
    return builder.constant(scalar.build());
  }

  private static XlaOp ofFloat(XlaBuilder builder, ElementType type, double value) {
    LiteralBuilder scalar = new LiteralBuilder(Shape.of(type));
    scalar.setDouble(0, value);
    return builder.constant(scalar.build());
  }

  private static void requireFloat(String function, ElementType type) {
    require(type.isFloating(), "", "%s: element type got %s, want a float", function, type);
  }

  private static HloException unordered(String function, ElementType type) {
    return XlaBuilder.located(
        new HloException(
            "",
            function + ": element type got " + type + ", want one that is ordered, not complex"));
  }
}
