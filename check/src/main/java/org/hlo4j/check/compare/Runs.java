package org.hlo4j.check.compare;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Comparator.comparingDouble;

import com.google.common.base.Suppliers;
import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.hlo4j.check.compare.Comparison.Interval;
import org.hlo4j.check.compare.Comparison.LeftOpen;
import org.hlo4j.check.compare.Perturbed.Site;
import org.hlo4j.check.part.Halving;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;

/**
 * The runs of a module on the reference with other roundings ({@link Perturbed}). They show which
 * values of each element roundings justify.
 */
final class Runs {
  /**
   * An element may differ by this times the largest change of a run, beside the allowance of the
   * instruction that it comes from. The runs go to the ends of all allowances, in random
   * directions, so that their largest change is above the standard deviation of what systems do,
   * whose errors are spread over the allowances; twice of it is left by less than one in a million.
   */
  static final double FACTOR = 2;

  private static final int MAX_REFUSED = 2;

  /** So few runs may show only one side of a jump, or no number beside NaNs. */
  private static final int FEW = 8;

  /** A gap so many times as wide as the numbers beside it is a jump. */
  private static final double JUMP = 8;

  /** What a jump is wider than, beside the numbers. */
  private static final double JUMP_SIZE = 0.01;

  private final Replay replay;
  private final Literal result;
  private final OpenRuns open;
  private final Supplier<ImmutableList<Runs>> otherForms = Suppliers.memoize(this::formsOf);

  /** The runs in which only what is moved to the root is shifted, up and down. */
  private final List<Literal> own = new ArrayList<>();

  /** The runs in which all else is shifted. */
  private final List<Literal> others = new ArrayList<>();

  /** Whether nothing else is shifted: there is nothing, or a run did not, and then none does. */
  private boolean isStill;

  private int done;
  private int refused;

  Runs(Replay replay) {
    this(replay, new OpenRuns(replay, Optional.empty()), replay.subject().result());
  }

  private Runs(Replay replay, OpenRuns open, Literal result) {
    this.replay = replay;
    this.result = result;
    this.open = open;
  }

  /**
   * Returns the runs of other forms of the program that are as good as itself, and includes the
   * result in f64 here: it is never wrong, unless something is chosen.
   */
  ImmutableList<Runs> otherForms() {
    return otherForms.get();
  }

  private ImmutableList<Runs> formsOf() {
    Replay.Subject subject = replay.subject();
    if (!(subject.profile() instanceof ToleranceProfile.Native code)) {
      return ImmutableList.of();
    }
    HloModule inlined = Perturbed.inlined(subject.module());
    Widened.of(inlined)
        .filter(form -> !open.hasVectors() && result.equals(subject.result()))
        .flatMap(subject::computed)
        .ifPresent(own::add);
    Optional<HloModule> form = code.rewrites() ? Rewrites.of(inlined) : Optional.empty();
    return form.flatMap(subject::computed).stream()
        .map(value -> new Runs(new Replay(subject.with(form.orElseThrow(), value))))
        .collect(toImmutableList());
  }

  /** Returns the runs with other choices of what is open. */
  OpenRuns open() {
    return open;
  }

  /**
   * Returns as many runs in which what is open, such as the phases of the vectors of
   * decompositions, is chosen so that the result comes nearest to another one; these if nothing is.
   */
  Runs like(Literal got) {
    runOwn();
    if (!open.mayBeChosen()) {
      return this;
    }
    OpenRuns like = new OpenRuns(replay, Optional.of(got));
    Optional<Runs> nearest = like.nearest(result).map(chosen -> new Runs(replay, like, chosen));
    nearest.ifPresent(runs -> runs.run(done));
    return nearest.orElse(this);
  }

  private Shift shift(int run, boolean isOwn) {
    return new Shift(run, isOwn, replay.flushes());
  }

