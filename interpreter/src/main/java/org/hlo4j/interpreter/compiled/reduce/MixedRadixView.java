package org.hlo4j.interpreter.compiled.reduce;

import com.google.common.primitives.ImmutableIntArray;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.interpreter.compiled.index.Offsets;
import org.jspecify.annotations.Nullable;

/**
 * A map from positions of a space to elements of an array: {@code offset + sum of digit[k] *
 * stride[k]}, where the digits are those of the position in a mixed radix, the most significant
 * first. A view is in normal form, so that equal views compare equal: it has no digit of size 1 and
 * no neighbouring digits that can be merged.
 *
 * @param digits the sizes and strides of the digits
 * @param offset the index of position 0
 */
record MixedRadixView(Offsets digits, int offset) {
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof MixedRadixView that
        && offset == that.offset
        && digits.equals(that.digits);
  }

  @Override
  public int hashCode() {
    return 31 * offset + digits.hashCode();
  }

  /** {@return the view in which position i is element i} */
  static MixedRadixView identity(int count) {
    return of(Dims.of(count), Dims.of(1), 0);
  }

  /** {@return a view with a digit for each dimension} */
  static MixedRadixView of(Dims sizes, Dims strides, int offset) {
    return new MixedRadixView(Offsets.merged(sizes, strides), offset);
  }

  /**
   * Composes this view, which is one of an array A, with a map from A to another array B.
   *
   * @param sizes the sizes of A
   * @param strides for each dimension of A, its stride in B
   * @param start the index in B of the first element of A
   * @return the view of B; empty if a digit straddles dimensions of A
   */
  Optional<MixedRadixView> compose(Dims sizes, Dims strides, int start) {
    Dims dense = sizes.rowMajorStrides();
    long[] last = new long[dense.count()];
    int moved = start;
    for (int i = 0, rest = offset; i < last.length; i++) {
      last[i] = rest / dense.get(i);
      moved += (int) (last[i] * strides.get(i));
      rest %= dense.getInt(i);
    }
    List<Integer> seenSizes = new ArrayList<>();
    List<Integer> seenStrides = new ArrayList<>();
    for (int k = digits.sizes().length() - 1; k >= 0; k--) {
      int size = digits.sizes().get(k);
      int stride = digits.strides().get(k);
      for (int i = last.length - 1; i >= 0 && size > 1 && stride > 0; i--) {
        int part = partWithin(i, size, stride, sizes, dense);
        if (part == 0) {
          return Optional.empty();
        }
        int step = (int) (stride / dense.get(i));
        seenSizes.add(part);
        seenStrides.add((int) (step * strides.get(i)));
        last[i] += (long) (part - 1) * step;
        size /= part;
        stride *= part;
      }
      if (size > 1 && stride > 0) {
        return Optional.empty();
      }
      seenSizes.add(size);
      seenStrides.add(0);
    }
    return Dims.of(last).inBounds(sizes)
        ? Optional.of(
            of(Dims.copyOf(seenSizes.reversed()), Dims.copyOf(seenStrides.reversed()), moved))
        : Optional.empty();
  }

  /**
   * {@return the number of values of a digit that stay within a dimension; 0 if the digit straddles
   * it}
   */
  private static int partWithin(int dimension, int size, int stride, Dims sizes, Dims dense) {
    long within = dense.get(dimension);
    long most = sizes.get(dimension);
    if (stride >= within * most) {
      return 1;
    }
    long step = stride / within;
    int part = (int) Math.min(size, Math.ceilDiv(most, step));
    boolean fits = stride % within == 0 && size % part == 0;
    return fits && (part == size || part * step == most) ? part : 0;
  }

  /**
   * Returns the stride of the innermost positions if it is constant.
   *
   * @param inner the number of innermost positions
   * @return the stride; empty if it is not constant
   */
  Optional<Integer> strideWithin(int inner) {
    if (inner == 1) {
      return Optional.of(0);
    }
    return digits.innerSize() % inner == 0 ? Optional.of(digits.innerStride()) : Optional.empty();
  }

  /**
   * Returns where each row of innermost positions begins.
   *
   * @param inner the number of positions in a row; {@link #strideWithin} is present for it
   * @return the index of the first element of each row, without the offset
   */
  Offsets rowStarts(int inner) {
    return digits.each(inner);
  }

  /**
   * Returns the image of a walk over positions in the array.
   *
   * @param positions the walk
   * @return the walk in the array, without the offset; empty if a step has no constant stride
   */
  Optional<Offsets> imageOf(Offsets positions) {
    ImmutableIntArray sizes = positions.sizes();
    List<Integer> strides = new ArrayList<>();
    for (int i = 0; i < sizes.length(); i++) {
      int stride = stride(sizes.get(i), positions.strides().get(i));
      if (stride < 0) {
        return Optional.empty();
      }
      strides.add(stride);
    }
    return Optional.of(Offsets.of(sizes.asList(), strides));
  }

  /**
   * {@return the stride in the array of {@code size} steps of {@code step} positions each; -1 if
   * these are not within one digit}
   */
  private int stride(int size, int step) {
    int weight = 1;
    for (int k = digits.sizes().length() - 1; k >= 0; k--) {
      int next = weight * digits.sizes().get(k);
      if (step < next) {
        boolean isWithin = step % weight == 0 && (long) step * size <= next;
        return isWithin ? step / weight * digits.strides().get(k) : -1;
      }
      weight = next;
    }
    return digits.sizes().isEmpty() ? 0 : -1;
  }
}
