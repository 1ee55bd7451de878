package org.hlo4j.builder.lib.random;

import java.util.List;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;

/**
 * XLA's pairing of the elements of an array: along its first dimension of even size or, if all are
 * odd, the largest. A scalar counts as a vector of one element.
 *
 * @param sizes the sizes of the array
 * @param dimension the dimension along which elements are paired
 */
record Halves(Dims sizes, int dimension) {
  static Halves of(Shape.Array shape) {
    Dims sizes = shape.isScalar() ? Dims.of(1) : shape.sizes();
    int largest = 0;
    for (int i = 0; i < sizes.count(); i++) {
      if (sizes.get(i) % 2 == 0) {
        return new Halves(sizes, i);
      }
      largest = sizes.get(i) > sizes.get(largest) ? i : largest;
    }
    return new Halves(sizes, largest);
  }

  private long pairs() {
    long size = sizes.get(dimension);
    return size / 2 + size % 2;
  }

  /** Returns the sizes of either half. */
  Dims half() {
    return sizes.with(dimension, pairs());
  }

  /** Returns the sizes of both halves together, with a dimension of 2 after the paired one. */
  Dims both() {
    return half().inserted(dimension + 1, 2);
  }

  /** Returns one half of an array of the sizes of both. */
  XlaOp part(XlaOp both, int index) {
    return both.sliceInDim(index, index + 1, 1, dimension + 1).reshape(half());
  }

  /**
   * Interleaves two halves: each pair has one element of each half. A surplus element is removed.
   */
  XlaOp combined(List<XlaOp> halves) {
    Dims column = half().inserted(dimension + 1, 1);
    List<XlaOp> columns = halves.stream().map(half -> half.reshape(column)).toList();
    XlaOp both = halves.get(0).builder().concatInDim(columns, dimension + 1);
    XlaOp paired = both.reshape(sizes.with(dimension, 2 * pairs()));
    return sizes.get(dimension) % 2 == 0
        ? paired
        : paired.sliceInDim(0, sizes.get(dimension), 1, dimension);
  }
}
