package org.hlo4j.interpreter.compiled.conv;

import org.hlo4j.hlo.Dims;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.compiled.copy.BoxCopy;
import org.hlo4j.interpreter.compiled.gemm.AccumulatorType;
import org.hlo4j.interpreter.compiled.gemm.MatrixCopies;
import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Parallel;

/**
 * A copy of an array with zeros around it, or cropped at the edges. The dimensions may be stored in
 * another order.
 *
 * @param sizes the sizes of the array
 * @param order the order in which the dimensions of the copy are stored, outermost first
 * @param low the number of zeros before the first element in each dimension; negative to crop
 *     elements
 * @param padded the sizes of the copy
 */
record PaddedCopy(Dims sizes, Dims order, Dims low, Dims padded) {
  /** {@return the copy of the array alone} */
  PaddedCopy withoutPadding() {
    return new PaddedCopy(sizes, order, Dims.filled(sizes.count(), 0), sizes);
  }

  /** {@return whether the copy equals the array} */
  boolean isNone() {
    return !isPadded() && order.isStrictlyIncreasing();
  }

  /** {@return whether anything but the order of the dimensions changes} */
  boolean isPadded() {
    return !padded.equals(sizes) || low.stream().anyMatch(zeros -> zeros != 0);
  }

  /** {@return the strides of the copy, in the order of the dimensions of the array} */
  Dims strides() {
    return padded.at(order).rowMajorStrides().at(order.inverse());
  }

  /** Writes the copy to an array, which may be larger. */
  void run(AccumulatorType type, Object from, Object to, KernelContext context) {
    if (isPadded()) {
      MatrixCopies copies = MatrixCopies.of(type);
      int count = (int) padded.product();
      new Parallel(context, count, Machine.COPY_GRAIN)
          .run((first, end) -> copies.clear(to, first, end));
    }
    Dims none = Dims.filled(sizes.count(), 0);
    Dims first = none.minus(low).clamp(none, sizes);
    Dims counts = padded.minus(low).clamp(none, sizes).minus(first).clamp(none, sizes);
    Dims read = sizes.rowMajorStrides();
    int start = (int) first.times(read).stream().sum();
    BoxCopy.of(type.type(), counts.at(order), read.at(order), strides().at(order))
        .run(from, start, to, position(first), context.workers());
  }

  /** {@return the position in the copy of an element of the array} */
  int position(Dims index) {
    return (int) index.plus(low).times(strides()).stream().sum();
  }
}
