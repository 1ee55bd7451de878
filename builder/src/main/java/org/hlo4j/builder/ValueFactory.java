package org.hlo4j.builder;

import java.util.Arrays;
import java.util.List;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Iota;
import org.hlo4j.hlo.op.Tuple;

/** The ops of a builder that do not compute on arrays: constants, iota and tuples. */
abstract class ValueFactory extends IndexingFactory {
  /**
   * Returns a value written into the program. An array of more than one element, all the same,
   * becomes a scalar constant and a broadcast, as in XLA.
   *
   * @param literal the value
   * @return the constant
   */
  public XlaOp constant(Literal literal) {
    return guarded(
        List.of(),
        () -> {
          requireGiven("constant", literal, "literal");
          return UniformLiterals.isUniform(literal)
              ? repeated(UniformLiterals.first(literal), literal.arrayShape())
              : appendConstant(literal);
        });
  }

  /**
   * Returns a scalar or an array from Java: {@code constant(2f)}, {@code constant(new int[] {1,
   * 2})}, {@code constant(new float[][] {{1, 2}, {3, 4}})}, nested to any rank. The element type is
   * that of {@link Literal#of(Object)}.
   *
   * @param value a boxed scalar or a nested array of a primitive type
   * @return the constant
   * @throws HloException if the array is ragged, or has null in it
   */
  public XlaOp constant(Object value) {
    return guarded(List.of(), () -> constant(value instanceof Literal l ? l : Literal.of(value)));
  }

  /**
   * Returns a scalar or an array from Java, as an element type of choice.
   *
   * @param elementType the element type
   * @param value a boxed scalar or a nested array of a primitive type, see {@link
   *     Literal#of(ElementType, Object)}
   * @return the constant
   * @throws HloException if the array is ragged, or a value does not fit the type
   */
  public XlaOp constant(ElementType elementType, Object value) {
    return guarded(List.of(), () -> constant(Literal.of(elementType, value)));
  }

  /**
   * Returns an array with the same value everywhere: a scalar constant and a broadcast.
   *
   * @param shape the shape, static
   * @param value a {@code Boolean} or a {@code Number}
   * @return the array
   * @throws HloException if the value does not fit the element type
   */
  public XlaOp full(Shape.Array shape, Object value) {
    return guarded(
        List.of(), () -> repeated(Literal.full(Shape.of(shape.elementType()), value), shape));
  }

  /**
   * Returns an array of zeros, or of false.
   *
   * @param shape the shape, static
   * @return the array
   */
  public XlaOp zeros(Shape.Array shape) {
    return guarded(List.of(), () -> repeated(Literal.zeros(Shape.of(shape.elementType())), shape));
  }

  private XlaOp repeated(Literal scalar, Shape.Array shape) {
    XlaOp constant = appendConstant(scalar);
    Shape.Array result = Shape.of(shape.elementType(), shape.sizes());
    return shape.isScalar()
        ? constant
        : append(new Broadcast(result, Dims.of()), List.of(constant), List.of());
  }

  private XlaOp appendConstant(Literal literal) {
    return append(new Constant(literal), List.of(), List.of());
  }

  /**
   * Numbers counting up along a dimension: {@code result[..., i, ...] = i}.
   *
   * @param shape the shape, static, rank 1 at least, not pred
   * @param iotaDimension the dimension along which to count
   * @return the array
   * @throws HloException if there is no such dimension, or the type is pred
   */
  public XlaOp iota(Shape.Array shape, int iotaDimension) {
    return apply(new Iota((Shape.Array) shape.withoutLayout(), iotaDimension), List.of());
  }

  /**
   * Returns the numbers from 0 on.
   *
   * @param elementType the element type, not pred
   * @param size how many
   * @return the vector
   */
  public XlaOp iota(ElementType elementType, long size) {
    return guarded(List.of(), () -> iota(Shape.of(elementType, size), 0));
  }

  /**
   * Returns a tuple of values.
   *
   * @param elements the values, maybe none
   * @return the tuple
   */
  public XlaOp tuple(XlaOp... elements) {
    return tuple(Arrays.asList(elements));
  }

  /**
   * Returns a tuple of values.
   *
   * @param elements the values, maybe none
   * @return the tuple
   */
  public XlaOp tuple(List<XlaOp> elements) {
    return apply(new Tuple(), elements);
  }
}
