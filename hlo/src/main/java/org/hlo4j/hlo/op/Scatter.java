package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.HloException.require;
import static org.hlo4j.hlo.arguments.Arguments.requireNonNull;

import com.google.common.collect.ImmutableList;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;

/**
 * Combines windows of updates into arrays, each at the start given by an index vector: the inverse
 * of {@link Gather}.
 *
 * <pre>
 *   rows of an array, added: update_window_dims={1}, inserted_window_dims={0},
 *   scatter_dims_to_operand_dims={0}, index_vector_dim=1
 *     input  1 1    scatter_indices  2   updates  5 6   -&gt;   8 9
 *            1 1                     0            7 8        1 1
 *            1 1                     2            1 1        7 8
 * </pre>
 *
 * <p>Operands: N inputs of the same sizes, the index vectors, N updates of the same sizes. The
 * computation takes N elements of the inputs and N of the updates, scalars, and gives N new
 * elements: a tuple if N is above 1. One element may be given as a tuple too; the result then is a
 * tuple of one array. Updates are combined in row-major order of the vectors. A window that reaches
 * beyond the inputs is dropped as a whole, as XLA does; it is not clamped, as in a gather.
 *
 * @param updateWindowDims the dimensions of the updates that are those of a window, increasing
 * @param insertedWindowDims the dimensions of the inputs, of window size 1, that the updates do not
 *     have
 * @param scatterDimsToOperandDims for each element of an index vector, the dimension of the inputs
 *     that it indexes
 * @param inputBatchingDims the dimensions of the inputs paired in order with {@code
 *     scatterIndicesBatchingDims}
 * @param scatterIndicesBatchingDims as many dimensions of the indices, of the same sizes
 * @param indexVectorDim the dimension of the indices that holds a vector; the rank of the indices
 *     if each number is a vector by itself
 * @param indicesAreSorted a promise that the vectors are in increasing order; hlo4j does not use it
 * @param uniqueIndices a promise that no element is updated twice; hlo4j does not use it
 */
