package org.hlo4j.builder.lib;

import static org.hlo4j.builder.lib.common.Checks.require;

import java.util.List;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.builder.lib.common.Checks;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;

/** Top-k along the last dimension by a sort. */
public final class Sorting {
  private Sorting() {}

  /** Elements and their indices along the last dimension. */
  private record Best(XlaOp values, XlaOp indices) {}

  /**
   * Returns the k largest elements along the last dimension, largest first, and their indices. NaN
   * comes before infinity; equal elements keep their order.
   *
   * @param input an array of rank 1 at least, real
   * @param k the number of elements
   * @param indexType the element type of the indices, an integer
   * @return the op, a tuple of values and indices, {@code [..., k]}
   * @throws HloException if the last dimension is smaller than k, or types do not suit
   */
  public static XlaOp topK(XlaOp input, long k, ElementType indexType) {
    Shape.Array shape = requireLine("topK", input, k, indexType);
    XlaOp places = input.builder().iota(shape.withElementType(indexType), shape.rank() - 1);
    Best best = best(new Best(input, places), k);
    return input.builder().tuple(best.values, best.indices);
  }

  private static Shape.Array requireLine(
      String function, XlaOp input, long k, ElementType indexType) {
    Shape.Array shape = Checks.array(function, "input", input);
    require(
        shape.rank() >= 1 && !shape.elementType().isComplex(),
        "",
        "%s: input got %s, want real numbers of rank 1 at least",
        function,
        shape);
    require(
        k >= 0 && k <= shape.size(shape.rank() - 1),
        "",
        "%s: k got %s, want from 0 to the last size of %s",
        function,
        k,
        shape);
    require(
        indexType != null && indexType.isIntegral(),
        "",
        "%s: index type got %s, want an integer type",
        function,
        indexType);
    requireRoom(function, shape.size(shape.rank() - 1) - 1, indexType);
    return shape;
  }

  private static void requireRoom(String function, long greatest, ElementType indexType) {
    require(
        greatest < 0 || indexType.wrap(greatest) == greatest,
        "",
        "%s: index type got %s, want one that can hold %s",
        function,
        indexType,
        greatest);
  }

  private static Best best(Best all, long k) {
    int last = all.values.arrayShape().rank() - 1;
    XlaBuilder builder = all.values.builder();
    XlaOp sorted =
        builder.sort(
            List.of(all.values, all.indices),
            (body, p) -> p.get(0).gtTotalOrder(p.get(1)),
            last,
            true);
    return new Best(
        sorted.getTupleElement(0).sliceInDim(0, k, 1, last),
        sorted.getTupleElement(1).sliceInDim(0, k, 1, last));
  }

  /**
   * The same as {@link #topK}, but in partitions: the best elements so far are sorted with the next
   * partition, so that no sort runs over the whole dimension.
   *
   * @param input an array of rank 1 at least, real
   * @param k the number of elements
   * @param numPartitions the number of partitions of the last dimension, which are not made smaller
   *     than k
   * @param indexType the element type of the indices, an integer
   * @return the op, a tuple of values and indices, {@code [..., k]}
   * @throws HloException if the last dimension is smaller than k, or types do not suit, or there is
   *     no part
   */
  public static XlaOp topKWithPartitions(
      XlaOp input, long k, long numPartitions, ElementType indexType) {
    Shape.Array shape = requireLine("topKWithPartitions", input, k, indexType);
    require(
        numPartitions >= 1,
        "",
        "topKWithPartitions: partitions got %s, want at least 1",
        numPartitions);
    int last = shape.rank() - 1;
    long size = shape.size(last);
    long part = size / numPartitions;
    if (part < Math.max(k, 1)) {
      return topK(input, k, indexType);
    }
    XlaOp places = input.builder().iota(shape.withElementType(indexType), last);
    Best all = new Best(input, places);
    Best best = best(slice(all, 0, part), k);
    for (long i = 1; i < numPartitions; i++) {
      // The last partition takes the remainder.
      long limit = i == numPartitions - 1 ? size : (i + 1) * part;
      best = best(joined(best, slice(all, i * part, limit)), k);
    }
    return input.builder().tuple(best.values, best.indices);
  }

  private static Best slice(Best all, long from, long to) {
    int last = all.values.arrayShape().rank() - 1;
    return new Best(
        all.values.sliceInDim(from, to, 1, last), all.indices.sliceInDim(from, to, 1, last));
  }

  private static Best joined(Best first, Best second) {
    XlaBuilder builder = first.values.builder();
    int last = first.values.arrayShape().rank() - 1;
    return new Best(
        builder.concatInDim(List.of(first.values, second.values), last),
        builder.concatInDim(List.of(first.indices, second.indices), last));
  }
}
