package org.hlo4j.check.compare;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.interpreter.math.Complex;
import org.hlo4j.interpreter.reference.linalg.Matrix;

/**
 * The signs (phases) that the {@link FreeVectors} of a module have in its runs. Each run multiplies
 * them so that they are like those of the first one, and then by the factors that bring the result
 * nearest to the one under test.
 */
final class VectorPhases {
  /** What distances are less than does not matter, squared and relative. */
  private static final double NOISE = 1e-9;

  /** The factors of the vectors of one value: a unitary matrix. */
  @FunctionalInterface
  private interface Factors {
    /** Returns by what some vectors are multiplied, given their numbers. */
    Matrix of(int first, int size);
  }

  /** A result of a decomposition in the first run. */
  private record Based(OpenRuns.Site site, Literal result) {
    boolean isLike(OpenRuns.Site other, Literal value) {
      return site.equals(other) && result.shape().equals(value.shape());
    }
  }

  private final List<Based> bases = new ArrayList<>();
  private final List<Boolean> areComplex = new ArrayList<>();

  /** The number of the first vector of the same value, by the number of a vector. */
  private final List<Integer> firsts = new ArrayList<>();

  /** On which vector each component of the arrays of a result depends, by their numbers. */
  private final Map<List<Integer>, int[]> followed = new HashMap<>();

  private Factors chosen = (first, size) -> Matrix.identity(size);
  private boolean isRecorded;
  private Optional<Literal> wanted = Optional.empty();

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
  OpenRuns.Made in(OpenRuns.Made others) {
    return in(others, chosen);
  }

  private OpenRuns.Made in(OpenRuns.Made others, Factors factors) {
    boolean isFirst = !isRecorded;
    isRecorded = true;
    AtomicInteger calls = new AtomicInteger();
    AtomicInteger next = new AtomicInteger();
    return (site, operands) -> {
      if (site.row() != LeftOpen.VECTOR_SIGNS) {
        return others.of(site, operands);
      }
      Literal value = ordered(site, operands, operands.get(0));
      if (isFirst) {
        bases.add(new Based(site, value));
      }
      int call = calls.getAndIncrement();
      if (call >= bases.size() || !bases.get(call).isLike(site, value)) {
        return value;
      }
      return FreeVectors.mixed(
          site.instruction(),
          ordered(site, operands, bases.get(call).result()),
          value,
          (like, isComplex, paired) -> {
            int first = next.getAndAdd(like.columns());
            for (int i = 0; isFirst && i < like.columns(); i++) {
              areComplex.add(isComplex);
              firsts.add(first);
            }
            return like.times(factors.of(first, like.columns()));
          });
    };
  }

  /** Returns what a decomposition gave, its eigenvalues in the order of the result under test. */
  private Literal ordered(OpenRuns.Site site, List<Literal> operands, Literal value) {
    return wanted
        .map(got -> EigenvalueOrder.like(site.instruction(), List.of(value, operands.get(1)), got))
        .orElse(value);
  }

  /** Returns the runs in which one half of the vectors is negated each time, by their numbers. */
  List<Optional<Literal>> halves(OpenRuns.Run run, OpenRuns.Made others) {
    List<Optional<Literal>> results = new ArrayList<>();
    for (int bit = 0; count() >> bit > 0; bit++) {
      int number = bit;
      Factors half =
          (first, size) -> {
            Matrix signs = Matrix.identity(size);
            IntStream.range(0, size)
                .filter(i -> ((first + i + 1) >> number) % 2 == 1)
                .forEach(signs::negateColumn);
            return signs;
          };
      results.add(run.of(in(others, half)));
    }
    return results;
  }

  /**
   * Returns the factors that move each vector to the place of one before it in its cluster.
   *
   * @param by how many places before
   * @param isTimesI whether complex ones are multiplied by i, too
   */
  private Factors moved(int by, boolean isTimesI) {
    return (first, size) -> {
      Matrix moved = new Matrix(size, size);
      Complex factor = isTimesI && areComplex.get(first) ? Complex.ONE.timesI() : Complex.ONE;
      IntStream.range(0, size).forEach(to -> moved.set((to + by) % size, to, factor));
      return moved;
    };
  }

