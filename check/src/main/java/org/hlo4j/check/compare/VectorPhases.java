package org.hlo4j.check.compare;

import java.util.ArrayList;
import java.util.List;
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
  private static final double[] NONE = {1, 0};

  /** A result of a decomposition in the first run. */
  private record Based(OpenRuns.Site site, Literal result) {}

  private final List<Based> bases = new ArrayList<>();
  private final List<Boolean> areComplex = new ArrayList<>();
  private IntFunction<double[]> chosen = vector -> NONE;
  private boolean isRecorded;

  /** Returns how many vectors there are. */
  int count() {
    return areComplex.size();
  }

  /** Returns the custom calls of one run with the chosen factors. */
  BiFunction<OpenRuns.Site, List<Literal>, Literal> in(
      BiFunction<OpenRuns.Site, List<Literal>, Literal> others) {
    return in(others, chosen);
  }

  private BiFunction<OpenRuns.Site, List<Literal>, Literal> in(
      BiFunction<OpenRuns.Site, List<Literal>, Literal> others, IntFunction<double[]> factors) {
    boolean isFirst = !isRecorded;
    isRecorded = true;
    int[] calls = new int[2];
    return (site, operands) -> {
      if (!(site.choice() instanceof OpenChoice.Signs)) {
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
      IntFunction<double[]> factors) {
    return FreeVectors.withPhases(
        site.instruction(),
        base,
        value,
        (re, im, isComplex) -> {
          if (isFirst) {
            areComplex.add(isComplex);
          }
          double[] by = factors.apply(calls[1]++);
          double sign = re < 0 ? -1 : 1;
          return isComplex
              ? new double[] {re * by[0] - im * by[1], re * by[1] + im * by[0]}
              : new double[] {sign * by[0], 0};
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
              in(
                  others,
                  vector -> ((vector + 1) >> number & 1) == 1 ? new double[] {-1, 0} : NONE)));
    }
    return results;
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
    Optional<Literal> quarter =
        areComplex.contains(true)
            ? run.of(in(others, vector -> areComplex.get(vector) ? new double[] {0, 1} : NONE))
            : Optional.of(result);
    if (halves.isEmpty() || halves.stream().anyMatch(Optional::isEmpty) || quarter.isEmpty()) {
      return Optional.empty();
    }
    double[][] sums = new double[count()][2];
    for (int array = 0; array < result.arrays().size(); array++) {
      int number = array;
      add(
          sums,
          result.arrays().get(array),
          halves.stream().map(half -> half.orElseThrow().arrays().get(number)).toList(),
          quarter.orElseThrow().arrays().get(array),
          got.arrays().get(array));
    }
    IntFunction<double[]> factors = vector -> factor(sums[vector], areComplex.get(vector));
    Optional<Literal> nearest =
        run.of(in(others, factors)).filter(each -> isNearer(each, result, got));
    nearest.ifPresent(each -> chosen = factors);
    return nearest;
  }

  private static double[] factor(double[] sum, boolean isComplex) {
    if (!isComplex) {
      return new double[] {sum[0] < 0 ? -1 : 1, 0};
    }
    double size = Math.hypot(sum[0], sum[1]);
    return size > 0 ? new double[] {sum[0] / size, sum[1] / size} : NONE;
  }

  /** Adds what an array says of the factor of each vector: its product with the other one. */
  private static void add(
      double[][] sums, Literal array, List<Literal> halves, Literal quarter, Literal got) {
    ElementType type = array.elementType().componentType();
    for (int i = 0; type.isFloating() && i < components(array); i++) {
      int vector = -1;
      for (int bit = 0; bit < halves.size(); bit++) {
        vector += halves.get(bit).bitsAt(i) == array.bitsAt(i) ? 0 : 1 << bit;
      }
      double wanted = type.decode(got.bitsAt(i));
      double value = type.decode(array.bitsAt(i));
      if (vector >= 0 && vector < sums.length && Double.isFinite(wanted * value)) {
        sums[vector][0] += value * wanted;
        sums[vector][1] += type.decode(quarter.bitsAt(i)) * wanted;
      }
    }
  }

  private static int components(Literal array) {
    return array.elementCount() * array.elementType().componentCount();
  }

  /** Returns whether more components of a result are nearer to a wanted one than of another. */
  private static boolean isNearer(Literal result, Literal other, Literal wanted) {
    int nearer = 0;
    for (int array = 0; array < result.arrays().size(); array++) {
      Literal one = result.arrays().get(array);
      ElementType type = one.elementType().componentType();
      for (int i = 0; type.isFloating() && i < components(one); i++) {
        double want = type.decode(wanted.arrays().get(array).bitsAt(i));
        double here = Math.abs(type.decode(one.bitsAt(i)) - want);
        double there = Math.abs(type.decode(other.arrays().get(array).bitsAt(i)) - want);
        nearer += here < there ? 1 : here > there ? -1 : 0;
      }
    }
    return nearer > 0;
  }
}
