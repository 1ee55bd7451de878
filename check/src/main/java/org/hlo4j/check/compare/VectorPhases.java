package org.hlo4j.check.compare;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableSet;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.hlo4j.check.compare.Comparison.LeftOpen;
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
  /** How many other bases of a space are tried. */
  private static final int BASES = 3;

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

  /**
   * A vector.
   *
   * @param first the number of the first one of its cluster
   * @param size how many its cluster has
   * @param paired how many of these have partners
   * @param isComplex whether its factor may be complex
   */
  private record Vector(int first, int size, int paired, boolean isComplex) {}

  private final List<Based> bases = new ArrayList<>();
  private final List<Vector> vectors = new ArrayList<>();

  /** On which vector each component of the arrays of a result depends, by their numbers. */
  private final Map<Integer, int[]> followed = new HashMap<>();

  private Factors chosen = (first, size) -> Matrix.identity(size);
  private boolean isRecorded;

  /** Returns how many vectors there are. */
  int count() {
    return vectors.size();
  }

  /**
   * Returns whether a component is that of one vector, so that the chosen factors bring it as near
   * to the result under test as any do.
   */
  boolean follows(int array, int i) {
    int[] numbers = followed.getOrDefault(array, new int[0]);
    return i < numbers.length && numbers[i] >= 0;
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
      Literal value = operands.get(0);
      if (isFirst) {
        bases.add(new Based(site, value));
      }
      int call = calls.getAndIncrement();
      if (call >= bases.size() || !bases.get(call).isLike(site, value)) {
        return value;
      }
      return FreeVectors.mixed(
          site.instruction(),
          bases.get(call).result(),
          value,
          (like, isComplex, paired) -> {
            int first = next.getAndAdd(like.columns());
            if (isFirst) {
              Vector each = new Vector(first, like.columns(), paired, isComplex);
              vectors.addAll(Collections.nCopies(each.size(), each));
            }
            return like.times(factors.of(first, like.columns()));
          });
    };
  }

  /** Returns the runs in which one half of the vectors is negated each time, by their numbers. */
  List<Optional<Literal>> halves(
      Function<OpenRuns.Made, Optional<Literal>> run, OpenRuns.Made others) {
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
      results.add(run.apply(in(others, half)));
    }
    return results;
  }

  /**
   * Returns the runs in which the vectors that have no partner, and only complete a basis, are
   * other bases of the same space; none if there is at most one of them.
   */
  List<Optional<Literal>> bases(
      Function<OpenRuns.Made, Optional<Literal>> run, OpenRuns.Made others) {
    List<Optional<Literal>> results = new ArrayList<>();
    boolean areFree = vectors.stream().anyMatch(each -> each.size() - each.paired() > 1);
    for (int angle = 1; areFree && angle <= BASES; angle++) {
      int radians = angle;
      Factors other =
          (first, size) -> {
            Matrix rotated = Matrix.identity(size);
            for (int i = vectors.get(first).paired(); i + 1 < size; i++) {
              rotated.rotateRows(i, i + 1, Math.cos(radians), Math.sin(radians));
            }
            return chosen.of(first, size).times(rotated);
          };
      results.add(run.apply(in(others, other)));
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
      Complex factor =
          isTimesI && vectors.get(first).isComplex() ? Complex.ONE.timesI() : Complex.ONE;
      IntStream.range(0, size).forEach(to -> moved.set((to + by) % size, to, factor));
      return moved;
    };
  }

  /**
   * Chooses the factors that bring a result nearest to another one, and returns it; empty if runs
   * are refused. A component of the result that depends on one vector alone changes in those of the
   * halves that have it.
   */
  Optional<Literal> nearest(
      Function<OpenRuns.Made, Optional<Literal>> run,
      OpenRuns.Made others,
      Literal result,
      Literal got) {
    List<Optional<Literal>> halves = halves(run, others);
    if (halves.stream().anyMatch(Optional::isEmpty)) {
      return Optional.empty();
    }
    List<Literal> arrays = result.arrays();
    for (int array = 0; array < arrays.size(); array++) {
      followed.put(array, followed(halves, arrays.get(array), array));
    }
    Map<Integer, Matrix> sums = new HashMap<>();
    for (Vector each : vectors) {
      sums.put(each.first(), new Matrix(each.size(), each.size()));
    }
    int largest = vectors.stream().mapToInt(Vector::size).max().orElse(0);
    boolean areComplex = vectors.stream().anyMatch(Vector::isComplex);
    for (int by = 0; by < largest; by++) {
      for (boolean isTimesI : ImmutableSet.of(false, areComplex)) {
        Optional<Literal> other = run.apply(in(others, moved(by, isTimesI)));
        if (other.isEmpty()) {
          return Optional.empty();
        }
        for (int array = 0; array < arrays.size(); array++) {
          int[] numbers = requireNonNull(followed.get(array));
          Literal moved = other.get().arrays().get(array);
          add(sums, numbers, by, moved, got.arrays().get(array), isTimesI);
        }
      }
    }
    chosen = (first, size) -> FreeVectors.unitary(requireNonNull(sums.get(first)));
    return run.apply(in(others));
  }

  /** Returns on which vector each component of an array depends; -1 for none, or several. */
  private int[] followed(List<Optional<Literal>> halves, Literal array, int number) {
    int[] numbers = new int[array.elementCount() * array.elementType().componentCount()];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = -1;
      for (int bit = 0; bit < halves.size(); bit++) {
        Literal half = halves.get(bit).orElseThrow().arrays().get(number);
        numbers[i] += half.bitsAt(i) == array.bitsAt(i) ? 0 : 1 << bit;
      }
      numbers[i] = numbers[i] < count() ? numbers[i] : -1;
    }
    return numbers;
  }

  /**
   * Adds what an array says of the factor of each vector: its product with the wanted one.
   *
   * @param numbers on which vector each component depends
   * @param by from how many places further in its cluster each vector is
   */
  private void add(
      Map<Integer, Matrix> sums,
      int[] numbers,
      int by,
      Literal array,
      Literal wanted,
      boolean isTimesI) {
    ElementType type = array.elementType().componentType();
    for (int i = 0; type.isFloating() && i < numbers.length; i++) {
      double product = type.decode(array.bitsAt(i)) * type.decode(wanted.bitsAt(i));
      if (numbers[i] >= 0 && Double.isFinite(product)) {
        Vector vector = vectors.get(numbers[i]);
        int to = numbers[i] - vector.first();
        int from = (to + by) % vector.size();
        Complex added = new Complex(isTimesI ? 0 : product, isTimesI ? product : 0);
        if (by < vector.size() && (!isTimesI || vector.isComplex())) {
          Matrix sum = requireNonNull(sums.get(vector.first()));
          sum.set(from, to, sum.get(from, to).plus(added));
        }
      }
    }
  }
}