  /** Shifts what is moved to the root, up and down, if that is not yet done. */
  private void runOwn() {
    if (own.isEmpty()) {
      long start = System.nanoTime();
      boolean mayShift = true;
      for (int run = 0; run < 2 && mayShift; run++) {
        Shift shift = shift(run, true);
        own.add(replay.run(open.kept(shift)));
        mayShift = shift.hasShifted();
      }
      replay.limitSince(start);
      isStill = replay.sites(false).isEmpty();
    }
  }

  /** Shifts all else, too, until there are so many runs, or none comes to an end. */
  void run(int runs) {
    runOwn();
    for (; done < runs && !areAllRefused() && !isStill; done++) {
      Shift shift = shift(done, false);
      replay.attempt(open.kept(shift)).ifPresentOrElse(others::add, () -> refused++);
      isStill = !shift.hasShifted();
    }
  }

  /**
   * Returns whether the first runs were refused: a loop that terminates with small errors may not
   * terminate if all shift in one direction, or until its values are the same.
   */
  boolean areAllRefused() {
    return refused >= MAX_REFUSED && others.isEmpty();
  }

  /** An array of the result, and what the runs make of it. */
  final class Part {
    private final int array;
    private final Literal centre;
    private final List<Literal> ownParts;
    private final List<Literal> otherParts;
    private final List<Literal> all;
    private final ElementType type;

    Part(int array) {
      this.array = array;
      this.centre = result.arrays().get(array);
      this.ownParts = own.stream().map(each -> each.arrays().get(array)).toList();
      this.otherParts = others.stream().map(each -> each.arrays().get(array)).toList();
      this.all = Stream.of(List.of(centre), ownParts, otherParts).flatMap(List::stream).toList();
      this.type = centre.elementType().componentType();
    }

    /**
     * Returns the instruction whose allowance decides about a component, and the allowance in
     * words.
     *
     * @param mayRun whether to run the module more often to find it
     */
    String reason(int i, boolean mayRun) {
      if (areAllRefused()) {
        return "with other roundings the program is refused: " + replay.refusal();
      }
      // By the first two runs of what is moved to the root, and of all else.
      double[] moved = new double[4];
      for (int k = 0; k < moved.length; k++) {
        List<Literal> runs = k < 2 ? ownParts : otherParts;
        moved[k] = k % 2 < runs.size() ? (k < 2 ? 1 : FACTOR) * distance(runs.get(k % 2), i) : 0;
      }
      int worst = Collections.max(List.of(0, 1, 2, 3), comparingDouble(k -> moved[k]));
      List<Site> sites = replay.sites(worst < 2);
      if (moved[worst] == 0 || sites.isEmpty() || (sites.size() > 1 && !mayRun)) {
        return "";
      }
      double half = moved[worst] / (worst < 2 ? 2 : 2 * FACTOR);
      IntPredicate suffice =
          count -> moved(shift(worst % 2, worst < 2), sites.subList(0, count), i) >= half;
      Site site = sites.get(Halving.least(0, sites.size(), suffice) - 1);
      return site.instruction().name() + ": " + site.allowance().words();
    }

    private double moved(Shift shift, List<Site> shifted, int i) {
      Set<Site> some = Set.copyOf(shifted);
      return replay
          .attempt(open.kept((site, in) -> some.contains(site) ? shift.of(site, in) : in.get(0)))
          .map(value -> distance(value.arrays().get(array), i))
          .orElse(0.0);
    }

    long bits(int i) {
      return centre.bitsAt(i);
    }

    private double number(Literal of, int i) {
      return number(of.bitsAt(i));
    }

    /** Returns the number that bits of the array mean. */
    double number(long bits) {
      return type.isFloating() ? type.decode(bits) : type.wrap(bits);
    }

    double distance(Literal moved, int i) {
      if (moved.bitsAt(i) == centre.bitsAt(i)) {
        return 0;
      }
      double distance = Math.abs(number(moved, i) - number(centre, i));
      return Double.isNaN(distance)
          ? Double.POSITIVE_INFINITY
          : Math.max(distance, Double.MIN_VALUE); // from 0 to -0 is a move
    }

