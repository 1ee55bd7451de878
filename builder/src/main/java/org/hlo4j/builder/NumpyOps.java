package org.hlo4j.builder;

import java.util.Arrays;
import java.util.Collections;
import java.util.function.Supplier;
import org.hlo4j.builder.lib.Slicing;
import org.hlo4j.builder.lib.linalg.Matrix;
import org.hlo4j.builder.lib.nn.Activations;
import org.hlo4j.builder.lib.nn.Reductions;
import org.hlo4j.hlo.HloException;

/**
 * The functions of NumPy and {@code jax.numpy} that programs use most, as methods of a handle; the
 * libraries compute them.
 */
abstract class NumpyOps extends IndexingOps {
  private XlaOp self() {
    return (XlaOp) this;
  }

  private XlaOp guarded(Supplier<XlaOp> work) {
    return owner().guarded(Collections.singletonList(self()), work);
  }

  /**
   * Returns the sum over dimensions; {@link Reductions#sum}.
   *
   * @param dimensions the dimensions to reduce, from the end if negative; none for all
   * @return the op, of the dimensions left
   * @throws HloException if this is not an array, or has no such dimension
   */
  public XlaOp sum(int... dimensions) {
    return guarded(() -> Reductions.sum(self(), dimensions));
  }

  /**
   * Returns the mean over dimensions; {@link Reductions#mean}.
   *
   * @param dimensions the dimensions to reduce, from the end if negative; none for all
   * @return the op, of the dimensions left
   * @throws HloException if this is not an array of floats, or has no such dimension
   */
  public XlaOp mean(int... dimensions) {
    return guarded(() -> Reductions.mean(self(), dimensions));
  }

  /**
   * Returns the largest element over dimensions; {@link Reductions#max}. ({@code x.max(1)} is the
   * larger of each element and the number 1.)
   *
   * @param dimensions the dimensions to reduce, from the end if negative; none for all
   * @return the op, of the dimensions left
   * @throws HloException if this is complex or not an array, or has no such dimension
   */
  public XlaOp reduceMax(int... dimensions) {
    return guarded(() -> Reductions.max(self(), dimensions));
  }

  /**
   * Returns the smallest element over dimensions; {@link Reductions#min}. ({@code x.min(1)} is the
   * smaller of each element and the number 1.)
   *
   * @param dimensions the dimensions to reduce, from the end if negative; none for all
   * @return the op, of the dimensions left
   * @throws HloException if this is complex or not an array, or has no such dimension
   */
  public XlaOp reduceMin(int... dimensions) {
    return guarded(() -> Reductions.min(self(), dimensions));
  }

  /**
   * Returns the index of the largest element along a dimension, in s32; {@link Reductions#argMax}.
   *
   * @param dimension the dimension along which to look, from the end if negative
   * @return the op, s32, of the dimensions left
   * @throws HloException if this is complex or not an array, or has no such dimension
   */
  public XlaOp argMax(int dimension) {
    return guarded(() -> Reductions.argMax(self(), dimension));
  }

  /**
   * Returns exp(x) divided by its sum along a dimension; {@link Activations#softmax}.
   *
   * @param dimension the dimension along which the results add up to 1, from the end if negative
   * @return the op, of this one's shape
   * @throws HloException if this is not an array of floats, or has no such dimension
   */
  public XlaOp softmax(int dimension) {
    return guarded(() -> Activations.softmax(self(), dimension));
  }

  /**
   * Returns the products of many matrices, {@code [..., m, k] * [..., k, n]}, as NumPy's {@code @}
   * has them; {@link Matrix#matmul}. For operands of rank 1 and 2 this is {@link #dot}.
   *
   * @param rhs the other operand, of the same element type
   * @return the op, {@code [..., m, n]}
   * @throws HloException if sizes or element types are incompatible
   */
  public XlaOp matmul(XlaOp rhs) {
    return owner().guarded(Arrays.asList(self(), rhs), () -> Matrix.matmul(self(), rhs));
  }

  /**
   * Returns the part that ranges give in NumPy's notation, such as {@code "1:3, :, -1"}; {@link
   * Slicing#slice}.
   *
   * @param ranges what stands between the brackets in NumPy
   * @return the op
   * @throws HloException if they are no ranges of this
   */
  public XlaOp slice(String ranges) {
    return guarded(() -> Slicing.slice(self(), ranges));
  }
}
