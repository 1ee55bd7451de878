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
 * @param digits the digits
 * @param offset the index of position 0
 */
record MixedRadixView(List<Digit> digits, int offset) {
  /**
   * A digit of a position.
   *
   * @param size the number of its values
   * @param stride its stride in the array
   */
  record Digit(int size, int stride) {
    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Digit that && size == that.size && stride == that.stride;
    }

    @Override
    public int hashCode() {
      return 31 * size + stride;
    }
  }

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
    return of(List.of(new Digit(count, 1)), 0);
  }

  /** {@return a view with a digit for each dimension} */
  static MixedRadixView of(Dims sizes, int[] strides, int offset) {
    List<Digit> digits = new ArrayList<>();
    for (int i = 0; i < strides.length; i++) {
      digits.add(new Digit(sizes.getInt(i), strides[i]));
    }
    return of(digits, offset);
  }

  private static MixedRadixView of(List<Digit> digits, int offset) {
    List<Digit> merged = new ArrayList<>();
    for (Digit digit : digits) {
      Digit last = merged.isEmpty() ? null : merged.getLast();
      if (digit.size() != 1 && last != null && last.stride() == digit.stride() * digit.size()) {
        merged.set(merged.size() - 1, new Digit(last.size() * digit.size(), digit.stride()));
      } else if (digit.size() != 1) {
        merged.add(digit);
      }
    }
    return new MixedRadixView(List.copyOf(merged), offset);
  }

  /** {@return whether all positions have the same element} */
  boolean isSplat() {
    return digits.stream().allMatch(digit -> digit.stride() == 0);
  }

  /**
   * Composes this view, which is one of an array A, with a map from A to another array B.
   *
   * @param sizes the sizes of A
   * @param strides for each dimension of A, its stride in B
   * @param start the index in B of the first element of A
   * @return the view of B; empty if a digit straddles dimensions of A
   */
  Optional<MixedRadixView> compose(Dims sizes, int[] strides, int start) {
    int[] dense = denseStrides(sizes);
    int[] last = new int[dense.length];
    List<Digit> seen = new ArrayList<>();
    int moved = start;
    for (int i = 0, rest = offset; i < dense.length; i++) {
      last[i] = rest / dense[i];
      moved += last[i] * strides[i];
      rest %= dense[i];
    }
    for (Digit digit : digits) {
      List<Digit> parts = new ArrayList<>();
      if (!split(digit, sizes, dense, strides, last, parts)) {
        return Optional.empty();
      }
      seen.addAll(parts.reversed());
    }
    return within(last, sizes) ? Optional.of(of(seen, moved)) : Optional.empty();
  }

  /**
   * Splits a digit into digits within single dimensions, the least significant first.
   *
   * @return false if the digit straddles dimensions
   */
  private static boolean split(
      Digit digit, Dims sizes, int[] dense, int[] strides, int[] last, List<Digit> parts) {
    if (digit.stride() == 0) {
      return parts.add(digit);
    }
    int size = digit.size();
    int stride = digit.stride();
    for (int i = dense.length - 1; i >= 0 && size > 1; i--) {
      if (stride >= dense[i] * sizes.getInt(i)) {
        continue;
      }
      int step = stride / dense[i];
      int partSize = Math.min(size, Math.ceilDiv(sizes.getInt(i), step));
      if (stride % dense[i] != 0
          || size % partSize != 0
          || (partSize < size && partSize * step != sizes.getInt(i))) {
        return false;
      }
      parts.add(new Digit(partSize, step * strides[i]));
      last[i] += (partSize - 1) * step;
      size /= partSize;
      stride *= partSize;
    }
    return size == 1;
  }

  private static boolean within(int[] index, Dims sizes) {
    for (int i = 0; i < index.length; i++) {
      if (index[i] >= sizes.get(i)) {
        return false;
      }
    }
    return true;
  }

  /** {@return the strides of a dense row-major array} */
  static int[] denseStrides(Dims sizes) {
    int[] strides = new int[sizes.count()];
    int stride = 1;
    for (int i = strides.length - 1; i >= 0; i--) {
      strides[i] = stride;
      stride *= Math.max(1, sizes.getInt(i));
    }
    return strides;
  }

  /**
   * Returns the stride of the innermost positions if it is constant.
   *
   * @param inner the number of innermost positions
   * @return the stride; empty if it is not constant
   */
  Optional<Integer> strideWithin(int inner) {
    if (inner == 1 || digits.isEmpty()) {
      return Optional.of(0);
    }
    Digit last = digits.getLast();
    return last.size() % inner == 0 ? Optional.of(last.stride()) : Optional.empty();
  }

  /**
   * Returns where each row of innermost positions begins.
   *
   * @param inner the number of positions in a row; {@link #strideWithin} is present for it
   * @return the index of the first element of each row, without the offset
   */
  Offsets rowStarts(int inner) {
    List<Digit> outer = new ArrayList<>(digits);
    if (inner > 1 && !outer.isEmpty()) {
      Digit last = outer.removeLast();
      if (last.size() > inner) {
        outer.add(new Digit(last.size() / inner, last.stride() * inner));
      }
    }
    return Offsets.of(
        outer.stream().map(Digit::size).toList(), outer.stream().map(Digit::stride).toList());
  }

  /**
   * Returns the image of a walk over positions in the array.
   *
   * @param positions the walk
   * @return the walk in the array, without the offset; empty if a step has no constant stride
   */
  Optional<Offsets> imageOf(Offsets positions) {
    ImmutableIntArray sizes = positions.sizes();
    ImmutableIntArray steps = positions.strides();
    List<Integer> strides = new ArrayList<>();
    for (int i = 0; i < sizes.length(); i++) {
      Optional<Integer> stride = stride(sizes.get(i), steps.get(i));
      if (stride.isEmpty()) {
        return Optional.empty();
      }
      strides.add(stride.get());
    }
    return Optional.of(Offsets.of(sizes.asList(), strides));
  }

  /**
   * {@return the stride in the array of {@code size} steps of {@code step} positions each; empty if
   * these are not within one digit}
   */
  private Optional<Integer> stride(int size, int step) {
    int weight = 1;
    for (Digit digit : digits.reversed()) {
      if (step < weight * digit.size()) {
        boolean isWithin = step % weight == 0 && step * size <= weight * digit.size();
        return isWithin ? Optional.of(step / weight * digit.stride()) : Optional.empty();
      }
      weight *= digit.size();
    }
    return digits.isEmpty() ? Optional.of(0) : Optional.empty();
  }
}