    /** Returns the numbers that the runs give, the least first; NaNs are last. */
    private double[] numbers(int i) {
      double[] numbers = new double[all.size()];
      for (int run = 0; run < numbers.length; run++) {
        numbers[run] = number(all.get(run), i);
      }
      Arrays.sort(numbers);
      return numbers;
    }

    /**
     * Returns whether NaN or an infinity may be right, for a run gives NaN where others give
     * numbers: at the edge of a domain may be a pole, as of atanh at 1.
     */
    boolean mayBe(int i, double number) {
      double[] numbers = numbers(i);
      return Double.isNaN(numbers[numbers.length - 1])
          && !(Double.isNaN(numbers[0]) || number * numbers[0] <= 0);
    }

    /**
     * Returns whether a number is near to what a run gives, if the runs jump: integers, or two
     * groups of numbers with nothing between them, such as rows of a table whose index is rounded.
     */
    boolean isNearSome(int i, double value) {
      double[] numbers = numbers(i);
      if (!type.isFloating()) {
        return Arrays.stream(numbers).anyMatch(each -> each == value);
      }
      int fewest = done > FEW ? 3 : 1;
      double range = numbers[numbers.length - 1] - numbers[0];
      double gap = 0;
      for (int k = fewest; k <= numbers.length - fewest; k++) {
        gap = Math.max(gap, numbers[k] - numbers[k - 1]);
      }
      double near = FACTOR * (range - gap);
      double greatest = Math.max(Math.abs(numbers[0]), Math.abs(numbers[numbers.length - 1]));
      double least = greatest * Math.max(JUMP_SIZE, 32 * Bounds.unit(type));
      return !(gap > Math.max(JUMP * (range - gap), least))
          || Arrays.stream(numbers).anyMatch(each -> Math.abs(each - value) <= near);
    }

    /** Returns the numbers that roundings justify; unbounded if too few runs give numbers. */
    Interval interval(int i) {
      double[] numbers = numbers(i);
      int count = numbers.length;
      while (count > 0 && Double.isNaN(numbers[count - 1])) {
        count--;
      }
      boolean isAnything = ownParts.stream().anyMatch(each -> Double.isNaN(number(each, i)));
      boolean isSure = count == numbers.length || (count > FEW / 2 && !isAnything);
      if (areAllRefused() || (count > 0 && !isSure)) {
        return Interval.UNBOUNDED;
      } else if (count == 0) {
        return new Interval(Double.NaN, Double.NaN);
      }
      double value = number(centre, i);
      DoubleSummaryStatistics ends =
          Stream.concat(Stream.of(centre), ownParts.stream())
              .mapToDouble(each -> number(each, i))
              .filter(each -> !Double.isNaN(each))
              .summaryStatistics();
      double change =
          otherParts.stream()
              .mapToDouble(each -> Math.abs(number(each, i) - value))
              .filter(Double::isFinite)
              .max()
              .orElse(0);
      return new Interval(
          Math.min(numbers[0], ends.getMin() - FACTOR * change),
          Math.max(numbers[count - 1], ends.getMax() + FACTOR * change));
    }

    /** Returns the row that leaves a component open: one that moves it out of an interval. */
    Optional<LeftOpen> open(int i, Interval interval) {
      return open.open(array, i, other -> isMoved(other, i, () -> interval));
    }

    private boolean isMoved(Literal other, int i, Supplier<Interval> interval) {
      return other.bitsAt(i) != centre.bitsAt(i)
          && !(type.isFloating()
              && interval.get().isBounded()
              && interval.get().holds(number(other, i)));
    }

    /** Returns whether what was chosen moved a component out of an interval that is known. */
    boolean isMovedByChoice(int i, Supplier<Interval> interval) {
      return isMoved(replay.subject().result().arrays().get(array), i, interval)
          && (!type.isFloating() || interval.get().isBounded());
    }

    /** Returns the row by which the array was chosen. */
    LeftOpen chosenRow() {
      return open.chosenRow(array);
    }
  }
}
