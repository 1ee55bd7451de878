package org.hlo4j.check.compare;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.IntFunction;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;

/**
 * The signs (phases) that the {@link FreeVectors} of a module have in its runs. Each run multiplies
 * them so that they are like those of the first one, and then by the factors that bring the result
 * nearest to the one under test.
 */
final class VectorPhases {
  /** What distances are less than does not matter, squared and relative. */
  private static final double NOISE = 1e-9;

  /** The factors of the vectors of one value. */
  @FunctionalInterface
  private interface Factors {
    /** Returns by what some vectors are multiplied, given their numbers. */
    Mix of(int first, int size);
  }

  private static final Factors NONE = (first, size) -> Mix.moved(size, 0);

  /** A result of a decomposition in the first run. */
  private record Based(OpenRuns.Site site, Literal result) {}

  private final List<Based> bases = new ArrayList<>();
  private final List<Boolean> areComplex = new ArrayList<>();

  /** The number of the first vector of the same value, by the number of a vector. */
  private final List<Integer> firsts = new ArrayList<>();

  /** On which vector each component of the arrays of a result depends, by their numbers. */
  private final Map<List<Integer>, int[]> followed = new HashMap<>();

  private Factors chosen = NONE;
  private boolean isRecorded;

  /** Returns how many vectors there are. */
  int count() {
    return areComplex.size();
  }

  /**
   * Returns whether a component is that of one vector, so that the chosen factors bring it as near
   * to the result under test as any do.
   */
  boolean follows(List<Integer> path, int i) {
    int[] vectors = followed.getOrDefault(path, new int[0]);
    return i < vectors.length && vectors[i] >= 0;
  }

  /** Returns the custom calls of one run with the chosen factors. */
  BiFunction<OpenRuns.Site, List<Literal>, Literal> in(
      BiFunction<OpenRuns.Site, List<Literal>, Literal> others) {
    return in(others, chosen);
  }

  private BiFunction<OpenRuns.Site, List<Literal>, Literal> in(
      BiFunction<OpenRuns.Site, List<Literal>, Literal> others, Factors factors) {
    boolean isFirst = !isRecorded;
    isRecorded = true;
    int[] calls = new int[2];
    return (site, operands) -> {
      if (site.row() != LeftOpen.VECTOR_SIGNS) {
        return others.apply(site, operands);
      }
      Literal value = operands.get(0);
      if (isFirst) {
        bases.add(new Based(site, value));
      }
      int call = calls[0]++;
      return call < bases.size() && isLike(bases.get(call), site, value)
          ? multiplied(site, bases.get(call).result(), value, isFirst, calls, factors)
          : value;
    };
  }

  private static boolean isLike(Based base, OpenRuns.Site site, Literal value) {
    return base.site().equals(site) && base.result().shape().equals(value.shape());
  }

  private Literal multiplied(
      OpenRuns.Site site,
      Literal base,
      Literal value,
      boolean isFirst,
      int[] calls,
      Factors factors) {
    return FreeVectors.mixed(
        site.instruction(),
        base,
        value,
        (like, isComplex) -> {
          int first = calls[1];
          calls[1] += like.size();
          for (int i = 0; isFirst && i < like.size(); i++) {
            areComplex.add(isComplex);
            firsts.add(first);
          }
          return like.times(factors.of(first, like.size()));
        });
  }

  /** Returns the runs in which one half of the vectors is negated each time, by their numbers. */
  List<Optional<Literal>> halves(
      OpenRuns.Run run, BiFunction<OpenRuns.Site, List<Literal>, Literal> others) {
    List<Optional<Literal>> results = new ArrayList<>();
    for (int bit = 0; count() >> bit > 0; bit++) {
      int number = bit;
      results.add(
          run.of(
              in(others, each(vector -> new double[] {1 - 2 * ((vector + 1) >> number & 1), 0}))));
    }
    return results;
  }

  private static Factors each(IntFunction<double[]> factors) {
    return (first, size) -> Mix.diagonal(size, i -> factors.apply(first + i));
  }

  private Factors quarter() {
    return each(vector -> areComplex.get(vector) ? new double[] {0, 1} : new double[] {1, 0});
  }

