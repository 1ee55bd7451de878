package org.hlo4j.interpreter.compiled.indexing;

import com.google.common.primitives.Ints;
import java.util.Arrays;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.compiled.arrays.Storages;
import org.hlo4j.interpreter.compiled.copy.OffsetWalk;
import org.hlo4j.interpreter.compiled.copy.Strides;

/**
 * Where the windows of a gather or scatter begin in the array, as index vectors and the batching
 * dimensions say.
 */
final class WindowStarts {
  private final ElementType type;
  private final OffsetWalk vectors;
  private final OffsetWalk batches;
  private final int numberStride;
  private final int[] strides;
  private final int[] last;
  private final boolean clamped;
  private final boolean nowhere;

  private final boolean isBatched;

  /** How far apart the vectors are; -1 if that varies. */
  private final int vectorStride;

  /**
   * The windows of an op.
   *
   * @param array the array that the windows lie in
   * @param window the sizes of a window, one for each dimension of it
   * @param indices the array of index vectors
   * @param indexVectorDim which of its dimensions holds a vector
   * @param map for each number of a vector the dimension of the array it is for
   * @param batching the dimensions of the array that run along with those of the indices
   * @param indicesBatching the dimensions of the indices that run along
   * @param clamped whether a window is moved to where it fits, or else left out
   */
  WindowStarts(
      Shape.Array array,
      Dims window,
      Shape.Array indices,
      int indexVectorDim,
      Dims map,
      Dims batching,
      Dims indicesBatching,
      boolean clamped) {
    Dims sizes = indices.sizes();
    Dims counting = Dims.range(0, sizes.count()).without(Dims.of(indexVectorDim));
    int[] indexStrides = Strides.of(indices);
    int[] arrayStrides = Strides.of(array);
    int[] along = new int[counting.count()];
    for (int i = 0; i < batching.count(); i++) {
      along[counting.indexOf(indicesBatching.get(i))] = arrayStrides[batching.getInt(i)];
    }
    this.type = indices.elementType();
    this.vectors = OffsetWalk.along(counting, sizes, indexStrides);
    this.batches = new OffsetWalk(Strides.ints(sizes.at(counting)), along);
    this.numberStride = indexVectorDim == sizes.count() ? 0 : indexStrides[indexVectorDim];
    this.strides = Strides.at(arrayStrides, map);
    this.last = new int[map.count()];
    boolean room = true;
    for (int d = 0; d < array.rank(); d++) {
      room &= array.size(d) >= window.get(d);
    }
    for (int i = 0; i < last.length; i++) {
      last[i] = (int) (array.size(map.getInt(i)) - window.get(map.getInt(i)));
    }
    this.clamped = clamped;
    this.nowhere = !clamped && !room;
    this.isBatched = !batching.isEmpty();
    this.vectorStride = vectors.evenStep();
  }

  /** How many windows there are. */
  int count() {
    return vectors.count();
  }

  /** Whether all windows begin at multiples of a number. */
  boolean areMultiples(int number) {
    boolean are = Arrays.stream(batches.all()).allMatch(batch -> batch % number == 0);
    for (int i = 0; i < strides.length; i++) {
      are &= last[i] == 0 || strides[i] % number == 0;
    }
    return are;
  }

  /** For so many windows from one on the position each begins at, or below 0 if it is left out. */
  int[] of(Object indices, int first, int many) {
    int[] starts = new int[many];
    if (nowhere) {
      Arrays.fill(starts, -1);
      return starts;
    }
    if (isBatched) {
      batches.fill(first, many, starts);
    }
    for (int i = 0; i < last.length; i++) {
      int[] numbers = numbers(indices, i * numberStride, first, many);
      if (clamped) {
        clamp(numbers, last[i], strides[i], starts);
      } else {
        leaveOut(numbers, last[i], strides[i], starts);
      }
    }
    return starts;
  }

  /** One number of each vector; what no array reaches is negative, or the greatest. */
  private int[] numbers(Object indices, int offset, int first, int many) {
    int[] numbers = new int[many];
    if (vectorStride < 0) {
      vectors.fill(first, many, numbers);
      for (int i = 0; i < many; i++) {
        numbers[i] = number(indices, numbers[i] + offset);
      }
      return numbers;
    }
    int at = first * vectorStride + offset;
    switch (indices) {
      case int[] cells when vectorStride == 1 -> System.arraycopy(cells, at, numbers, 0, many);
      case int[] cells -> copyStrided(cells, at, vectorStride, numbers);
      case long[] cells -> copyStrided(cells, at, vectorStride, numbers);
      case Object cells -> copyStrided(cells, at, vectorStride, numbers);
    }
    if (type == ElementType.U32) {
      saturate(numbers);
    }
    return numbers;
  }

  private int number(Object indices, int place) {
    return Ints.saturatedCast(Storages.index(type, indices, place));
  }

  private static void copyStrided(int[] cells, int at, int step, int[] numbers) {
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = cells[at + i * step];
    }
  }

  private void copyStrided(long[] cells, int at, int step, int[] numbers) {
    long beyond = type == ElementType.U64 ? Integer.MAX_VALUE : -1;
    for (int i = 0; i < numbers.length; i++) {
      long number = cells[at + i * step];
      numbers[i] = (int) (number < 0 ? beyond : Math.min(number, Integer.MAX_VALUE));
    }
  }

  private void copyStrided(Object cells, int at, int step, int[] numbers) {
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = number(cells, at + i * step);
    }
  }

  private static void saturate(int[] unsigned) {
    for (int i = 0; i < unsigned.length; i++) {
      unsigned[i] = unsigned[i] < 0 ? Integer.MAX_VALUE : unsigned[i];
    }
  }

  /** Alone in a loop, C2 makes vectors of it. */
  private static void clamp(int[] numbers, int most, int stride, int[] starts) {
    for (int i = 0; i < numbers.length; i++) {
      starts[i] += Math.max(0, Math.min(numbers[i], most)) * stride;
    }
  }

  /** The same; those that do not fit become -1. */
  private static void leaveOut(int[] numbers, int most, int stride, int[] starts) {
    for (int i = 0; i < numbers.length; i++) {
      int number = numbers[i];
      boolean outside = number < 0 || number > most || starts[i] < 0;
      starts[i] = outside ? -1 : starts[i] + number * stride;
    }
  }
}
