package org.hlo4j.check.compare;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableSortedMap.toImmutableSortedMap;

import com.google.common.collect.ImmutableList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.hlo4j.check.compare.Comparison.Element;
import org.hlo4j.check.compare.Comparison.Interval;
import org.hlo4j.check.compare.Comparison.LeftOpen;
import org.hlo4j.check.compare.Comparison.Output;
import org.hlo4j.check.compare.Comparison.Pattern;
import org.hlo4j.check.compare.Comparison.Verdict;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;

/** The judgement of the elements of one array. */
final class ElementJudge {
  /** An interval this many times as wide as the greatest value of the array says nothing. */
  private static final double VACUOUS = 100;

  /** One this many times as wide may be beside a pole. */
  private static final double POLAR = 2;

  private final Literal got;
  private final Literal want;
  private final ElementType type;

  /** The greatest finite magnitude, at least of a normal number. */
  private final double greatest;

  /** The runs of each form of the program, of which any may be computed. */
  private final ImmutableList<Runs.Part> forms;

  /** The runs of the program under test, if that may have rounded, too. */
  private final ImmutableList<Runs.Part> tested;

  /**
   * Creates the judgement.
   *
   * @param got the array under test
   * @param want that of the reference
   * @param number its number in the results of the runs
   */
  ElementJudge(Literal got, Literal want, List<Runs> forms, List<Runs> tested, int number) {
    this.got = got;
    this.want = want;
    this.type = want.elementType().componentType();
    this.forms = forms.stream().map(each -> each.new Part(number)).collect(toImmutableList());
    this.tested = tested.stream().map(each -> each.new Part(number)).collect(toImmutableList());
    double least = type.isFloating() ? Math.max(Bounds.leastNormal(type), type.decode(1)) : 0;
    this.greatest =
        Arrays.stream(numbers(want))
            .map(Math::abs)
            .filter(Double::isFinite)
            .reduce(least, Math::max);
  }

  /** Returns the components of an array, if they are floats. */
  private double[] numbers(Literal array) {
    return IntStream.range(0, type.isFloating() ? components() : 0)
        .mapToDouble(i -> type.decode(array.bitsAt(i)))
        .toArray();
  }

  /** Returns how many components there are, two for each complex number. */
  int components() {
    return want.elementCount() * want.elementType().componentCount();
  }

  private boolean isSame(long one, long other) {
    return one == other
        || (type.isFloating()
            && Double.isNaN(type.decode(one))
            && Double.isNaN(type.decode(other)));
  }

  /** Returns the worst verdict of a component. */
  Verdict worst() {
    Verdict worst = Verdict.SAME;
    for (int i = 0; i < components() && worst != Verdict.WRONG; i++) {
      worst = worst.worse(verdict(i));
    }
    return worst;
  }

  private Verdict verdict(int i) {
    boolean isSame = isSame(got.bitsAt(i), want.bitsAt(i));
    if (isSame
        && forms.stream()
            .limit(1)
            .noneMatch(form -> form.isMovedByChoice(i, () -> interval(form, i)))) {
      return Verdict.SAME;
    }
    return forms.stream()
        .map(form -> ruling(form, i).verdict())
        .min(Comparator.naturalOrder())
        .orElse(Verdict.WRONG);
  }

  /** What a form of the program says of a component, and why. */
  private record Ruling(Verdict verdict, Interval interval) {}

  /** Judges a component: it may be open itself, or where another one was chosen, as its partner. */
  private Ruling ruling(Runs.Part form, int i) {
    Interval interval = interval(form, i);
    Verdict verdict =
        isSame(got.bitsAt(i), form.bits(i)) ? Verdict.ROUNDED : verdict(form, i, interval);
    boolean isMoved = verdict == Verdict.ROUNDED && form.isMovedByChoice(i, () -> interval);
    Optional<LeftOpen> row =
        isMoved
            ? Optional.of(form.chosenRow())
            : Stream.concat(Stream.of(form), tested.stream())
                .flatMap(each -> each.open(i, interval).stream())
                .findFirst();
    boolean isOpen = verdict == Verdict.ROUNDED ? isMoved : row.isPresent();
    return new Ruling(
        isOpen ? Verdict.UNSPECIFIED : verdict, row.map(Interval::ofOpen).orElse(interval));
  }

