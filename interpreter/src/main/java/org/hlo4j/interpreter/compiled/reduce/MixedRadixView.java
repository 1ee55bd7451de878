package org.hlo4j.interpreter.compiled.reduce;

import com.google.common.primitives.ImmutableIntArray;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.jspecify.annotations.Nullable;

/**
 * Which element of an array belongs to each position of a space: {@code offset + sum of digit[k] *
 * stride[k]}, where the digits are those of the position's number, the most significant first. Kept
 * in its shortest form, so that equal views are equal: no digit of size 1, no neighbours that could
 * be one.
 *
 * @param digits the digits
 * @param offset where position 0 lies
 */
record MixedRadixView(List<Digit> digits, int offset) {
  /**
   * A digit of the number of a position.
   *
   * @param size how many values it has
   * @param stride how far it moves in the array
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

  /** The view in which each position is an element, in order. */
  static MixedRadixView identity(int count) {
    return of(List.of(new Digit(count, 1)), 0);
  }

  /** A view with a digit for each dimension. */
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

  /** Whether all positions have the same element. */
  boolean isSplat() {
    return digits.stream().allMatch(digit -> digit.stride() == 0);
  }

  /**
   * The view of an array that another is made of: seen through this view of that other.
   *
   * @param sizes the sizes of that other
   * @param strides for each of its dimensions, how far it moves in the array
   * @param start where its first element lies in the array
   * @return the view; empty if digits straddle dimensions
   */
  Optional<MixedRadixView> through(Dims sizes, int[] strides, int start) {
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

  /** Digits within single dimensions that together are one digit, the least significant first. */
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
      int here = Math.min(size, Math.ceilDiv(sizes.getInt(i), step));
      if (stride % dense[i] != 0
          || size % here != 0
          || (here < size && here * step != sizes.getInt(i))) {
        return false;
      }
      parts.add(new Digit(here, step * strides[i]));
      last[i] += (here - 1) * step;
      size /= here;
      stride *= here;
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

  /** How far each dimension moves in a dense array of these sizes. */
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
   * The stride along the innermost positions, if it is the same along all of them.
   *
   * @param inner how many
   * @return the stride; empty if it is not the same
   */
  Optional<Integer> strideWithin(int inner) {
    if (inner == 1 || digits.isEmpty()) {
      return Optional.of(0);
    }
    Digit last = digits.getLast();
    return last.size() % inner == 0 ? Optional.of(last.stride()) : Optional.empty();
  }

  /**
   * Where the innermost positions begin.
   *
   * @param inner how many belong together; {@link #strideWithin} holds for them
   * @return for each group of them its first element, the offset not counted
   */
  DimensionWalk groups(int inner) {
    List<Digit> outer = new ArrayList<>(digits);
    if (inner > 1 && !outer.isEmpty()) {
      Digit last = outer.removeLast();
      if (last.size() > inner) {
        outer.add(new Digit(last.size() / inner, last.stride() * inner));
      }
    }
    return new DimensionWalk(
        ImmutableIntArray.copyOf(outer.stream().mapToInt(Digit::size)),
        ImmutableIntArray.copyOf(outer.stream().mapToInt(Digit::stride)));
  }

  /**
   * How far a walk over positions moves in the array.
   *
   * @param positions the walk
   * @return the walk in the array, the offset not counted; empty if a step of it is not always the
   *     same
   */
  Optional<DimensionWalk> along(DimensionWalk positions) {
    ImmutableIntArray sizes = positions.sizes();
    ImmutableIntArray steps = positions.strides();
    int[] strides = new int[sizes.length()];
    for (int i = 0; i < strides.length; i++) {
      Optional<Integer> stride = stride(sizes.get(i), steps.get(i));
      if (stride.isEmpty()) {
        return Optional.empty();
      }
      strides[i] = stride.get();
    }
    return Optional.of(new DimensionWalk(sizes, ImmutableIntArray.copyOf(strides)));
  }

  /** How far so many steps over positions move each, within one digit. */
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