  /**
   * Chooses the factors that bring a result nearest to another one, and returns it; empty if none
   * does. A component of the result that depends on one vector alone changes in those of the halves
   * that have it.
   */
  Optional<Literal> nearest(OpenRuns.Run run, OpenRuns.Made others, Literal result, Literal got) {
    wanted = Optional.of(got);
    Optional<Literal> nearest = nearestInOrder(run, others, result, got);
    wanted = wanted.filter(all -> nearest.isPresent());
    return nearest;
  }

  private Optional<Literal> nearestInOrder(
      OpenRuns.Run run, OpenRuns.Made others, Literal result, Literal got) {
    List<Optional<Literal>> halves = halves(run, others);
    Optional<Literal> ordered = run.of(in(others));
    if (ordered.isEmpty() || halves.stream().anyMatch(Optional::isEmpty)) {
      return Optional.empty();
    }
    List<ImmutableList<Integer>> paths = Outputs.paths(result.shape());
    for (ImmutableList<Integer> path : paths) {
      followed.put(path, vectors(halves, ordered.get(), path));
    }
    Map<Integer, Matrix> sums = new HashMap<>();
    firsts.forEach(first ->
        sums.computeIfAbsent(
            first,
            each ->
                new Matrix(
                    Collections.frequency(firsts, each), Collections.frequency(firsts, each))));
    int largest = sums.values().stream().mapToInt(Matrix::columns).max().orElse(0);
    for (int by = 0; by < largest; by++) {
      for (boolean isTimesI : ImmutableSet.of(false, areComplex.contains(true))) {
        Optional<Literal> other = run.of(in(others, moved(by, isTimesI)));
        if (other.isEmpty()) {
          return Optional.empty();
        }
        for (ImmutableList<Integer> path : paths) {
          add(sums, path, by, Runs.at(other.get(), path), Runs.at(got, path), isTimesI);
        }
      }
    }
    Factors factors = (first, size) -> FreeVectors.unitary(requireNonNull(sums.get(first)));
    Optional<Literal> nearest =
        run.of(in(others, factors)).filter(each -> isNearer(each, result, got));
    nearest.ifPresent(each -> chosen = factors);
    return nearest;
  }

  /** Returns on which vector each component of an array depends; -1 for none, or several. */
  private int[] vectors(List<Optional<Literal>> halves, Literal result, List<Integer> path) {
    Literal array = Runs.at(result, path);
    int[] vectors = new int[array.elementCount() * array.elementType().componentCount()];
    for (int i = 0; i < vectors.length; i++) {
      vectors[i] = -1;
      for (int bit = 0; bit < halves.size(); bit++) {
        Literal half = Runs.at(halves.get(bit).orElseThrow(), path);
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
      Map<Integer, Matrix> sums,
      List<Integer> path,
      int by,
      Literal array,
      Literal wanted,
      boolean isTimesI) {
    ElementType type = array.elementType().componentType();
    int[] vectors = requireNonNull(followed.get(path));
    for (int i = 0; type.isFloating() && i < vectors.length; i++) {
      double product = type.decode(array.bitsAt(i)) * type.decode(wanted.bitsAt(i));
      int vector = vectors[i];
      if (vector >= 0 && Double.isFinite(product) && (!isTimesI || areComplex.get(vector))) {
        Matrix sum = requireNonNull(sums.get(firsts.get(vector)));
        int to = vector - firsts.get(vector);
        int from = (to + by) % sum.rows();
        Complex added = new Complex(isTimesI ? 0 : product, isTimesI ? product : 0);
        sum.set(from, to, by < sum.rows() ? sum.get(from, to).plus(added) : sum.get(from, to));
      }
    }
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
    boolean areFloats = one.elementType().componentType().isFloating();
    double[] left = areFloats ? new Bounds(one).values : new double[0];
    double[] right = areFloats ? new Bounds(other).values : new double[0];
    return IntStream.range(0, left.length)
        .mapToDouble(i -> left[i] - right[i])
        .filter(Double::isFinite)
        .map(apart -> apart * apart)
        .sum();
  }
}
