package org.hlo4j.interpreter.compiled.indexing;

import com.google.common.primitives.Ints;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.compiled.arrays.Storages;
import org.hlo4j.interpreter.compiled.index.Offsets;
import org.hlo4j.interpreter.compiled.loops.ComputedArray;

/**
 * The start positions of the windows of a gather or scatter, computed from index vectors and
 * batching dimensions.
 */
final class WindowStarts {
  private final ElementType type;
  private final Offsets vectors;
  private final Offsets batches;
  private final int componentStride;
  private final Dims strides;
  private final int[] last;

  /** The components that are read: a batching dimension is indexed by the batch alone. */
  private final int[] read;

  private final boolean isClamped;
  private final boolean fitsNowhere;

  private final boolean isBatched;

  /** The constant stride of the index vectors; -1 if there is none. */
  private final int vectorStride;

  /**
   * Creates the windows of an op.
   *
   * @param array the array that contains the windows
   * @param window the sizes of a window, one for each dimension of the array
   * @param indices the array of index vectors
   * @param indexVectorDim the dimension of {@code indices} that holds a vector
   * @param map for each component of a vector, the dimension of the array that it indexes
   * @param batching the batching dimensions of the array
   * @param indicesBatching the corresponding dimensions of the indices
   * @param isClamped whether a window that does not fit is moved to where it fits; otherwise it is
   *     left out
   */
  WindowStarts(
      Shape.Array array,
      Dims window,
      Shape.Array indices,
      int indexVectorDim,
      Dims map,
      Dims batching,
      Dims indicesBatching,
      boolean isClamped) {
    Dims sizes = indices.sizes();
    Dims batchDims = Dims.range(0, sizes.count()).without(Dims.of(indexVectorDim));
    Dims arrayStrides = array.sizes().rowMajorStrides();
    Dims batchStrides = Dims.filled(batchDims.count(), 0);
    for (int i = 0; i < batching.count(); i++) {
      batchStrides =
          batchStrides.with(
              batchDims.indexOf(indicesBatching.get(i)), arrayStrides.get(batching.getInt(i)));
    }
    this.type = indices.elementType();
    this.vectors = Offsets.ofDimensions(batchDims, sizes);
    this.batches = Offsets.merged(sizes.at(batchDims), batchStrides);
    this.componentStride =
        indexVectorDim == sizes.count() ? 0 : (int) sizes.rowMajorStrides().get(indexVectorDim);
    this.strides = arrayStrides.at(map);
    this.last = new int[map.count()];
    this.read =
        IntStream.range(0, map.count()).filter(i -> !batching.contains(map.get(i))).toArray();
    boolean room = true;
    for (int d = 0; d < array.rank(); d++) {
      room &= array.size(d) >= window.get(d);
    }
    for (int i = 0; i < last.length; i++) {
      last[i] = (int) (array.size(map.getInt(i)) - window.get(map.getInt(i)));
    }
    this.isClamped = isClamped;
    this.fitsNowhere = !isClamped && !room;
    this.isBatched = !batching.isEmpty();
    this.vectorStride = vectors.constantStride();
  }

  /** Returns the number of windows. */
  int count() {
    return vectors.count();
  }

  /**
   * Returns whether the numbers of neighbouring index vectors, and those of one vector, are
   * neighbours.
   */
  boolean readsVectorsInOrder() {
    return vectorStride > 0 && (last.length - 1) * componentStride < vectorStride;
  }

  /** Returns whether all windows begin at multiples of a number. */
  boolean areMultiples(int number) {
    boolean are = batches.areMultiples(number);
    for (int i : read) {
      are &= last[i] == 0 || strides.get(i) % number == 0;
    }
    return are;
  }

  /**
   * Returns the start positions of {@code count} windows from number {@code first} on. The position
   * is negative if the window is left out.
   *
   * @param indices the storage of the indices, or a reader of them
   */
  int[] of(Object indices, int first, int count) {
    int[] starts = new int[count];
    if (fitsNowhere) {
      Arrays.fill(starts, -1);
      return starts;
    }
    if (isBatched) {
      batches.fill(first, count, starts);
    }
    boolean isStored = !(indices instanceof ComputedArray.Reader);
    Object cells = isStored ? indices : read((ComputedArray.Reader) indices, first, count);
    for (int i : read) {
      int[] numbers = components(cells, i * componentStride, isStored ? first : 0, count);
      if (isClamped) {
        addClamped(numbers, last[i], (int) strides.get(i), starts);
      } else {
        addOrExclude(numbers, last[i], (int) strides.get(i), starts);
      }
    }
    return starts;
  }

  private Object read(ComputedArray.Reader indices, int first, int count) {
    Object cells = Storages.allocate(type, count * vectorStride);
    indices.read(first * vectorStride, count * vectorStride, cells, 0);
    return cells;
  }

  /**
   * Returns one component of each vector, as an int. Values out of range become negative, or the
   * greatest int.
   */
  private int[] components(Object indices, int offset, int first, int count) {
    int[] numbers = new int[count];
    if (vectorStride < 0) {
      vectors.fill(first, count, numbers);
      for (int i = 0; i < count; i++) {
        numbers[i] = component(indices, numbers[i] + offset);
      }
      return numbers;
    }
    int at = first * vectorStride + offset;
    switch (indices) {
      case int[] cells when vectorStride == 1 -> System.arraycopy(cells, at, numbers, 0, count);
      case int[] cells -> copyStrided(cells, at, vectorStride, numbers);
      case long[] cells -> copyStrided(cells, at, vectorStride, numbers);
      case Object cells -> copyStrided(cells, at, vectorStride, numbers);
    }
    if (type == ElementType.U32) {
      saturate(numbers);
    }
    return numbers;
  }

  private int component(Object indices, int place) {
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
      numbers[i] = component(cells, at + i * step);
    }
  }

  private static void saturate(int[] unsigned) {
    for (int i = 0; i < unsigned.length; i++) {
      unsigned[i] = unsigned[i] < 0 ? Integer.MAX_VALUE : unsigned[i];
    }
  }

  /** Adds clamped components. The loop contains nothing else, so that C2 vectorizes it. */
  private static void addClamped(int[] numbers, int maxStart, int stride, int[] starts) {
    for (int i = 0; i < numbers.length; i++) {
      starts[i] += Math.max(0, Math.min(numbers[i], maxStart)) * stride;
    }
  }

  /** Adds components; a window that does not fit gets -1. */
  private static void addOrExclude(int[] numbers, int maxStart, int stride, int[] starts) {
    for (int i = 0; i < numbers.length; i++) {
      int number = numbers[i];
      boolean outside = number < 0 || number > maxStart || starts[i] < 0;
      starts[i] = outside ? -1 : starts[i] + number * stride;
    }
  }
}
