package org.hlo4j.builder.lib.linalg;

import static org.hlo4j.builder.XlaOp.broadcastDimensions;

import java.util.List;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.builder.lib.Slicing;
import org.hlo4j.builder.lib.common.Checks;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Dot;

/**
 * Batches of matrices, {@code [b, m, n]}, and of vectors, {@code [b, n]}, with a single batch
 * dimension. The algorithms of linear algebra work on them, for any batch dimensions of the user.
 */
final class Stack {
  private Stack() {}

  /** Merges all dimensions but the last ones into one. */
  static XlaOp flatten(XlaOp operand, int minor) {
    Shape.Array shape = operand.arrayShape();
    Dims batch = Checks.batch(shape, minor);
    return operand.reshape(
        Dims.of(shape.withSizes(batch).elementCount())
            .concat(shape.sizes().subList(shape.rank() - minor, shape.rank())));
  }

  /** Splits the first dimension into the original batch dimensions. */
  static XlaOp restore(XlaOp operand, Dims batch) {
    Dims sizes = operand.arrayShape().sizes();
    return operand.reshape(batch.concat(sizes.subList(1, sizes.count())));
  }

  static long size(XlaOp operand, int dimension) {
    return operand.arrayShape().size(dimension);
  }

  static ElementType type(XlaOp operand) {
    return operand.arrayShape().elementType();
  }

  /** Returns the index of each element along a dimension, in s32 and the operand's sizes. */
  static XlaOp positions(XlaOp operand, int dimension) {
    return operand
        .builder()
        .iota(Shape.of(ElementType.S32, operand.arrayShape().sizes()), dimension);
  }

  /** Returns column k of each matrix, {@code [b, m]}. */
  static XlaOp column(XlaOp matrices, XlaOp k) {
    return Slicing.dynamicSliceInMinorDims(matrices, List.of(k), Dims.of(1))
        .reshape(size(matrices, 0), size(matrices, 1));
  }

  /** Returns row k of each matrix, {@code [b, n]}. */
  static XlaOp row(XlaOp matrices, XlaOp k) {
    XlaOp zero = k.zerosLike();
    return Slicing.dynamicSliceInMinorDims(
            matrices, List.of(k, zero), Dims.of(1, size(matrices, 2)))
        .reshape(size(matrices, 0), size(matrices, 2));
  }

  /** Replaces row k of each matrix. */
  static XlaOp withRow(XlaOp matrices, XlaOp row, XlaOp k) {
    XlaOp update = row.reshape(size(matrices, 0), 1, size(matrices, 2));
    return Slicing.dynamicUpdateSliceInMinorDims(matrices, update, List.of(k, k.zerosLike()));
  }

  /** Returns element k of each vector, {@code [b]}. */
  static XlaOp element(XlaOp vectors, XlaOp k) {
    return Slicing.dynamicSliceInMinorDims(vectors, List.of(k), Dims.of(1))
        .reshape(size(vectors, 0));
  }

  /** Replaces element k of each vector. */
  static XlaOp withElement(XlaOp vectors, XlaOp element, XlaOp k) {
    XlaOp update = element.reshape(size(vectors, 0), 1);
    return Slicing.dynamicUpdateSliceInMinorDims(vectors, update, List.of(k));
  }

  /**
   * Broadcasts a vector for each matrix along the columns: {@code result[b, i, j] = vectors[b, i]}.
   */
  static XlaOp alongRows(XlaOp vectors, XlaOp like) {
    return vectors.broadcastInDim(like.arrayShape().sizes(), broadcastDimensions(0, 1));
  }

  /**
   * Broadcasts a vector for each matrix along the rows: {@code result[b, i, j] = vectors[b, j]}.
   */
  static XlaOp alongColumns(XlaOp vectors, XlaOp like) {
    return vectors.broadcastInDim(like.arrayShape().sizes(), broadcastDimensions(0, 2));
  }

  /** {@code result[b, j] = sum over i of conj(v[b, i]) * matrices[b, i, j]}. */
  static XlaOp adjointTimes(XlaOp v, XlaOp matrices) {
    return conjugate(v)
        .dotGeneral(matrices, Dot.general(Dims.of(0), Dims.of(1), Dims.of(0), Dims.of(1)));
  }

  /** {@code result[b, i, j] = column[b, i] * row[b, j]}. */
  static XlaOp outer(XlaOp column, XlaOp row, XlaOp like) {
    return alongRows(column, like).mul(alongColumns(row, like));
  }

  static XlaOp sum(XlaOp operand, long... dimensions) {
    XlaOp zero = operand.builder().zeros(Shape.of(type(operand)));
    return operand.reduce(zero, (a, b) -> a.add(b), dimensions);
  }

  /**
   * Returns the largest magnitude along dimensions, of complex numbers that of a part, which does
   * not overflow; 0 for no elements.
   */
  static XlaOp greatest(XlaOp operand, long... dimensions) {
    XlaOp magnitudes =
        type(operand).isComplex() ? operand.real().abs().max(operand.imag().abs()) : operand.abs();
    XlaOp zero = operand.builder().zeros(Shape.of(type(magnitudes)));
    return magnitudes.reduce(zero, (a, b) -> a.max(b), dimensions);
  }

  static XlaOp any(XlaOp predicates, long... dimensions) {
    return predicates.reduce(predicates.builder().constant(false), (a, b) -> a.or(b), dimensions);
  }

  static XlaOp squares(XlaOp operand) {
    XlaOp magnitudes = operand.abs();
    return magnitudes.mul(magnitudes);
  }

  /** Returns the conjugates of complex numbers; returns real numbers unchanged. */
  static XlaOp conjugate(XlaOp operand) {
    return type(operand).isComplex() ? operand.conj() : operand;
  }

  static XlaOp real(XlaOp operand) {
    return type(operand).isComplex() ? operand.real() : operand;
  }

  static XlaOp imaginaryIsZero(XlaOp operand) {
    XlaOp imaginary = type(operand).isComplex() ? operand.imag() : operand.zerosLike();
    return imaginary.eq(imaginary.zerosLike());
  }

  /** Converts real numbers to the element type of others. */
  static XlaOp as(XlaOp operand, XlaOp like) {
    return type(operand) == type(like) ? operand : operand.convertElementType(type(like));
  }

  /** Replaces 0 by 1, so that the result can be a divisor. */
  static XlaOp nonzero(XlaOp operand) {
    return operand.eq(operand.zerosLike()).select(operand.fullLike(1), operand);
  }

  static XlaOp identity(XlaOp like, long rows, long columns) {
    return Matrix.identityMatrix(like.builder(), type(like), rows, columns)
        .broadcast(size(like, 0));
  }
}