  /**
   * Chooses the factors that bring a result nearest to another one, and returns it; empty if none
   * does. A component of the result that depends on one vector alone changes in those of the halves
   * that have it.
   */
  Optional<Literal> nearest(
      OpenRuns.Run run,
      BiFunction<OpenRuns.Site, List<Literal>, Literal> others,
      Literal result,
      Literal got) {
    List<Optional<Literal>> halves = halves(run, others);
    if (halves.isEmpty() || halves.stream().anyMatch(Optional::isEmpty)) {
      return Optional.empty();
    }
    Mix[] sums = new Mix[count()];
    int largest = 1;
    for (int vector = 0; vector < count(); vector++) {
      int size = Collections.frequency(firsts, firsts.get(vector));
      sums[vector] = vector == firsts.get(vector) ? new Mix(size) : sums[vector - 1];
      largest = Math.max(largest, size);
    }
    for (int by = 0; by < largest; by++) {
      int moved = by;
      Factors real = (first, size) -> Mix.moved(size, moved);
      Factors imaginary = (first, size) -> Mix.moved(size, moved).times(quarter().of(first, size));
      Optional<Literal> other = by == 0 ? Optional.of(result) : run.of(in(others, real));
      Optional<Literal> quarter = areComplex.contains(true) ? run.of(in(others, imaginary)) : other;
      if (other.isEmpty() || quarter.isEmpty()) {
        return Optional.empty();
      }
      List<ImmutableList<Integer>> paths = Outputs.paths(result.shape());
      for (int array = 0; array < result.arrays().size(); array++) {
        int[] vectors = vectors(halves, result, array);
        followed.put(paths.get(array), vectors);
        Literal wanted = got.arrays().get(array);
        add(sums, vectors, by, other.get().arrays().get(array), wanted, true);
        add(sums, vectors, by, quarter.get().arrays().get(array), wanted, false);
      }
    }
    Factors factors = (first, size) -> sums[first].orthonormal();
    Optional<Literal> nearest =
        run.of(in(others, factors)).filter(each -> isNearer(each, result, got));
    nearest.ifPresent(each -> chosen = factors);
    return nearest;
  }

  /** Returns on which vector each component of an array depends; -1 for none, or several. */
  private int[] vectors(List<Optional<Literal>> halves, Literal result, int number) {
    Literal array = result.arrays().get(number);
    int[] vectors = new int[components(array)];
    for (int i = 0; i < vectors.length; i++) {
      vectors[i] = -1;
      for (int bit = 0; bit < halves.size(); bit++) {
        Literal half = halves.get(bit).orElseThrow().arrays().get(number);
        vectors[i] += half.bitsAt(i) == array.bitsAt(i) ? 0 : 1 << bit;
      }
      vectors[i] = vectors[i] < count() ? vectors[i] : -1;
    }
    return vectors;
  }

  /**
   * Adds what an array says of the factor of each vector: its product with the wanted one.
   *
   * @param by from how many places further in its cluster each vector is
   */
  private void add(
      Mix[] sums, int[] vectors, int by, Literal array, Literal wanted, boolean isReal) {
    ElementType type = array.elementType().componentType();
    for (int i = 0; type.isFloating() && i < vectors.length; i++) {
      double product = type.decode(array.bitsAt(i)) * type.decode(wanted.bitsAt(i));
      int vector = vectors[i];
      boolean counts = vector >= 0 && by < sums[vector].size() && Double.isFinite(product);
      if (counts && (isReal || areComplex.get(vector))) {
        Mix sum = sums[vector];
        int to = vector - firsts.get(vector);
        sum.add((to + by) % sum.size(), to, isReal ? product : 0, isReal ? 0 : product);
      }
    }
  }

  private static int components(Literal array) {
    return array.elementCount() * array.elementType().componentCount();
  }

  /**
   * Returns whether a result is nearer to a wanted one than another is: by the squared distances,
   * each array in units of its own, as eigenvalues may be larger than vectors.
   */
  private static boolean isNearer(Literal result, Literal other, Literal wanted) {
    double nearer = 0;
    for (int array = 0; array < result.arrays().size(); array++) {
      Literal want = wanted.arrays().get(array);
      double there = squaredDistance(other.arrays().get(array), want);
      double here = squaredDistance(result.arrays().get(array), want);
      double roundings = NOISE * squaredDistance(want, Literal.zeros(want.arrayShape()));
      nearer += here == there ? 0 : (there - here) / (there + here + roundings);
    }
    return nearer > 0;
  }

  private static double squaredDistance(Literal one, Literal other) {
    ElementType type = one.elementType().componentType();
    double sum = 0;
    for (int i = 0; type.isFloating() && i < components(one); i++) {
      double apart = type.decode(one.bitsAt(i)) - type.decode(other.bitsAt(i));
      sum += Double.isFinite(apart) ? apart * apart : 0;
    }
    return sum;
  }
}
