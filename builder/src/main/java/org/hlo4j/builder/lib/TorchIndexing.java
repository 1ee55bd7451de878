package org.hlo4j.builder.lib;

import static org.hlo4j.builder.lib.common.Checks.require;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BinaryOperator;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.builder.lib.common.Checks;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Gather;

/** Indexing along one dimension as in PyTorch. In XLA's library it is part of slicing. */
public final class TorchIndexing {
  private static final long MAX_U32 = (1L << 32) - 1;

  private TorchIndexing() {}

  /**
   * Takes elements along a dimension: for {@code dim} 1 of 3, {@code result[i, j, k] = input[i,
   * index[i, j, k], k]}.
   *
   * <p>An index out of bounds is clamped if sparse, as in {@link #torchIndexSelect}, else it gives
   * 0. If not sparse, -0 becomes 0, as in XLA.
   *
   * @param input an array
   * @param index integers, of the same rank, in the other dimensions of sizes at most those of
   *     input; if not sparse of the same
   * @param dim the dimension
   * @param sparse whether to use a gather; else to compare each index with every position and sum
   * @return the op, of the sizes of index
   * @throws HloException if there is no such dimension, index holds no integers, or sizes are
   *     incompatible
   */
  public static XlaOp torchGather(XlaOp input, XlaOp index, int dim, boolean sparse) {
    Shape.Array shape = Checks.array("torchGather", "input", input);
    requireIndex("torchGather", shape, index, dim, sparse);
    return sparse
        ? gathered(input, wide(positions(index, shape.size(dim))), dim)
        : compared(input, wide(index), dim);
  }

  /** Returns indices of a type that can hold all positions, to which they are compared. */
  private static XlaOp wide(XlaOp index) {
    return index.arrayShape().elementType().bits() < Integer.SIZE
        ? index.convertElementType(ElementType.S64)
        : index;
  }

  /**
   * Returns indices to gather by. As in XLA, those of 64 bits become u32, so that a negative one is
   * beyond the end.
   */
  private static XlaOp positions(XlaOp index, long size) {
    boolean isLong = index.arrayShape().elementType().bits() == Long.SIZE;
    return isLong && size < MAX_U32 ? index.convertElementType(ElementType.U32) : index;
  }

  private static void requireIndex(
      String function, Shape.Array input, XlaOp index, int dim, boolean wholly) {
    Checks.requireDimension(function, input, dim);
    Shape.Array shape = Checks.array(function, "index", index);
    Checks.requireIntegers(function, "index", index);
    boolean fits = shape.rank() == input.rank();
    for (int i = 0; fits && i < shape.rank(); i++) {
      long room = input.size(i) - shape.size(i);
      fits = i == dim || (wholly ? room >= 0 : room == 0);
    }
    require(
        fits,
        "",
        "%s: index got %s, want integers of rank %s and sizes of %s in all dimensions but %s",
        function,
        shape,
        input.rank(),
        input,
        dim);
  }

  /**
   * Returns the index vector of each element of the result: its own position, except in one
   * dimension.
   */
  private static XlaOp gathered(XlaOp input, XlaOp index, int dim) {
    Shape.Array shape = index.arrayShape();
    int rank = shape.rank();
    Shape.Array column = shape.withSizes(shape.sizes().inserted(rank, 1));
    List<XlaOp> numbers = new ArrayList<>();
    for (int i = 0; i < rank; i++) {
      numbers.add(i == dim ? index.reshape(column.sizes()) : input.builder().iota(column, i));
    }
    XlaOp points = input.builder().concatInDim(numbers, rank);
    return input.gather(points, Gather.points(input.arrayShape(), points.arrayShape()));
  }

  private static XlaOp compared(XlaOp input, XlaOp index, int dim) {
    Dims sizes = index.arrayShape().sizes().inserted(dim, input.arrayShape().size(dim));
    XlaOp places = spread(index, sizes, dim).eq(places(index, sizes, dim));
    XlaOp everywhere = input.broadcastInDim(sizes, without(sizes, dim + 1));
    XlaOp zero = input.builder().zeros(Shape.of(input.arrayShape().elementType()));
    return places
        .select(everywhere, everywhere.zerosLike())
        .reduce(zero, (a, b) -> a.eq(a.zerosLike()).select(b, a), dim);
  }