  private Verdict verdict(Runs.Part form, int i, Interval interval) {
    double number = form.number(got.bitsAt(i));
    if (!interval.isBounded()) {
      return Verdict.UNDECIDED;
    } else if (!interval.holds(number)) {
      boolean mayBe = form.mayBe(i, number) || isWide(interval, POLAR);
      return mayBe && !Double.isFinite(number) ? Verdict.UNDECIDED : Verdict.WRONG;
    }
    boolean isSeen =
        form.isNearSome(i, number)
            && tested.stream().allMatch(each -> each.isNearSome(i, form.number(form.bits(i))));
    return isWide(interval, VACUOUS) || !isSeen ? Verdict.UNDECIDED : Verdict.ROUNDED;
  }

  private boolean isWide(Interval interval, double times) {
    return type.isFloating() && interval.holds(0) && interval.width() > times * greatest;
  }

  /** Returns the interval, or what leaves it open; unbounded if it says nothing. */
  Interval decisive(int i) {
    Interval interval = interval(i);
    boolean isVacuous = isWide(interval, VACUOUS) || forms.get(0).mayBe(i, Double.NaN);
    boolean saysNothing = type.isFloating() ? isVacuous : !interval.isExact();
    return interval.open().isEmpty() && saysNothing ? Interval.UNBOUNDED : interval;
  }

  private Interval interval(Runs.Part form, int i) {
    Interval interval = form.interval(i);
    for (Runs.Part other : tested) {
      interval = interval.widened(other.interval(i), form.number(got.bitsAt(i)));
    }
    return interval;
  }

  private Interval interval(int i) {
    double only = type.isFloating() ? type.decode(want.bitsAt(i)) : type.wrap(want.bitsAt(i));
    return forms.isEmpty() ? new Interval(only, only) : ruling(forms.get(0), i).interval();
  }

  /**
   * Returns the comparison of the array.
   *
   * @param isExplained whether its first element has a reason, for which the program may run again
   */
  Output output(ImmutableList<Integer> path, boolean isExplained) {
    double[] ours = numbers(got);
    double[] theirs = numbers(want);
    List<Verdict> verdicts = IntStream.range(0, components()).mapToObj(this::verdict).toList();
    Verdict worst = verdicts.stream().reduce(Verdict.SAME, Verdict::worse);
    int[] differing =
        IntStream.range(0, verdicts.size()).filter(i -> verdicts.get(i) != Verdict.SAME).toArray();
    List<Long> distances =
        Arrays.stream(type.isFloating() ? differing : new int[0])
            .mapToObj(this::ulps)
            .filter(ulps -> ulps < Long.MAX_VALUE)
            .toList();
    return new Output(
        path,
        want.arrayShape(),
        worst,
        Arrays.stream(differing).map(this::element).distinct().count(),
        distances.stream().reduce(0L, Math::max),
        distances.stream()
            .collect(
                toImmutableSortedMap(
                    Comparator.naturalOrder(), ElementJudge::upperBound, ulps -> 1L, Long::sum)),
        Pattern.of(ours),
        Pattern.of(theirs),
        Arrays.stream(type.isFloating() ? differing : new int[0])
            .filter(i -> !Double.isFinite(ours[i]) || !Double.isFinite(theirs[i]))
            .count(),
        Arrays.stream(differing)
            .filter(i -> verdicts.get(i) == worst)
            .mapToObj(i -> element(i, isExplained ? explained(i, worst) : interval(i)))
            .findFirst());
  }

  private long ulps(int i) {
    return type.ulpsBetween(got.bitsAt(i), want.bitsAt(i));
  }

  /** Returns the least power of two that is not below a distance. */
  private static long upperBound(long ulps) {
    long bound = ulps <= 1 ? ulps : Long.highestOneBit(ulps - 1) << 1;
    return bound < 0 ? Long.MAX_VALUE : bound;
  }

  private int element(int component) {
    return component / want.elementType().componentCount();
  }

  private Element element(int component, Interval interval) {
    int i = element(component);
    return new Element(
        ScatterTargets.index(i, want.arrayShape().sizes()).stream()
            .boxed()
            .collect(toImmutableList()),
        text(got, i),
        text(want, i),
        ulps(component),
        interval);
  }

  private static String text(Literal literal, int element) {
    return OpenBlock.scalar(literal, element).toHloText().replace("-nan", "nan");
  }

  /** Returns the interval with its reason, for which the program may run again. */
  private Interval explained(int i, Verdict verdict) {
    Interval interval = interval(i);
    boolean mayRun = verdict.compareTo(Verdict.UNSPECIFIED) > 0;
    return !forms.isEmpty() && (type.isFloating() || verdict == Verdict.UNDECIDED)
        ? interval.because(() -> forms.get(0).reason(i, mayRun))
        : interval;
  }
}
