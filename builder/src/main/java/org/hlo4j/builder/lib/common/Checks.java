package org.hlo4j.builder.lib.common;

import com.google.errorprone.annotations.FormatMethod;
import com.google.errorprone.annotations.FormatString;
import java.util.Arrays;
import java.util.Locale;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.jspecify.annotations.Nullable;

/** The operand checks that the library's functions share. */
public final class Checks {
  private Checks() {}

  /**
   * Throws if a condition does not hold, with the line of the calling program.
   *
   * @param holds the condition
   * @param label the label of the rule
   * @param format the message
   * @param arguments the arguments of the message
   */
  @FormatMethod
  public static void require(
      boolean holds, String label, @FormatString String format, @Nullable Object... arguments) {
    if (!holds) {
      throw XlaBuilder.located(
          new HloException(label, String.format(Locale.ROOT, format, arguments)));
    }
  }

  /**
   * Throws unless the elements of an array are integers; the refusal offers a conversion.
   *
   * @param function the name of the calling function
   * @param name the name of the operand
   * @param operand the operand, an array
   */
  public static void requireIntegers(String function, String name, XlaOp operand) {
    Shape.Array shape = operand.arrayShape();
    if (!shape.elementType().isIntegral()) {
      throw XlaBuilder.located(
          new HloException("", function + ": " + name + " got " + shape + ", want integers")
              .with("fits", "fits: " + operand.name() + ".convertElementType(S32)"));
    }
  }

  /**
   * Returns the shape of an operand that must be an array of static sizes.
   *
   * @param function the name of the calling function
   * @param name the name of the operand
   * @param operand the operand
   * @return the shape
   */
  public static Shape.Array array(String function, String name, XlaOp operand) {
    require(operand != null, "", "%s: %s is null, want an array", function, name);
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
   * Returns the shape of an operand whose last two dimensions must be matrices.
   *
   * @param function the name of the calling function
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
   * Returns the shape of matrices whose element type must be supported by the linear algebra
   * functions.
   *
   * @param function the name of the calling function
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
   * Returns the shape of matrices that must be square.
   *
   * @param function the name of the calling function
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
   * @param function the name of the calling function
   * @param name the name of the operand
   * @param operand the operand
   * @param want the shape it must have
   */
  public static void requireShape(String function, String name, XlaOp operand, Shape.Array want) {
    Shape.Array shape = array(function, name, operand);
    require(shape.compatible(want), "", "%s: %s got %s, want %s", function, name, shape, want);
  }

  /**
   * Throws if a number is not a dimension of a shape.
   *
   * @param function the name of the calling function
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
   * Normalizes a dimension that may be counted from the end, where -1 is the last.
   *
   * @param function the name of the calling function
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
   * Normalizes dimensions that may be counted from the end, and sorts them.
   *
   * @param function the name of the calling function
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
   * Returns the number of rows of matrices.
   *
   * @param shape a shape
   * @return the number of rows
   */
  public static long rows(Shape.Array shape) {
    return shape.size(shape.rank() - 2);
  }

  /**
   * Returns the number of columns of matrices.
   *
   * @param shape a shape
   * @return the number of columns
   */
  public static long columns(Shape.Array shape) {
    return shape.size(shape.rank() - 1);
  }

  /**
   * Returns the sizes of all dimensions but the last ones.
   *
   * @param shape a shape
   * @param minor the number of last dimensions to omit
   * @return the sizes
   */
  public static Dims batch(Shape.Array shape, int minor) {
    return shape.sizes().subList(0, shape.rank() - minor);
  }
}
