package org.hlo4j.interpreter.reference;

import java.util.List;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;

/**
 * Index vectors that are data: those of a gather or scatter, one for each window, made whole with
 * the batching dimensions and 0 where they say nothing.
 */
final class Indices {
  private final Literal indices;
  private final Dims map;
  private final Dims batching;
  private final int[] vectors;
  private final int[][] batches;
  private final int numberStride;
  private final int rank;

  /**
   * The vectors in an array.
   *
   * @param indices the array
   * @param indexVectorDim which of its dimensions holds a vector
   * @param map for each number of a vector the dimension it is for
   * @param batching the dimensions that run along with those of the indices
   * @param indicesBatching the dimensions of the indices that run along
   * @param rank how many numbers a whole vector has
   */
  Indices(
      Literal indices,
      int indexVectorDim,
      Dims map,
      Dims batching,
      Dims indicesBatching,
      int rank) {
    Dims sizes = indices.arrayShape().sizes();
    Dims counting = Dims.range(0, sizes.count()).without(Dims.of(indexVectorDim));
    this.indices = indices;
    this.map = map;
    this.batching = batching;
    this.rank = rank;
    this.vectors = Offsets.along(counting, sizes);
    this.numberStride =
        indexVectorDim == sizes.count() ? 0 : (int) Offsets.strides(sizes).get(indexVectorDim);
    this.batches = new int[batching.count()][];
    for (int i = 0; i < batches.length; i++) {
      int running = counting.indexOf(indicesBatching.get(i));
      Dims unit = Dims.filled(counting.count(), 0).with(running, 1);
      batches[i] = Offsets.all(sizes.at(counting), unit);
    }
  }

  /** How many windows there are. */
  int count() {
    return vectors.length;
  }

  /** The whole vector of a window, the windows being counted in row-major order. */
  Dims at(int window) {
    long[] index = new long[rank];
    for (int i = 0; i < map.count(); i++) {
      index[map.getInt(i)] = at(indices, vectors[window] + i * numberStride);
    }
    for (int i = 0; i < batches.length; i++) {
      index[batching.getInt(i)] = batches[i][window];
    }
    return Dims.of(index);
  }

  /** The start indices of a dynamic slice: scalars, or one vector. */
  static Dims all(List<Literal> starts) {
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

  /** One number; one beyond the signed range, which no array reaches, as the greatest there is. */
  private static long at(Literal indices, int position) {
    long number = indices.longAt(position);
    boolean beyond = number < 0 && indices.elementType().kind() == ElementType.Kind.UNSIGNED;
    return beyond ? Long.MAX_VALUE : number;
  }
}
