package org.hlo4j.builder;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.BinaryOperator;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.op.DynamicSlice;
import org.hlo4j.hlo.op.DynamicUpdateSlice;
import org.hlo4j.hlo.op.Gather;
import org.hlo4j.hlo.op.Pad;
import org.hlo4j.hlo.op.PadConfig;
import org.hlo4j.hlo.op.Reverse;
import org.hlo4j.hlo.op.Scatter;
import org.hlo4j.hlo.op.Slice;

/** The ops of a handle that extract or update parts of an array. */
abstract class IndexingOps extends SizeOps {
  /**
   * Returns a box of the array: {@code result[i] = this[startIndices + i]}.
   *
   * @param startIndices for each dimension the first index taken
   * @param limitIndices for each dimension the index after the last taken
   * @return the op, of size limit - start in each dimension
   * @throws HloException if an index is out of bounds, or a start is greater than its limit
   */
  public XlaOp slice(Dims startIndices, Dims limitIndices) {
    return slice(startIndices, limitIndices, Dims.filled(startIndices.count(), 1));
  }

  /**
   * Every stride-th element of a box of the array: {@code result[i] = this[startIndices + i *
   * strides]}.
   *
   * @param startIndices for each dimension the first index taken
   * @param limitIndices for each dimension the exclusive upper bound of the indices
   * @param strides for each dimension the distance of two indices, 1 at least
   * @return the op, of size (limit - start) / stride in each dimension, rounded up
   * @throws HloException if an index is out of bounds, starts lie after limits, or a stride is not
   *     positive
   */
  public XlaOp slice(Dims startIndices, Dims limitIndices, Dims strides) {
    return owner().apply(Slice.of(startIndices, limitIndices, strides), alone());
  }

  /**
   * Returns a slice in one dimension, with the others unchanged.
   *
   * @param startIndex the first index taken
   * @param limitIndex the exclusive upper bound of the indices
   * @param stride the distance of two indices
   * @param dimension the dimension
   * @return the op
   * @throws HloException if there is no such dimension, an index is out of bounds, or the stride is
   *     not positive
   */
  public XlaOp sliceInDim(long startIndex, long limitIndex, long stride, int dimension) {
    return owner()
        .guarded(
            alone(),
            () -> {
              Dims sizes = shapeWith("slice", dimension).sizes();
              return slice(
                  Dims.filled(sizes.count(), 0).with(dimension, startIndex),
                  sizes.with(dimension, limitIndex),
                  Dims.filled(sizes.count(), 1).with(dimension, stride));
            });
  }

  /**
   * Extracts a box of fixed size at start indices given by operands: {@code result[i] =
   * this[startIndices + i]}, the start indices are clamped so that the box fits.
   *
   * @param startIndices for each dimension an integer scalar, all of one type
   * @param sliceSizes the size of the box in each dimension
   * @return the op, of the size of the box
   * @throws HloException if counts, types or sizes are incompatible
   */
  public XlaOp dynamicSlice(List<XlaOp> startIndices, long... sliceSizes) {
    return owner()
        .apply(new DynamicSlice(Dims.of(sliceSizes)), with(startIndices.toArray(XlaOp[]::new)));
  }

  /**
   * Returns this array with a box replaced: {@code result[startIndices + i] = update[i]}, the start
   * indices are clamped so that the box fits.
   *
   * @param update the new elements, of this one's type and rank
   * @param startIndices for each dimension an integer scalar, all of one type
   * @return the op, of this one's shape
   * @throws HloException if counts, types or sizes are incompatible
   */
  public XlaOp dynamicUpdateSlice(XlaOp update, XlaOp... startIndices) {
    List<XlaOp> operands = with(update);
    operands.addAll(Arrays.asList(startIndices));
    return owner().apply(new DynamicUpdateSlice(), operands);
  }

  /**
   * Inserts padding around and between the elements, or removes elements at the edges.
   *
   * @param paddingValue the value, a scalar of this one's element type
   * @param padding the padding of each dimension, such as {@code PadConfig.none(2).withDimension(1,
   *     0, 3, 0)}
   * @return the op
   * @throws HloException if types or counts are incompatible, interior padding is negative, or more
   *     is cut off than there is
   */
  public XlaOp pad(XlaOp paddingValue, PadConfig padding) {
    return owner().apply(new Pad(padding), with(paddingValue));
  }

  /**
   * Pads one dimension.
   *
   * @param paddingValue the value, a scalar of this one's element type
   * @param dimension the dimension
   * @param padLo the padding before the first element; elements are removed if negative
   * @param padHi the padding after the last element; elements are removed if negative
   * @return the op
   * @throws HloException if there is no such dimension, or more is cut off than there is
   */
  public XlaOp padInDim(XlaOp paddingValue, int dimension, long padLo, long padHi) {
    return owner()
        .guarded(
            "pad",
            with(paddingValue),
            () -> {
              int rank = shapeWith("pad", dimension).rank();
              return pad(
                  paddingValue, PadConfig.none(rank).withDimension(dimension, padLo, padHi, 0));
            });
  }

  /**
   * Reverses dimensions, the last element first.
   *
   * @param dimensions the dimensions, distinct
   * @return the op, of this one's shape
   * @throws HloException if this has no such dimension, or one is given twice
   */
  public XlaOp rev(long... dimensions) {
    return owner().apply(new Reverse(Dims.of(dimensions)), alone());
  }

  /**
   * Extracts windows of this array at start indices given by index vectors: {@code x.gather(i,
   * Gather.takeRows(x.arrayShape(), i.arrayShape()))}.
   *
   * @param startIndices the index vectors, integers
   * @param gather which dimension goes where
   * @return the op
   * @throws HloException if dimensions, sizes or types are incompatible
   */
  public XlaOp gather(XlaOp startIndices, Gather gather) {
    return owner().apply(gather, with(startIndices));
  }

  /**
   * Combines windows of updates into this, at start indices given by index vectors: {@code
   * x.scatter(i, u, (a, b) -> a.add(b), Scatter.rows(x.arrayShape(), i.arrayShape()))}.
   *
   * @param scatterIndices the index vectors, integers
   * @param updates the windows, of this one's element type
   * @param body from the element there and the one of the updates to the new element
   * @param scatter which dimension goes where
   * @return the op, of this one's shape
   * @throws HloException if dimensions, sizes, types or the body's result are incompatible
   */
  public XlaOp scatter(
      XlaOp scatterIndices, XlaOp updates, BinaryOperator<XlaOp> body, Scatter scatter) {
    ComputationBody region = (inner, p) -> body.apply(p.get(0), p.get(1));
    return owner()
        .scatter(alone(), scatterIndices, Collections.singletonList(updates), region, scatter);
  }

  /**
   * Combines windows of updates into this with a ready computation of two scalars.
   *
   * @param scatterIndices the index vectors, integers
   * @param updates the windows, of this one's element type
   * @param body from the element there and the one of the updates to the new element
   * @param scatter which dimension goes where
   * @return the op, of this one's shape
   * @throws HloException if dimensions, sizes, types or the body's signature are incompatible
   */
  public XlaOp scatter(XlaOp scatterIndices, XlaOp updates, HloComputation body, Scatter scatter) {
    return owner()
        .scatter(alone(), scatterIndices, Collections.singletonList(updates), body, scatter);
  }
}