public record Scatter(
    Dims updateWindowDims,
    Dims insertedWindowDims,
    Dims scatterDimsToOperandDims,
    Dims inputBatchingDims,
    Dims scatterIndicesBatchingDims,
    int indexVectorDim,
    boolean indicesAreSorted,
    boolean uniqueIndices)
    implements HigherOrder {
  /**
   * Whole slices along a dimension, the inverse of {@link Gather#alongDimension}.
   *
   * @param input the shape of the inputs
   * @param indices the shape of the indices, each of them one number
   * @param dimension the dimension of the inputs indexed
   * @return the op
   */
  public static Scatter alongDimension(Shape.Array input, Shape.Array indices, int dimension) {
    requireNonNull(input, "input");
    return inverseOf(Gather.alongDimension(input, indices, dimension));
  }

  /**
   * Rows, the slices along dimension 0, the inverse of {@link Gather#takeRows}.
   *
   * @param input the shape of the inputs, rank 1 at least
   * @param indices the shape of the indices, each of them one number
   * @return the op
   */
  public static Scatter rows(Shape.Array input, Shape.Array indices) {
    return alongDimension(input, indices, 0);
  }

  /**
   * Single elements, the inverse of {@link Gather#points}.
   *
   * @param input the shape of the inputs
   * @param indices the shape of the indices, the last dimension as long as the inputs' rank
   * @return the op
   */
  public static Scatter points(Shape.Array input, Shape.Array indices) {
    requireNonNull(input, "input");
    return inverseOf(Gather.points(input, indices));
  }

  /**
   * Returns the scatter that writes windows where a gather reads them.
   *
   * @param gather the gather
   * @return the op
   */
  public static Scatter inverseOf(Gather gather) {
    requireNonNull(gather, "gather");
    return new Scatter(
        gather.offsetDims(),
        gather.collapsedSliceDims(),
        gather.startIndexMap(),
        gather.operandBatchingDims(),
        gather.startIndicesBatchingDims(),
        gather.indexVectorDim(),
        gather.indicesAreSorted(),
        false);
  }

  /**
   * Returns the same scatter with dimensions of inputs and indices that correspond to each other.
   *
   * @param inputDims dimensions of the inputs
   * @param scatterIndicesDims as many dimensions of the indices
   * @return the op
   */
  public Scatter withBatching(Dims inputDims, Dims scatterIndicesDims) {
    return new Scatter(
        updateWindowDims,
        insertedWindowDims,
        scatterDimsToOperandDims,
        inputDims,
        scatterIndicesDims,
        indexVectorDim,
        indicesAreSorted,
        uniqueIndices);
  }

  /**
   * Returns the same scatter with other promises about its indices.
   *
   * @param sorted whether the index vectors are in increasing order
   * @param unique whether no element is updated twice
   * @return the op
   */
  public Scatter withPromises(boolean sorted, boolean unique) {
    return new Scatter(
        updateWindowDims,
        insertedWindowDims,
        scatterDimsToOperandDims,
        inputBatchingDims,
        scatterIndicesBatchingDims,
        indexVectorDim,
        sorted,
        unique);
  }

  @Override
  public String opcode() {
    return "scatter";
  }

  @Override
  public Arity arity() {
    return Arity.atLeast(3);
  }

  @Override
  public ImmutableList<String> callees() {
    return ImmutableList.of("to_apply");
  }

  /**
   * Returns the dimensions of the updates that correspond to the index vectors.
   *
   * @param updateRank the rank of the updates
   * @return their numbers, in order
   */
  public Dims updateScatterDims(int updateRank) {
    return Dims.range(0, updateRank).without(updateWindowDims);
  }

  /**
   * Returns the dimensions of the inputs that a window has, in the order of {@code
   * updateWindowDims}.
   *
   * @param inputRank the rank of the inputs
   * @return their numbers
   */
  public Dims windowDims(int inputRank) {
    return Dims.range(0, inputRank).without(insertedWindowDims.concat(inputBatchingDims));
  }

  /**
   * Returns the size of a window in each dimension of the inputs, 1 in those left out.
   *
   * @param inputRank the rank of the inputs
   * @param updateSizes the sizes of the updates
   * @return the sizes
   */
  public Dims windowSizes(int inputRank, Dims updateSizes) {
    Dims sizes = Dims.filled(inputRank, 1);
    Dims windowDims = windowDims(inputRank);
    for (int i = 0; i < windowDims.count(); i++) {
      sizes = sizes.with(windowDims.getInt(i), updateSizes.get(updateWindowDims.getInt(i)));
    }
    return sizes;
  }

  /**
   * Returns the mapping in words and as a formula.
   *
   * @param input the shape of the inputs
   * @param scatterIndices the shape of the index vectors
   * @param updates the shape of the updates
   * @return the text, several lines
   * @throws org.hlo4j.hlo.HloException if they do not suit this scatter
   */
  public String explain(Shape.Array input, Shape.Array scatterIndices, Shape.Array updates) {
    requireNonNull(scatterIndices, "scatterIndices");
    IndexMapping mapping = mapping(input, scatterIndices);
    check(mapping, updates);
    checkUpdates(mapping, updates);
    return new IndexDrawing(mapping, updates, updateWindowDims)
        .scatter(windowSizes(input.rank(), updates.sizes()));
  }

  private IndexMapping mapping(Shape.Array input, Shape.Array scatterIndices) {
    return new IndexMapping(
        input,
        scatterIndices,
        "scatter_indices",
        indexVectorDim,
        new DimensionList("scatter_dims_to_operand_dims", scatterDimsToOperandDims),
        new DimensionList("inserted_window_dims", insertedWindowDims),
        new DimensionList("input_batching_dims", inputBatchingDims),
        new DimensionList("scatter_indices_batching_dims", scatterIndicesBatchingDims));
  }

  @Override
  public Shape resultShape(Operands in) {
    require(
        in.shapes().size() % 2 == 1,
        "scatter C5",
        "operand count got %s, want as many updates as inputs and one array of indices",
        in.shapes().size());
    int count = in.shapes().size() / 2;
    Shape.Array indices = in.array(count, "scatter_indices");
    Shape.Array firstInput = in.array(0, "input 0");
    Shape.Array firstUpdates = in.array(count + 1, "updates 0");
    ImmutableList.Builder<Shape> scalars = ImmutableList.builder();
    for (int i = 0; i < count; i++) {
      Shape.Array input = in.array(i, "input " + i);
      Shape.Array updates = in.array(count + 1 + i, "updates " + i);
      checkPair(firstInput, input, updates, i);
      requireSameUpdates(firstUpdates, updates, i);
      scalars.add(Shape.of(input.elementType()));
    }
    check(mapping(firstInput, indices), firstUpdates);
    checkUpdates(mapping(firstInput, indices), firstUpdates);
    checkBody(new Callee("to_apply", in.called().get(0)), scalars.build());
    ImmutableList<Shape> results =
        in.shapes().subList(0, count).stream()
            .map(Shape::withoutLayout)
            .collect(ImmutableList.toImmutableList());
    return ReductionRules.together(results, in.called().get(0));
  }

  private void check(IndexMapping mapping, Shape.Array updates) {
    mapping.requireIntegers();
    mapping.requireIndexVectorDim("scatter C22");
    DimensionList windows = new DimensionList("update_window_dims", updateWindowDims);
    windows.requireIncreasing("scatter C7");
    windows.requireIn("scatter C8", "updates", updates.rank(), updates);
    checkInputDims(mapping);
    checkBatchingDims(mapping);
    mapping.requireWindowRank("scatter C2", windows);
    requireRank(mapping, updates);
    mapping.requireMapSize("scatter C19");
  }

  private static void checkInputDims(IndexMapping mapping) {
    Shape.Array input = mapping.array();
    mapping.collapsed().requireIn("scatter C11", "input", input.rank(), input);
    mapping.collapsed().requireDistinct("scatter C9");
    mapping.collapsed().requireIncreasing("scatter C10");
    mapping.batching().requireIn("scatter C13", "input", input.rank(), input);
    mapping.batching().requireDistinct("scatter C9");
    mapping.batching().requireIncreasing("scatter C12");
    mapping.collapsed().requireDisjoint("scatter C9", mapping.batching());
    mapping.map().requireIn("scatter C21", "input", input.rank(), input);
    mapping.map().requireDistinct("scatter C20");
  }

  private void checkBatchingDims(IndexMapping mapping) {
    DimensionList batching = mapping.indicesBatching();
    Shape.Array indices = mapping.indices();
    batching.requireIn("scatter C15", "scatter_indices", indices.rank(), indices);
    batching.requireDistinct("scatter C14");
    batching.requireDisjoint(
        "scatter C16", new DimensionList("index_vector_dim", Dims.of(indexVectorDim)));
    mapping.requireSameBatches("scatter C17", "scatter C18");
  }

  private static void checkPair(Shape.Array first, Shape.Array input, Shape.Array updates, int i) {
    require(
        input.sizes().equals(first.sizes()),
        "scatter C1",
        "sizes of input %s got %s, want those of input 0, %s",
        i,
        input,
        first);
    require(
        updates.elementType() == input.elementType(),
        "scatter C6",
        "element type of updates %s got %s, want %s as input %s",
        i,
        updates.elementType(),
        input.elementType(),
        i);
  }

  private static void requireSameUpdates(Shape.Array first, Shape.Array updates, int i) {
    require(
        updates.sizes().equals(first.sizes()),
        "scatter C3",
        "sizes of updates %s got %s, want those of updates 0, %s",
        i,
        updates,
        first);
  }

  private void requireRank(IndexMapping mapping, Shape.Array updates) {
    int vectors = mapping.vectorsDims().count();
    int rank = vectors + updateWindowDims.count();
    require(
        updates.rank() == rank,
        "scatter C4",
        "updates 0 got %s, want rank %s: %s to count the vectors of %s, %s of a window",
        updates,
        rank,
        vectors,
        mapping.indices(),
        updateWindowDims.count());
  }

  private void checkUpdates(IndexMapping mapping, Shape.Array updates) {
    Dims vectors = mapping.vectorsDims();
    Dims counting = updateScatterDims(updates.rank());
    for (int i = 0; i < counting.count(); i++) {
      requireSize(updates, counting.getInt(i), mapping.indices(), vectors.getInt(i), true);
    }
    Dims windowDims = mapping.windowDims();
    for (int i = 0; i < windowDims.count(); i++) {
      requireSize(
          updates, updateWindowDims.getInt(i), mapping.array(), windowDims.getInt(i), false);
    }
  }

  private static void requireSize(
      Shape.Array updates, int own, Shape.Array other, int dimension, boolean equal) {
    long got = updates.size(own);
    long want = other.size(dimension);
    require(
        (equal ? got == want : got <= want)
            || updates.isUnbounded(own)
            || other.isUnbounded(dimension),
        "scatter C4",
        "size of dimension %s of updates 0 got %s, want %s%s as dimension %s of %s %s",
        own,
        updates.sizeText(own),
        equal ? "" : "at most ",
        other.sizeText(dimension),
        dimension,
        equal ? "scatter_indices" : "input",
        other);
  }

  private static void checkBody(Callee body, ImmutableList<Shape> scalars) {
    body.requireParameters(
        "scatter C23", ImmutableList.<Shape>builder().addAll(scalars).addAll(scalars).build());
    body.requireResult("scatter C23", ReductionRules.together(scalars, body.signature()));
  }
}
