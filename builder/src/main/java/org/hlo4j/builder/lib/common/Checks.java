package org.hlo4j.builder.lib.common;

import com.google.errorprone.annotations.FormatMethod;
import com.google.errorprone.annotations.FormatString;
import java.util.Arrays;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.jspecify.annotations.Nullable;

/** What the functions of this package ask of their operands, in one way. */
public final class Checks {
  private Checks() {}

  /**
   * Refuses what does not hold, at the line of the program that is calling.
   *
   * @param holds whether it holds
   * @param label the label of the rule
   * @param format the message
   * @param arguments what stands in the message
   */
  @FormatMethod
  public static void require(
      boolean holds, String label, @FormatString String format, @Nullable Object... arguments) {
    if (!holds) {
      throw XlaBuilder.located(new HloException(label, String.format(format, arguments)));
    }
  }

  /**
   * The shape of an operand that must be an array of static sizes.
   *
   * @param function the name of the function that asks
   * @param name the name of the operand
   * @param operand the operand
   * @return the shape
   */
  public static Shape.Array array(String function, String name, XlaOp operand) {
    require(operand != null, "", "%s: %s got null, want an array", function, name);
    Shape shape = operand.shape();
    require(
        shape instanceof Shape.Array && !shape.isDynamic(),
        "",
        "%s: %s got %s, want an array of static sizes",
        function,
        name,
        shape);
    return (Shape.Array) shape;
  }

  /**
   * The shape of an operand that must hold matrices in its last two dimensions.
   *
   * @param function the name of the function that asks
   * @param name the name of the operand
   * @param operand the operand
   * @return the shape
   */
  public static Shape.Array matrices(String function, String name, XlaOp operand) {
    Shape.Array shape = array(function, name, operand);
    require(
        shape.rank() >= 2,
        "",
        "%s: %s got %s, want rank 2 at least: matrices in the last two dimensions",
        function,
        name,
        shape);
    return shape;
  }

  /**
   * The shape of matrices that must be of a type that linear algebra is done in.
   *
   * @param function the name of the function that asks
   * @param name the name of the operand
   * @param operand the operand
   * @return the shape
   */
  public static Shape.Array numberMatrices(String function, String name, XlaOp operand) {
    Shape.Array shape = matrices(function, name, operand);
    ElementType part = shape.elementType().componentType();
    require(
        part == ElementType.F32 || part == ElementType.F64,
        "",
        "%s: %s got %s, want f32, f64, c64 or c128",
        function,
        name,
        shape);
    require(
        rows(shape) <= Integer.MAX_VALUE && columns(shape) <= Integer.MAX_VALUE,
        "",
        "%s: %s got %s, want rows and columns that s32 can count",
        function,
        name,
        shape);
    return shape;
  }

  /**
   * The shape of matrices that must be square.
   *
   * @param function the name of the function that asks
   * @param name the name of the operand
   * @param operand the operand
   * @return the shape
   */
  public static Shape.Array squareMatrices(String function, String name, XlaOp operand) {
    Shape.Array shape = numberMatrices(function, name, operand);
    require(
        rows(shape) == columns(shape),
        "",
        "%s: %s got %s, want the last two sizes equal",
        function,
        name,
        shape);
    return shape;
  }

  /**
   * Refuses an operand of another shape.
   *
   * @param function the name of the function that asks
   * @param name the name of the operand
   * @param operand the operand
   * @param want the shape it must have
   */
  public static void requireShape(String function, String name, XlaOp operand, Shape.Array want) {
    Shape.Array shape = array(function, name, operand);
    require(shape.compatible(want), "", "%s: %s got %s, want %s", function, name, shape, want);
  }

  /**
   * Refuses what is no dimension of a shape.
   *
   * @param function the name of the function that asks
   * @param shape a shape
   * @param dimension the dimension
   */
  public static void requireDimension(String function, Shape.Array shape, int dimension) {
    try {
      HloException.requireDimension(
          dimension,
          shape.rank(),
          "",
          "%s: dimension got %s, want one of %s",
          function,
          dimension,
          shape);
    } catch (HloException refusal) {
      throw XlaBuilder.located(refusal);
    }
  }

  /**
   * A dimension that may be counted from the end, of which -1 is the last.
   *
   * @param function the name of the function that asks
   * @param shape a shape
   * @param dimension the dimension
   * @return the dimension counted from 0
   */
  public static int dimension(String function, Shape.Array shape, int dimension) {
    int rank = shape.rank();
    require(
        dimension >= -rank && dimension < rank,
        "",
        "%s: dimension got %s, want one of %s",
        function,
        dimension,
        shape);
    return dimension < 0 ? dimension + rank : dimension;
  }

  /**
   * Dimensions that may be counted from the end, in increasing order.
   *
   * @param function the name of the function that asks
   * @param shape a shape
   * @param dimensions the dimensions, none of them twice
   * @return the dimensions counted from 0
   */
  public static Dims dimensions(String function, Shape.Array shape, int... dimensions) {
    Dims counted =
        Dims.of(
            Arrays.stream(dimensions)
                .mapToLong(dimension -> dimension(function, shape, dimension))
                .sorted()
                .toArray());
    require(
        counted.isDistinct(),
        "",
        "%s: dimensions got %s of %s, want none of them twice",
        function,
        Arrays.toString(dimensions),
        shape);
    return counted;
  }

  /**
   * How many rows matrices have.
   *
   * @param shape a shape
   * @return how many rows matrices have
   */
  public static long rows(Shape.Array shape) {
    return shape.size(shape.rank() - 2);
  }

  /**
   * How many columns matrices have.
   *
   * @param shape a shape
   * @return how many columns matrices have
   */
  public static long columns(Shape.Array shape) {
    return shape.size(shape.rank() - 1);
  }

  /**
   * The sizes of all dimensions but the last ones.
   *
   * @param shape a shape
   * @param minor how many dimensions are the last ones
   * @return the sizes of all dimensions but the last ones
   */
  public static Dims batch(Shape.Array shape, int minor) {
    return shape.sizes().subList(0, shape.rank() - minor);
  }
}