  private static XlaOp spread(XlaOp operand, Dims sizes, int added) {
    return operand.broadcastInDim(sizes, without(sizes, added));
  }

  private static XlaOp places(XlaOp index, Dims sizes, int dim) {
    return index.builder().iota(index.arrayShape().withSizes(sizes), dim);
  }

  private static Dims without(Dims sizes, int dimension) {
    return Dims.range(0, sizes.count()).without(Dims.of(dimension));
  }

  /**
   * Combines elements into an array along a dimension: for {@code dim} 1 of 3, {@code result[i,
   * index[i, j, k], k]} is {@code input} there combined with {@code src[i, j, k]}, for all j.
   *
   * <p>As in XLA, each position combines, in the order of j, src where its index is this position
   * and 0 elsewhere; therefore 0 should be an identity, as for a sum.
   *
   * @param input an array
   * @param index integers, of the sizes of input but in that dimension
   * @param src the elements, of the sizes of index
   * @param dim the dimension
   * @param combiner from two elements to one
   * @return the op, of the shape of input
   * @throws HloException if there is no such dimension, or types or sizes are incompatible
   */
  public static XlaOp torchScatterDense(
      XlaOp input, XlaOp index, XlaOp src, int dim, BinaryOperator<XlaOp> combiner) {
    Shape.Array shape = Checks.array("torchScatterDense", "input", input);
    requireIndex("torchScatterDense", shape, index, dim, false);
    Shape.Array from = shape.withSizes(index.arrayShape().sizes());
    Checks.requireShape("torchScatterDense", "src", src, from);
    Dims sizes = from.sizes().inserted(dim, shape.size(dim));
    XlaOp wide = wide(index);
    XlaOp hits = spread(wide, sizes, dim).eq(places(wide, sizes, dim));
    XlaOp elements = spread(src, sizes, dim);
    XlaOp zero = input.builder().zeros(Shape.of(shape.elementType()));
    XlaOp combined = hits.select(elements, elements.zerosLike()).reduce(zero, combiner, dim + 1);
    return combiner.apply(input, combined);
  }

  /**
   * Takes whole slices along a dimension: {@code result[i, j, k] = input[i, index[j], k]} for
   * {@code dim} 1; with {@code batchDims} 1, {@code input[i, index[i, j], k]}.
   *
   * <p>An index out of bounds is clamped: one beyond the end takes the last slice, and a negative
   * one the first. But as in XLA, a negative index of s64 takes the last slice, and one of 64 bits
   * counts modulo 2^32.
   *
   * @param input an array
   * @param index integers, the first {@code batchDims} sizes those of input
   * @param dim the dimension, {@code batchDims} at least
   * @param batchDims the number of leading batch dimensions
   * @return the op: of input, the sizes of index after its batch dimensions in place of the
   *     dimension
   * @throws HloException if there is no such dimension, or types or sizes are incompatible
   */
  public static XlaOp torchIndexSelect(XlaOp input, XlaOp index, int dim, int batchDims) {
    Shape.Array shape = Checks.array("torchIndexSelect", "input", input);
    Shape.Array indices = Checks.array("torchIndexSelect", "index", index);
    Checks.requireDimension("torchIndexSelect", shape, dim);
    require(
        batchDims >= 0 && batchDims <= dim && batchDims <= indices.rank(),
        "",
        "torchIndexSelect: batch dimensions got %s, want from 0 to the dimension %s and the rank of"
            + " the index %s",
        batchDims,
        dim,
        indices);
    XlaOp positions = positions(index, shape.size(dim));
    return input.gather(positions, selecting(shape, indices, dim, batchDims));
  }

  private static Gather selecting(Shape.Array input, Shape.Array index, int dim, int batchDims) {
    Dims batch = Dims.range(0, batchDims);
    Dims before = Dims.range(batchDims, dim);
    int chosen = index.rank() - batchDims;
    Dims behind = Dims.range((long) dim + chosen, (long) input.rank() - 1 + chosen);
    Dims sliceSizes = input.sizes().with(dim, 1);
    for (int i = 0; i < batchDims; i++) {
      sliceSizes = sliceSizes.with(i, 1);
    }
    // The batch dimensions of a gather are those of the index in order: batch dimensions, then the
    // others.
    return new Gather(
        before.concat(behind),
        Dims.of(dim),
        Dims.of(dim),
        batch,
        batch,
        index.rank(),
        sliceSizes,
        false);
  }
}
