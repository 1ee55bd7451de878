package org.hlo4j.check.compare;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.hlo4j.check.compare.Comparison.Interval;
import org.hlo4j.check.compare.Comparison.LeftOpen;
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
    this.greatest =
        IntStream.range(0, type.isFloating() ? components() : 0)
            .mapToDouble(i -> Math.abs(type.decode(want.bitsAt(i))))
            .filter(Double::isFinite)
            .reduce(type.isFloating() ? leastNormal() : 0, Math::max);
  }

  private double leastNormal() {
    return Math.max(Bounds.leastNormal(type), type.decode(1));
  }

  Literal got() {
    return got;
  }

  Literal want() {
    return want;
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

  Verdict verdict(int i) {
    boolean isSame = isSame(got.bitsAt(i), want.bitsAt(i));
    if (isSame && (forms.isEmpty() || !isMoved(() -> forms.get(0).interval(i), i))) {
      return Verdict.SAME;
    }
    return forms.stream()
        .map(form -> verdict(form, i))
        .min(Comparator.naturalOrder())
        .orElse(Verdict.WRONG);
  }

  /** Returns whether another value was chosen here, as the one of its partner elsewhere was. */
  private boolean isMoved(Supplier<Interval> interval, int i) {
    return forms.get(0).isMovedByChoice(i, interval);
  }

  private Verdict verdict(Runs.Part form, int i) {
    Interval interval = interval(form, i);
    Verdict verdict =
        isSame(got.bitsAt(i), form.bits(i)) ? Verdict.ROUNDED : verdict(form, i, interval);
    boolean isOpen =
        verdict == Verdict.ROUNDED
            ? form.isMovedByChoice(i, () -> interval)
            : open(form, i, interval).isPresent();
    return isOpen ? Verdict.UNSPECIFIED : verdict;
  }

  /** Returns the row that leaves a component open, in one of two programs. */
  private Optional<LeftOpen> open(Runs.Part form, int i, Interval interval) {
    return Stream.concat(Stream.of(form), tested.stream())
        .flatMap(each -> each.open(i, interval).stream())
        .findFirst();
  }

  private Verdict verdict(Runs.Part form, int i, Interval interval) {
    double number = form.number(got.bitsAt(i));
    if (!interval.isBounded()) {
      return Verdict.UNDECIDED;
    } else if (!interval.holds(number)) {
      boolean mayBe =
          (!Double.isFinite(number) && form.mayBe(i, number))
              || (!Double.isFinite(number) && isWide(interval, POLAR));
      return mayBe ? Verdict.UNDECIDED : Verdict.WRONG;
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

  Interval interval(int i) {
    if (forms.isEmpty()) {
      double only = type.isFloating() ? type.decode(want.bitsAt(i)) : type.wrap(want.bitsAt(i));
      return new Interval(only, only);
    }
    Runs.Part form = forms.get(0);
    Interval interval = interval(form, i);
    boolean isLike =
        type.isFloating()
            ? interval.holds(type.decode(got.bitsAt(i)))
            : got.bitsAt(i) == form.bits(i);
    return isLike && isMoved(() -> interval, i)
        ? Interval.ofOpen(form.chosenRow())
        : open(form, i, interval).map(Interval::ofOpen).orElse(interval);
  }

  /** Returns the interval with its reason, for which the program may run again. */
  Interval explained(int i, Verdict verdict) {
    Interval interval = interval(i);
    boolean mayRun = verdict.compareTo(Verdict.UNSPECIFIED) > 0;
    return !forms.isEmpty() && (type.isFloating() || verdict == Verdict.UNDECIDED)
        ? interval.because(() -> forms.get(0).reason(i, mayRun))
        : interval;
  }

  long ulps(int i) {
    return type.ulpsBetween(got.bitsAt(i), want.bitsAt(i));
  }
}
