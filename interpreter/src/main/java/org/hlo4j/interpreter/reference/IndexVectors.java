package org.hlo4j.interpreter.reference;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.op.Gather;
import org.hlo4j.hlo.op.Scatter;

/**
 * The index vectors of a gather or scatter, one for each window. Each is completed with the indices
 * of batching dimensions, and with 0 in the dimensions that it does not cover.
 */
public final class IndexVectors {
  private final Literal indices;
  private final Dims map;
  private final Dims batching;
  private final int[] vectors;
  private final int[][] batches;
  private final int numberStride;
  private final int rank;
  private final Dims counting;

  /**
   * Reads the index vectors from an array.
   *
   * @param indices the array
   * @param indexVectorDim the dimension of the array that holds a vector
   * @param map for each number of a vector, the operand dimension that it indexes
   * @param batching the batching dimensions of the operand
   * @param indicesBatching the corresponding dimensions of the array of indices
   * @param rank the length of a complete vector
   */
  IndexVectors(
      Literal indices,
      int indexVectorDim,
      Dims map,
      Dims batching,
      Dims indicesBatching,
      int rank) {
    Dims sizes = indices.arrayShape().sizes();
    this.counting = Dims.range(0, sizes.count()).without(Dims.of(indexVectorDim));
    this.indices = indices;
    this.map = map;
    this.batching = batching;
    this.rank = rank;
    this.vectors = Offsets.ofDimensions(counting, sizes);
    this.numberStride =
        indexVectorDim == sizes.count() ? 0 : (int) sizes.rowMajorStrides().get(indexVectorDim);
    this.batches = new int[batching.count()][];
    for (int i = 0; i < batches.length; i++) {
      int running = counting.indexOf(indicesBatching.get(i));
      Dims unit = Dims.filled(counting.count(), 0).with(running, 1);
      batches[i] = Offsets.ofAllIndices(sizes.at(counting), unit);
    }
  }

  /**
   * Reads where the windows of a gather begin.
   *
   * @param op the gather
   * @param indices the array of indices
   * @param rank the rank of the operand
   * @return the index vectors
   */
  public static IndexVectors of(Gather op, Literal indices, int rank) {
    return new IndexVectors(
        indices,
        op.indexVectorDim(),
        op.startIndexMap(),
        op.operandBatchingDims(),
        op.startIndicesBatchingDims(),
        rank);
  }

  /**
   * Reads where the windows of a scatter begin.
   *
   * @param op the scatter
   * @param indices the array of indices
   * @param rank the rank of the inputs
   * @return the index vectors
   */
  public static IndexVectors of(Scatter op, Literal indices, int rank) {
    return new IndexVectors(
        indices,
        op.indexVectorDim(),
        op.scatterDimsToOperandDims(),
        op.inputBatchingDims(),
        op.scatterIndicesBatchingDims(),
        rank);
  }

  /**
   * Returns whether the index vectors of each batch are in lexicographic order of the dimensions
   * that they index.
   *
   * @return whether none is less than the one before
   */
  public boolean areSorted() {
    Dims order = batching.concat(Dims.of(map.stream().sorted().toArray()));
    return IntStream.range(1, count())
        .noneMatch(
            i -> Arrays.compare(at(i - 1).at(order).toArray(), at(i).at(order).toArray()) > 0);
  }

  /** Returns the number of windows. */
  int count() {
    return vectors.length;
  }

  /**
   * Returns the complete index vector of a window.
   *
   * @param window its number, counted in row-major order
   * @return the index in each dimension
   */
  public Dims at(int window) {
    long[] index = new long[rank];
    for (int i = 0; i < map.count(); i++) {
      index[map.getInt(i)] = at(indices, vectors[window] + i * numberStride);
    }
    for (int i = 0; i < batches.length; i++) {
      index[batching.getInt(i)] = batches[i][window];
    }
    return Dims.of(index);
  }

  /**
   * Returns where in the array the index vector of a window is: {@code [2,:]}; empty if the array
   * has no other.
   */
  String place(int window) {
    Dims sizes = indices.arrayShape().sizes();
    if (counting.isEmpty()) {
      return "";
    }
    String[] at = new String[sizes.count()];
    Arrays.fill(at, ":");
    long rest = window;
    for (int i = counting.count() - 1; i >= 0; i--) {
      long size = sizes.get(counting.getInt(i));
      at[counting.getInt(i)] = Long.toString(rest % size);
      rest /= size;
    }
    return "[" + String.join(",", at) + "]";
  }

  /** Returns the start indices of a dynamic slice, which are scalars or one vector. */
  static Dims dynamicSliceStart(List<Literal> starts) {
    if (starts.size() == 1) {
      Literal vector = starts.get(0);
      long[] index = new long[vector.elementCount()];
      for (int i = 0; i < index.length; i++) {
        index[i] = at(vector, i);
      }
      return Dims.of(index);
    }
    return Dims.of(starts.stream().mapToLong(start -> at(start, 0)).toArray());
  }

  /**
   * Returns one index. An unsigned index beyond the signed range becomes the greatest long, since
   * no array is that large.
   */
  private static long at(Literal indices, int position) {
    long number = indices.longAt(position);
    boolean beyond = number < 0 && indices.elementType().kind() == ElementType.Kind.UNSIGNED;
    return beyond ? Long.MAX_VALUE : number;
  }
}
