package org.hlo4j.check.compare;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.base.Suppliers;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedMap;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.jspecify.annotations.Nullable;

/**
 * A comparison of one array of a result.
 *
 * @param path the indices of the array in the tuples around it; empty if it is the whole result
 * @param shape its type and sizes
 * @param verdict the worst verdict of an element
 * @param differing how many elements differ
 * @param maxUlps the largest distance of two numbers, in representable values; 0 for integers
 * @param histogram how many numbers have which distance, by its upper bound: 1, 2, 4, 8 …
 * @param gotPattern the NaNs and infinities of the result under test
 * @param wantPattern the NaNs and infinities of the other
 * @param patternDiffers how many numbers are NaN or an infinity in one result and not the same in
 *     the other
 * @param first the first differing element with the worst verdict; empty if none differs
 */
public record OutputComparison(
    ImmutableList<Integer> path,
    Shape.Array shape,
    Verdict verdict,
    long differing,
    long maxUlps,
    ImmutableSortedMap<Long, Long> histogram,
    Pattern gotPattern,
    Pattern wantPattern,
    long patternDiffers,
    Optional<Element> first) {
  /** Returns the same of an output at another place. */
  OutputComparison at(ImmutableList<Integer> newPath) {
    return new OutputComparison(
        newPath,
        shape,
        verdict,
        differing,
        maxUlps,
        histogram,
        gotPattern,
        wantPattern,
        patternDiffers,
        first);
  }

  /**
   * How many numbers of an array are not finite.
   *
   * @param nans NaNs
   * @param positive infinities
   * @param negative negative infinities
   */
  public record Pattern(long nans, long positive, long negative) {
    private static Pattern of(Literal value, int components) {
      ElementType type = value.elementType().componentType();
      long[] counts = new long[3];
      for (int i = 0; type.isFloating() && i < components; i++) {
        double number = type.decode(value.bitsAt(i));
        counts[0] += Double.isNaN(number) ? 1 : 0;
        counts[1] += number == Double.POSITIVE_INFINITY ? 1 : 0;
        counts[2] += number == Double.NEGATIVE_INFINITY ? 1 : 0;
      }
      return new Pattern(counts[0], counts[1], counts[2]);
    }

    @Override
    public String toString() {
      return nans + " NaN, " + positive + " inf, " + negative + " -inf";
    }
  }

  /**
   * An element that differs.
   *
   * @param index its index in each dimension
   * @param got the value under test, as HLO text
   * @param want the other value
   * @param ulps their distance; the greatest long if they are not both numbers
   * @param interval the values that roundings justify, of the component that differs, or what
   *     leaves it open
   */
  public record Element(
      ImmutableList<Long> index, String got, String want, long ulps, Interval interval) {
    @Override
    public String toString() {
      String distance = ulps == 1 ? ", 1 ulp apart" : ", " + ulps + " ulps apart";
      String justified =
          interval
              .open()
              .map(row -> "; unspecified, " + row + ": \"" + row.words() + "\", " + row.source())
              .orElse("; roundings justify " + interval);
      String apart = (ulps == Long.MAX_VALUE ? "" : distance) + justified;
      return index + " got " + got + ", want " + want + apart;
    }
  }

  /**
   * The values of an element that the roundings of a program justify.
   *
   * @param low the least
   * @param high the greatest
   * @param open what leaves the element open, so that it may have any value; empty if nothing does
   * @param why gives the {@link #reason}, for which programs may run again
   */
  public record Interval(double low, double high, Optional<LeftOpen> open, Supplier<String> why) {
    static final Interval UNBOUNDED =
        new Interval(Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY);

    Interval(double low, double high) {
      this(low, high, Optional.empty(), () -> "");
    }

    static Interval ofOpen(LeftOpen row) {
      return new Interval(
          Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY, Optional.of(row), () -> "");
    }

    Interval because(Supplier<String> reason) {
      return new Interval(low, high, open, Suppliers.memoize(reason::get));
    }

    /**
     * Returns the instruction and the allowance that decided it, such as "dot.3: 64 terms added in
     * f32 in any order". The program may run some times to find them, when first asked.
     *
     * @return the reason; empty if there is none
     */
    public String reason() {
      return why.get();
    }

    /**
     * Returns whether there are values that roundings do not justify.
     *
     * @return whether this is not the interval from minus infinity to infinity
     */
    public boolean isBounded() {
      return low != Double.NEGATIVE_INFINITY || high != Double.POSITIVE_INFINITY;
    }

    /** Returns whether roundings justify one value only. */
    boolean isExact() {
      return isBounded() && (Double.compare(low, high) == 0 || Double.isNaN(low));
    }

    boolean holds(double number) {
      return Double.compare(low, number) <= 0 && Double.compare(number, high) <= 0;
    }

    double width() {
      return high - low;
    }

    /** Returns the interval in which another value may be, which itself may be another one. */
    Interval widened(Interval of, double value) {
      return isBounded() && of.isBounded()
          ? new Interval(low - (of.high() - value), high + (value - of.low()))
          : UNBOUNDED;
    }

    /** Returns whether another one is the same, for the same reason. */
    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Interval that
          && Double.compare(low, that.low) == 0
          && Double.compare(high, that.high) == 0
          && open.equals(that.open)
          && reason().equals(that.reason());
    }

    @Override
    public int hashCode() {
      return Objects.hash(low, high, open);
    }

    @Override
    public String toString() {
      String values =
          !isBounded() ? "any value" : isExact() ? "no other value" : "from " + low + " to " + high;
      return reason().isEmpty() ? values : values + " (" + reason() + ")";
    }
  }

  /**
   * Returns the comparison of one array.
   *
   * @param isExplained whether its first element has a reason
   */
  static OutputComparison of(List<Integer> path, ElementJudge judge, boolean isExplained) {
    Literal want = judge.want();
    int parts = want.elementType().componentCount();
    Verdict worst = Verdict.SAME;
    int first = -1;
    BitSet differing = new BitSet();
    long patternDiffers = 0;
    List<Long> distances = new ArrayList<>();
    for (int i = 0; i < judge.components(); i++) {
      Verdict verdict = judge.verdict(i);
      if (verdict.compareTo(worst) > 0) {
        worst = verdict;
        first = i;
      }
      differing.set(i / parts, differing.get(i / parts) || verdict != Verdict.SAME);
      if (verdict != Verdict.SAME && want.elementType().componentType().isFloating()) {
        distances.add(judge.ulps(i));
        patternDiffers += isFinite(judge.got(), i) && isFinite(want, i) ? 0 : 1;
      }
    }
    return new OutputComparison(
        ImmutableList.copyOf(path),
        want.arrayShape(),
        worst,
        differing.cardinality(),
        distances.stream().filter(ulps -> ulps < Long.MAX_VALUE).reduce(0L, Math::max),
        histogram(distances),
        Pattern.of(judge.got(), judge.components()),
        Pattern.of(want, judge.components()),
        patternDiffers,
        first < 0 ? Optional.empty() : Optional.of(element(judge, first, worst, isExplained)));
  }

  private static boolean isFinite(Literal value, int i) {
    return Double.isFinite(value.elementType().componentType().decode(value.bitsAt(i)));
  }

  private static ImmutableSortedMap<Long, Long> histogram(List<Long> distances) {
    SortedMap<Long, Long> counts = new TreeMap<>();
    for (long ulps : distances) {
      if (ulps < Long.MAX_VALUE) {
        long bound = ulps <= 1 ? ulps : Long.highestOneBit(ulps - 1) << 1;
        counts.merge(bound < 0 ? Long.MAX_VALUE : bound, 1L, Long::sum);
      }
    }
    return ImmutableSortedMap.copyOfSorted(counts);
  }

  private static Element element(
      ElementJudge judge, int component, Verdict verdict, boolean isExplained) {
    Literal want = judge.want();
    int element = component / want.elementType().componentCount();
    return new Element(
        ScatterTargets.index(element, want.arrayShape().sizes()).stream()
            .boxed()
            .collect(toImmutableList()),
        text(judge.got(), element),
        text(want, element),
        judge.ulps(component),
        isExplained ? judge.explained(component, verdict) : judge.interval(component));
  }

  private static String text(Literal literal, int element) {
    return OpenBlock.scalar(literal, element).toHloText().replace("-nan", "nan");
  }
}
