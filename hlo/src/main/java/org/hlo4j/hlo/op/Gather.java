package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.HloException.require;
import static org.hlo4j.hlo.arguments.Arguments.requireNonNull;

import java.util.ArrayList;
import java.util.List;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;

/**
 * Extracts windows from an array, each at the start given by an index vector.
 *
 * <pre>
 *   rows of an array: offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0},
 *   index_vector_dim=1, slice_sizes={1,3}
 *     operand  1 2 3    start_indices  2   -&gt;   7 8 9
 *              4 5 6                   0        1 2 3
 *              7 8 9
 * </pre>
 *
 * <p>Operands: the array and the index vectors. The result has the batch dimensions of the index
 * vectors and, at {@code offsetDims}, the dimensions of a window. A start index that would let the
 * window reach beyond the array is clamped so that the window fits. {@link #explain} describes the
 * mapping.
 *
 * @param offsetDims the dimensions of the result that are those of a window, increasing
 * @param collapsedSliceDims the dimensions of the operand, of slice size 1, that the result does
 *     not have
 * @param startIndexMap for each element of an index vector, the dimension of the operand that it
 *     indexes
 * @param operandBatchingDims the dimensions of the operand paired in order with {@code
 *     startIndicesBatchingDims}, of slice size 1
 * @param startIndicesBatchingDims as many dimensions of the indices, of the same sizes
 * @param indexVectorDim the dimension of the indices that holds a vector; the rank of the indices
 *     if each number is a vector by itself
 * @param sliceSizes the size of a window in each dimension of the operand
 * @param indicesAreSorted a promise that the vectors are in increasing order; hlo4j does not use it
 */
