package org.hlo4j.interpreter.compiled.moves;

import java.util.Arrays;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.compiled.arrays.Storages;

/**
 * Where the windows of a gather or scatter begin in the array, as index vectors and the batching
 * dimensions say.
 */
final class Starts {
  private final ElementType type;
  private final Walk vectors;
  private final Walk batches;
  private final int numberStride;
  private final int[] strides;
  private final int[] last;
  private final boolean clamped;
  private final boolean nowhere;

  /** Whether the vectors are single numbers of s32, one after the other. */
  private final boolean single;

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
  Starts(
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
    this.vectors = Walk.along(counting, sizes, indexStrides);
    this.batches = new Walk(Strides.ints(sizes.at(counting)), along);
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
    this.single =
        last.length == 1 && batching.isEmpty() && vectors.isEven(1) && type == ElementType.S32;
  }

  /** How many windows there are. */
  int count() {
    return vectors.count();
  }

  /** For so many windows from one on the position each begins at, or below 0 if it is left out. */
  int[] of(Object indices, int first, int many) {
    int[] starts = new int[many];
    if (nowhere) {
      Arrays.fill(starts, -1);
      return starts;
    }
    if (single && indices instanceof int[] ints) {
      System.arraycopy(ints, first, starts, 0, many);
      if (clamped) {
        clamp(starts);
      } else {
        leaveOut(starts);
      }
      return starts;
    }
    int[] places = new int[many];
    vectors.fill(first, many, places);
    batches.fill(first, many, starts);
    for (int i = 0; i < last.length; i++) {
      if (indices instanceof int[] ints && type == ElementType.S32) {
        add(ints, i, places, starts);
      } else {
        add(indices, i, places, starts);
      }
    }
    return starts;
  }

  /** One number each, in a row: alone in a loop, C2 makes vectors of it. */
  private void clamp(int[] starts) {
    int most = last[0];
    int stride = strides[0];
    for (int i = 0; i < starts.length; i++) {
      starts[i] = Math.max(0, Math.min(starts[i], most)) * stride;
    }
  }

  /** The same; those that do not fit become -1. */
  private void leaveOut(int[] starts) {
    int most = last[0];
    int stride = strides[0];
    for (int i = 0; i < starts.length; i++) {
      int index = starts[i];
      starts[i] = index < 0 || index > most ? -1 : index * stride;
    }
  }

  private void add(int[] indices, int number, int[] places, int[] starts) {
    int offset = number * numberStride;
    int most = last[number];
    int stride = strides[number];
    for (int i = 0; i < starts.length; i++) {
      int index = indices[places[i] + offset];
      if (clamped) {
        starts[i] += Math.max(0, Math.min(index, most)) * stride;
      } else {
        starts[i] = index < 0 || index > most || starts[i] < 0 ? -1 : starts[i] + index * stride;
      }
    }
  }

  private void add(Object indices, int number, int[] places, int[] starts) {
    int offset = number * numberStride;
    int most = last[number];
    for (int i = 0; i < starts.length; i++) {
      long index = Storages.index(type, indices, places[i] + offset);
      boolean outside = !clamped && (index < 0 || index > most);
      int position = starts[i] + Math.clamp(index, 0, most) * strides[number];
      starts[i] = outside || starts[i] < 0 ? -1 : position;
    }
  }
}
