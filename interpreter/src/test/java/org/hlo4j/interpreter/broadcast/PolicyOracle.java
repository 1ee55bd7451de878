package org.hlo4j.interpreter.broadcast;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;

/**
 * Broadcasting policies by index arithmetic on the output alone, for comparison: every operand is
 * written with a size for each dimension of the result, 1 where it has none, and read with stride 0
 * where its size is 1. Shares nothing with the builder.
 */
final class PolicyOracle {
  private PolicyOracle() {}

  /**
   * What is left after the rule: the sizes of the result, and each operand's with as many.
   *
   * @param result the sizes of the result
   * @param operands the sizes of each operand, filled up with 1
   */
  record Aligned(Dims result, List<Dims> operands) {
    /** For each element of the result, row-major, the element of an operand that goes there. */
    int[] sources(int operand) {
      long[] sizes = operands.get(operand).toArray();
      int count = (int) result.product();
      return IntStream.range(0, count).map(at -> source(at, sizes)).toArray();
    }

    private int source(int at, long[] sizes) {
      int source = 0;
      int stride = 1;
      int rest = at;
      for (int i = sizes.length - 1; i >= 0; i--) {
        int index = rest % (int) result.get(i);
        rest /= (int) result.get(i);
        source += sizes[i] == 1 ? 0 : index * stride;
        stride *= (int) sizes[i];
      }
      return source;
    }
  }

  /** NumPy: from the right, and each position's sizes, ones left out, are all the same. */
  static Optional<Aligned> numpy(Dims... shapes) {
    int rank = Arrays.stream(shapes).mapToInt(Dims::count).max().orElse(0);
    List<long[]> filled =
        Arrays.stream(shapes).map(shape -> filled(shape, rank - shape.count(), rank)).toList();
    long[] result = new long[rank];
    for (int i = 0; i < rank; i++) {
      int place = i;
      long[] sizes =
          filled.stream().mapToLong(f -> f[place]).filter(size -> size != 1).distinct().toArray();
      if (sizes.length > 1) {
        return Optional.empty();
      }
      result[i] = sizes.length == 0 ? 1 : sizes[0];
    }
    return Optional.of(new Aligned(Dims.of(result), filled.stream().map(Dims::of).toList()));
  }

  /** PaddlePaddle: b over a from an axis on, ones that stick out at its end cut off. */
  static Optional<Aligned> pdpd(Dims a, Dims b, int axis) {
    int start = axis == -1 ? a.count() - b.count() : axis;
    boolean possible =
        b.count() <= a.count()
            && start >= 0
            && IntStream.range(0, b.count()).allMatch(i -> start + i < a.count() || b.get(i) == 1)
            && start <= a.count();
    if (!possible) {
      return Optional.empty();
    }
    long[] filled = filled(b, start, a.count());
    boolean fits =
        IntStream.range(0, a.count()).allMatch(i -> filled[i] == 1 || filled[i] == a.get(i));
    return fits ? Optional.of(new Aligned(a, List.of(a, Dims.of(filled)))) : Optional.empty();
  }

  /** Onto a target and never the other way. */
  static Optional<Aligned> oneWay(Dims data, Dims target) {
    return data.count() > target.count() ? Optional.empty() : pdpd(target, data, -1);
  }

  /** Each dimension of the data to a place of the target that is given. */
  static Optional<Aligned> onto(Dims data, Dims target, Dims places) {
    long[] filled = new long[target.count()];
    Arrays.fill(filled, 1);
    for (int i = 0; i < places.count(); i++) {
      filled[places.getInt(i)] = data.get(i);
    }
    return Optional.of(new Aligned(target, List.of(Dims.of(filled))));
  }

  private static long[] filled(Dims shape, int start, int rank) {
    long[] sizes = new long[rank];
    Arrays.fill(sizes, 1);
    for (int i = 0; i < shape.count() && start + i < rank; i++) {
      sizes[start + i] = shape.get(i);
    }
    return sizes;
  }
}