public record Gather(
    Dims offsetDims,
    Dims collapsedSliceDims,
    Dims startIndexMap,
    Dims operandBatchingDims,
    Dims startIndicesBatchingDims,
    int indexVectorDim,
    Dims sliceSizes,
    boolean indicesAreSorted)
    implements Movement {
  /**
   * Takes whole slices along a dimension: {@code result[b..., i...] = operand[i before,
   * indices[b...], i after]}, where the dimensions of the indices replace the indexed one.
   *
   * @param operand the shape of the array
   * @param indices the shape of the indices, each of them one number
   * @param dimension the dimension of the operand indexed
   * @return the op
   */
  public static Gather alongDimension(Shape.Array operand, Shape.Array indices, int dimension) {
    requireNonNull(operand, "operand");
    requireNonNull(indices, "indices");
    DimensionList.requireOne("", Dims.of(dimension), operand);
    Dims before = Dims.range(0, dimension);
    Dims behind =
        Dims.range((long) dimension + indices.rank(), (long) operand.rank() - 1 + indices.rank());
    return windows(before.concat(behind), Dims.of(dimension), indices.rank())
        .withSliceSizes(operand.sizes().with(dimension, 1));
  }

  /**
   * Rows, the slices along dimension 0: {@code result[b..., i...] = operand[indices[b...], i...]}.
   *
   * @param operand the shape of the array, rank 1 at least
   * @param indices the shape of the indices, each of them one number
   * @return the op
   */
  public static Gather takeRows(Shape.Array operand, Shape.Array indices) {
    return alongDimension(operand, indices, 0);
  }

  /**
   * Single elements: {@code result[b...] = operand[indices[b..., :]]}.
   *
   * @param operand the shape of the array
   * @param indices the shape of the indices, the last dimension as long as the operand's rank
   * @return the op
   */
  public static Gather points(Shape.Array operand, Shape.Array indices) {
    requireNonNull(indices, "indices");
    requireNonNull(operand, "operand");
    return windows(Dims.of(), Dims.range(0, operand.rank()), indices.rank() - 1)
        .withSliceSizes(Dims.filled(operand.rank(), 1));
  }

  /**
   * Returns a gather with one window dimension of the result for each dimension that is not
   * indexed.
   */
  private static Gather windows(Dims offsetDims, Dims indexed, int indexVectorDim) {
    return new Gather(
        offsetDims, indexed, indexed, Dims.of(), Dims.of(), indexVectorDim, Dims.of(), false);
  }

  /**
   * Returns the same gather with windows of another size.
   *
   * @param sizes the size of a window in each dimension of the operand
   * @return the op
   */
  public Gather withSliceSizes(Dims sizes) {
    return new Gather(
        offsetDims,
        collapsedSliceDims,
        startIndexMap,
        operandBatchingDims,
        startIndicesBatchingDims,
        indexVectorDim,
        sizes,
        indicesAreSorted);
  }

  /**
   * Returns the same gather with dimensions of operand and indices that correspond to each other.
   *
   * @param operandDims dimensions of the operand
   * @param startIndicesDims as many dimensions of the indices
   * @return the op
   */
  public Gather withBatching(Dims operandDims, Dims startIndicesDims) {
    return new Gather(
        offsetDims,
        collapsedSliceDims,
        startIndexMap,
        operandDims,
        startIndicesDims,
        indexVectorDim,
        sliceSizes,
        indicesAreSorted);
  }

  /**
   * Returns the same gather with or without the promise that the index vectors are sorted.
   *
   * @param sorted whether they are
   * @return the op
   */
  public Gather withIndicesAreSorted(boolean sorted) {
    return new Gather(
        offsetDims,
        collapsedSliceDims,
        startIndexMap,
        operandBatchingDims,
        startIndicesBatchingDims,
        indexVectorDim,
        sliceSizes,
        sorted);
  }

  @Override
  public String opcode() {
    return "gather";
  }

  @Override
  public Arity arity() {
    return Arity.exactly(2);
  }

  /**
   * Returns the dimensions of the result that correspond to the index vectors.
   *
   * @param resultRank the rank of the result
   * @return their numbers, in order
   */
  public Dims batchDims(int resultRank) {
    return Dims.range(0, resultRank).without(offsetDims);
  }

  /**
   * Returns the dimensions of the operand that a window has, in the order of {@code offsetDims}.
   *
   * @return their numbers
   */
  public Dims windowDims() {
    return Dims.range(0, sliceSizes.count())
        .without(collapsedSliceDims.concat(operandBatchingDims));
  }

  /**
   * Returns the mapping in words and as a formula.
   *
   * @param operand the shape of the array
   * @param startIndices the shape of the index vectors
   * @return the text, several lines
   * @throws org.hlo4j.hlo.HloException if they do not suit this gather
   */
  public String explain(Shape.Array operand, Shape.Array startIndices) {
    requireNonNull(operand, "operand");
    requireNonNull(startIndices, "startIndices");
    Shape.Array result = (Shape.Array) infer(operand, startIndices);
    return new IndexDrawing(mapping(operand, startIndices), result, offsetDims).gather(sliceSizes);
  }

  private IndexMapping mapping(Shape.Array operand, Shape.Array startIndices) {
    return new IndexMapping(
        operand,
        startIndices,
        "start_indices",
        indexVectorDim,
        new DimensionList("start_index_map", startIndexMap),
        new DimensionList("collapsed_slice_dims", collapsedSliceDims),
        new DimensionList("operand_batching_dims", operandBatchingDims),
        new DimensionList("start_indices_batching_dims", startIndicesBatchingDims));
  }

  @Override
  public Shape resultShape(Operands in) {
    Shape.Array operand = in.array(0, "operand");
    IndexMapping mapping = mapping(operand, in.array(1, "start_indices"));
    mapping.requireIntegers();
    DimensionList offsets = new DimensionList("offset_dims", offsetDims);
    mapping.requireWindowRank("gather C1", offsets);
    mapping.requireIndexVectorDim("gather C2");
    mapping.requireMapSize("gather C3");
    int rank = mapping.vectorsDims().count() + offsetDims.count();
    offsets.requireIncreasing("gather C4");
    offsets.requireIn("gather C5", "the result,", rank, "of rank " + rank);
    checkOperandDims(mapping);
    checkBatchingDims(mapping);
    checkSliceSizes(operand);
    return resultShape(mapping, rank);
  }

  private static void checkOperandDims(IndexMapping mapping) {
    Shape.Array operand = mapping.array();
    mapping.collapsed().requireIn("gather C8", "operand", operand.rank(), operand);
    mapping.collapsed().requireDistinct("gather C6");
    mapping.collapsed().requireIncreasing("gather C7");
    mapping.batching().requireIn("gather C11", "operand", operand.rank(), operand);
    mapping.batching().requireDistinct("gather C6");
    mapping.batching().requireIncreasing("gather C10");
    mapping.collapsed().requireDisjoint("gather C6", mapping.batching());
    mapping.map().requireIn("gather C19", "operand", operand.rank(), operand);
    mapping.map().requireDistinct("gather C18");
  }

  private void checkBatchingDims(IndexMapping mapping) {
    DimensionList batching = mapping.indicesBatching();
    Shape.Array startIndices = mapping.indices();
    batching.requireIn("gather C14", "start_indices", startIndices.rank(), startIndices);
    batching.requireDistinct("gather C13");
    batching.requireDisjoint(
        "gather C15", new DimensionList("index_vector_dim", Dims.of(indexVectorDim)));
    mapping.requireSameBatches("gather C16", "gather C17");
  }

  private void checkSliceSizes(Shape.Array operand) {
    require(
        sliceSizes.count() == operand.rank(),
        "gather C20",
        "slice_sizes got %s, want one for each of the %s dimensions of %s",
        sliceSizes,
        operand.rank(),
        operand);
    for (int i = 0; i < operand.rank(); i++) {
      long size = sliceSizes.get(i);
      require(
          size >= 0 && (operand.isUnbounded(i) || size <= operand.size(i)),
          "gather C21",
          "slice_sizes[%s] got %s, want from 0 to %s, the size of dimension %s of %s",
          i,
          size,
          operand.sizeText(i),
          i,
          operand);
      requireThin(i, collapsedSliceDims, "gather C9", "collapsed_slice_dims");
      requireThin(i, operandBatchingDims, "gather C12", "operand_batching_dims");
    }
  }

  private void requireThin(int i, Dims dims, String label, String name) {
    require(
        sliceSizes.get(i) <= 1 || !dims.contains(i),
        label,
        "slice_sizes[%s] got %s, want at most 1: dimension %s is in %s",
        i,
        sliceSizes.get(i),
        i,
        name);
  }

  private Shape.Array resultShape(IndexMapping mapping, int rank) {
    Shape.Array window = window(mapping.array());
    Shape.Array joined =
        Shape.of(window.elementType())
            .append(mapping.indices(), mapping.vectorsDims())
            .append(window, Dims.range(0, window.rank()));
    Dims order = batchDims(rank).concat(offsetDims);
    return joined.select(order.inverse());
  }

  /**
   * Returns the sizes of a window without its collapsed dimensions; a whole dynamic dimension stays
   * dynamic.
   */
  private Shape.Array window(Shape.Array operand) {
    return operand
        .withSizes(sliceSizes)
        .withDynamic(
            operand.dynamicDimensions().stream()
                .filter(i -> sliceSizes.get(i) == operand.size(i))
                .toList())
        .select(windowDims());
  }

  /**
   * Reduces the slice size of a dynamic dimension that is taken as a whole to its run-time size.
   */
  @Override
  public Gather atSizes(Operands declared, Operands actual) {
    Shape.Array bounds = declared.array(0, "operand");
    Dims sizes = sliceSizes;
    for (int i : bounds.dynamicDimensions()) {
      if (sizes.get(i) == bounds.size(i) && windowDims().contains(i)) {
        sizes = sizes.with(i, actual.array(0, "operand").size(i));
      }
    }
    return new Gather(
        offsetDims,
        collapsedSliceDims,
        startIndexMap,
        operandBatchingDims,
        startIndicesBatchingDims,
        indexVectorDim,
        sizes,
        indicesAreSorted);
  }

  /**
   * {@code result[batch, offset] = operand[start(batch) + offset]}, the start clamped so that the
   * window fits
   */
  @Override
  public <I> Source<I> source(
      IndexAlgebra<I> x, List<Shape.Array> operands, Shape.Array result, List<I> index) {
    List<I> batch = at(index, batchDims(index.size()));
    List<I> offset = at(index, offsetDims);
    Dims windowDims = windowDims();
    Dims batchOfIndices = Dims.range(0, operands.get(1).rank()).without(Dims.of(indexVectorDim));
    return Source.at(
        0,
        sliceSizes.count(),
        d -> {
          if (operandBatchingDims.contains(d)) {
            long paired = startIndicesBatchingDims.get(operandBatchingDims.indexOf(d));
            return batch.get(batchOfIndices.indexOf(paired));
          }
          I inside = windowDims.contains(d) ? offset.get(windowDims.indexOf(d)) : x.constant(0);
          return startIndexMap.contains(d) ? x.plus(inside, start(x, operands, batch, d)) : inside;
        });
  }

  private <I> I start(IndexAlgebra<I> x, List<Shape.Array> operands, List<I> batch, int dimension) {
    List<I> index = new ArrayList<>(batch);
    if (indexVectorDim < operands.get(1).rank()) {
      index.add(indexVectorDim, x.constant(startIndexMap.indexOf(dimension)));
    }
    return x.start(1, index, operands.get(0).size(dimension) - sliceSizes.get(dimension));
  }

  private static <I> List<I> at(List<I> index, Dims dimensions) {
    return dimensions.stream().mapToObj(d -> index.get((int) d)).toList();
  }
}
