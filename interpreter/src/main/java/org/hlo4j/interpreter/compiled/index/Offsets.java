package org.hlo4j.interpreter.compiled.index;

import com.google.common.primitives.ImmutableIntArray;
import com.google.common.primitives.Ints;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.jspecify.annotations.Nullable;

/**
 * The offsets {@code sum of index[d] * strides[d]} of all indices, in row-major order. They are
 * positions in an array, so that an int holds each, and the stride of each dimension that has more
 * than one index. Only arrays without elements, of which no offset is read, have larger ones.
 */
public final class Offsets {
  private final int[] sizes;
  private final int[] strides;
  private final int count;

  private Offsets(int[] sizes, int[] strides) {
    this.sizes = sizes;
    this.strides = strides;
    int product = 1;
    for (int size : sizes) {
      product *= size;
    }
    this.count = product;
  }

  /**
   * Returns the offsets of an index space, with a digit for each dimension.
   *
   * @param sizes the size of each dimension, outermost first
   * @param strides the stride of each dimension
   */
  public static Offsets of(List<Integer> sizes, List<Integer> strides) {
    return new Offsets(ints(sizes), ints(strides));
  }

  private static int[] ints(List<Integer> values) {
    return Ints.toArray(values);
  }

  /**
   * Returns the offsets of an index space. Dimensions of size 1 are left out, and neighbours that
   * have one stride are merged.
   */
  public static Offsets merged(Dims sizes, Dims strides) {
    List<Integer> mergedSizes = new ArrayList<>();
    List<Integer> mergedStrides = new ArrayList<>();
    for (int d = 0; d < sizes.count(); d++) {
      if (sizes.get(d) == 1) {
        continue;
      }
      int size = sizes.getInt(d);
      int stride = (int) strides.get(d);
      int last = mergedSizes.size() - 1;
      if (last >= 0 && mergedStrides.get(last) == (long) stride * size) {
        mergedSizes.set(last, mergedSizes.get(last) * size);
        mergedStrides.set(last, stride);
      } else {
        mergedSizes.add(size);
        mergedStrides.add(stride);
      }
    }
    return of(mergedSizes, mergedStrides);
  }

  /** Returns the offsets along some dimensions of an array. The indices of the others are 0. */
  public static Offsets ofDimensions(Dims dimensions, Dims sizes) {
    return merged(sizes.at(dimensions), sizes.rowMajorStrides().at(dimensions));
  }

  /** Returns the offsets that have those of other ones within each. */
  public Offsets then(Offsets inner) {
    return new Offsets(Ints.concat(sizes, inner.sizes), Ints.concat(strides, inner.strides));
  }

  /**
   * Returns the offsets of each index whose number is a multiple of {@code step}, which divides the
   * innermost size.
   */
  public Offsets each(int step) {
    int last = sizes.length - 1;
    if (last < 0) {
      return this;
    }
    Offsets outer = new Offsets(Arrays.copyOf(sizes, last), Arrays.copyOf(strides, last));
    return sizes[last] == step
        ? outer
        : outer.then(of(List.of(sizes[last] / step), List.of(strides[last] * step)));
  }

  /** Returns the size of each dimension, outermost first. */
  public ImmutableIntArray sizes() {
    return ImmutableIntArray.copyOf(sizes);
  }

  /** Returns the stride of each dimension. */
  public ImmutableIntArray strides() {
    return ImmutableIntArray.copyOf(strides);
  }

  public int count() {
    return count;
  }

  /** Returns the size of the innermost dimension; 0 if there is none. */
  public int innerSize() {
    return sizes.length == 0 ? 0 : sizes[sizes.length - 1];
  }

  /** Returns the stride of the innermost dimension; 0 if there is none. */
  public int innerStride() {
    return sizes.length == 0 ? 0 : strides[sizes.length - 1];
  }

  /**
   * Returns the stride within each run of {@code count} indices, which are counted from the first;
   * empty if there is no constant one.
   */
  public Optional<Integer> strideWithin(int count) {
    if (count == 1) {
      return Optional.of(0);
    }
    return innerSize() % count == 0 ? Optional.of(innerStride()) : Optional.empty();
  }

  /** Returns whether all offsets are 0. */
  public boolean isZero() {
    return Arrays.stream(strides).allMatch(stride -> stride == 0);
  }

  /** Returns whether the offsets have the constant stride {@code step}. */
  public boolean hasStride(int step) {
    return sizes.length == 0 || (sizes.length == 1 && strides[0] == step);
  }

  /** Returns the constant stride of the offsets; -1 if there is none. */
  public int constantStride() {
    return sizes.length > 1 ? -1 : sizes.length == 0 ? 0 : strides[0];
  }

  /** Returns the offset of the index with a number. */
  public int at(int number) {
    int remaining = number;
    int offset = 0;
    for (int d = sizes.length - 1; d > 0; d--) {
      offset += remaining % sizes[d] * strides[d];
      remaining /= sizes[d];
    }
    return sizes.length == 0 ? 0 : offset + remaining * strides[0];
  }

  /** Computes the offsets of {@code length} indices, from number {@code first} on. */
  public void fill(int first, int length, int[] offsets) {
    int last = sizes.length - 1;
    int line = last < 0 ? 1 : sizes[last];
    int step = last < 0 ? 0 : strides[last];
    for (int i = 0; i < length; ) {
      int offset = at(first + i);
      int end = Math.min(length, i + line - (first + i) % line);
      for (; i < end; i++) {
        offsets[i] = offset;
        offset += step;
      }
    }
  }

  /** Returns whether all offsets are multiples of a number. */
  public boolean areMultiples(int number) {
    return IntStream.range(0, sizes.length).allMatch(d -> sizes[d] < 2 || strides[d] % number == 0);
  }

  /** Returns all offsets. */
  public int[] all() {
    int[] offsets = new int[count];
    fill(0, count, offsets);
    return offsets;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Offsets that
        && Arrays.equals(sizes, that.sizes)
        && Arrays.equals(strides, that.strides);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(sizes) + Arrays.hashCode(strides);
  }

  @Override
  public String toString() {
    return sizes() + " by " + strides();
  }
}
