package org.hlo4j.check.compare;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.base.Suppliers;
import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.hlo4j.check.Runner;
import org.hlo4j.check.compare.Comparison.Interval;
import org.hlo4j.check.compare.Comparison.LeftOpen;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.interpreter.EvaluatorOptions;

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

  private final HloModule module;
  private final Perturbed perturbed;
  private final Allowances allowances;
  private final Context context;
  private final EvaluatorOptions options;
  private final Supplier<ImmutableList<Runs>> otherForms = Suppliers.memoize(this::formsOf);

  /** The module, prepared once: its custom calls ask {@link #shifted} and {@link #chosen}. */
  private Supplier<Supplier<Literal>> prepared;

  private BiFunction<Perturbed.Site, List<Literal>, Literal> shifted = (site, in) -> in.get(0);
  private OpenRuns.Made chosen = (site, in) -> in.get(0);
  private final Literal original;
  private Literal result;

  /** The runs in which only what is moved to the root is shifted, up and down. */
  private final List<Literal> own = new ArrayList<>();

  /** The runs in which all else is shifted. */
  private final List<Literal> others = new ArrayList<>();

  private final OpenRuns open;

  private boolean hasChosen;

  /** Whether nothing else is shifted: there is nothing, or a run did not, and then none does. */
  private boolean isStill;

  private int done;
  private int refused;
  private String refusal = "";

  /**
   * What runs modules, and how they may round.
   *
   * @param profile the roundings that a correct system may do in another way
   * @param options the options of the reference
   * @param reference runs modules with the arguments
   */
  record Context(
      ToleranceProfile profile, EvaluatorOptions options, Comparison.Reference reference) {
    Supplier<Literal> prepared(HloModule module) {
      return reference.prepared(module, options);
    }
  }

  Runs(HloModule module, Context context, Literal result) {
    this.module = module;
    this.context = context;
    this.allowances = new Allowances(context.profile());
    this.perturbed = new Perturbed(module, allowances);
    this.open = new OpenRuns(this::opened, perturbed.openSites().values());
    this.options = withCalls(context.options());
    this.prepared = prepared(options);
    this.isStill = perturbed.sites().values().stream().allMatch(Perturbed.Site::isOwn);
    this.original = result;
    this.result = result;
    Verifier.lenient().verify(perturbed.module());
  }

  /**
   * Returns the runs of other forms of the program that are as good as itself, and includes the
   * result in f64 here.
   */
  ImmutableList<Runs> otherForms() {
    return otherForms.get();
  }

  private ImmutableList<Runs> formsOf() {
    if (!(context.profile() instanceof ToleranceProfile.Native code)) {
      return ImmutableList.of();
    }
    HloModule inlined = Perturbed.inlined(module);
    Function<HloModule, Optional<Literal>> computed =
        form -> Runner.unlessRefused(() -> context.prepared(form).get());
    Widened.of(inlined).flatMap(computed).ifPresent(this::include);
    return (code.rewrites() ? Rewrites.of(inlined) : Optional.<HloModule>empty())
        .flatMap(form -> computed.apply(form).map(value -> new Runs(form, context, value))).stream()
            .collect(toImmutableList());
  }

  /** Returns the runs with other choices of what is open. */
  OpenRuns open() {
    return open;
  }

  /** Shifts what is moved to the root, up and down, if that is not yet done. */
  void runOwn() {
    if (own.isEmpty() && !perturbed.sites().isEmpty()) {
      long start = System.nanoTime();
      boolean mayShift = true;
      for (int run = 0; run < 2 && mayShift; run++) {
        Shift shift = new Shift(run, true, allowances.flushes());
        own.add(run(shift::shifted, open.kept()));
        mayShift = shift.hasShifted();
      }
      prepared = prepared(Runner.withDeadlineSince(start, options));
    }
  }

  /**
   * Chooses what is open, such as the phases of the vectors of decompositions, so that the result
   * comes nearer to another one, from which the runs then begin anew.
   */
  void choose(Literal got) {
    if (hasChosen) {
      return;
    }
    hasChosen = true;
    open.nearest(result, got)
        .ifPresent(nearest -> {
          int runs = done;
          result = nearest;
          own.clear();
          others.clear();
          done = 0;
          refused = 0;
          isStill = false;
          run(runs);
        });
  }

  /** Shifts all else, until there are so many runs, or none comes to an end. */
  void run(int runs) {
    runOwn();
    for (; done < runs && !areAllRefused() && !isStill; done++) {
      Shift shift = new Shift(done, false, allowances.flushes());
      attempt(shift::shifted, open.kept()).ifPresentOrElse(others::add, () -> refused++);
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

  private Optional<Literal> opened(OpenRuns.Made choose) {
    runOwn();
    return perturbed.openSites().isEmpty()
        ? Optional.of(result)
        : attempt((site, operands) -> operands.get(0), choose);
  }

  /** Returns the result of a run; empty if it is refused, which is noted, or of another shape. */
  private Optional<Literal> attempt(
      BiFunction<Perturbed.Site, List<Literal>, Literal> shift, OpenRuns.Made choose) {
    return Runner.answered(
            () -> Optional.of(run(shift, choose)),
            refused -> {
              refusal = refused.summary();
              return Optional.<Literal>empty();
            })
        .filter(value -> value.shape().equals(result.shape()));
  }

  private Literal run(
      BiFunction<Perturbed.Site, List<Literal>, Literal> shift, OpenRuns.Made choose) {
    shifted = shift;
    chosen = choose;
    return prepared.get().get();
  }

  private EvaluatorOptions withCalls(EvaluatorOptions of) {
    EvaluatorOptions.Builder calls = of.toBuilder();
    perturbed
        .sites()
        .forEach((target, site) ->
            calls.customCall(target, (call, operands) -> shifted.apply(site, operands)));
    perturbed
        .openSites()
        .forEach(
            (target, site) -> calls.customCall(target, (call, operands) -> chosen(site, operands)));
    return calls.build();
  }

  /** Chooses what is open, on one device after the other. */
  private synchronized Literal chosen(OpenRuns.Site site, List<Literal> operands) {
    return chosen.of(site, operands);
  }

  private Supplier<Supplier<Literal>> prepared(EvaluatorOptions within) {
    return Suppliers.memoize(() -> context.reference().prepared(perturbed.module(), within));
  }

  /** Notes the result of a form that is never wrong, unless something else is chosen there. */
  private void include(Literal other) {
    if (!open.hasVectors() && result.equals(original)) {
      own.add(other);
    }
  }

  /**
   * Returns the instruction whose allowance decides about a component, and the allowance in words.
   *
   * @param mayRun whether to run the module more often to find it
   */
  private String reason(int array, int i, boolean mayRun) {
    if (areAllRefused()) {
      return "with other roundings the program is refused: " + refusal;
    }
    Part part = new Part(array);
    boolean isOwn = part.change(i, true) >= FACTOR * part.change(i, false);
    List<Literal> runs = isOwn ? own : others;
    Shift worst = null;
    double most = 0;
    for (int run = 0; run < Math.min(2, runs.size()); run++) {
      double moved = part.distance(runs.get(run).arrays().get(array), i);
      if (moved > most) {
        most = moved;
        worst = new Shift(run, isOwn, allowances.flushes());
      }
    }
    List<Perturbed.Site> left =
        perturbed.sites().values().stream().filter(site -> site.isOwn() == isOwn).toList();
    if (worst == null || left.isEmpty() || (left.size() > 1 && !mayRun)) {
      return "";
    }
    while (left.size() > 1) {
      List<Perturbed.Site> half = left.subList(0, left.size() / 2);
      List<Perturbed.Site> rest = left.subList(left.size() / 2, left.size());
      left = moved(worst, half, array, i) >= moved(worst, rest, array, i) ? half : rest;
    }
    return left.get(0).name() + ": " + left.get(0).allowance().words();
  }

  private double moved(Shift shift, List<Perturbed.Site> shifted, int array, int i) {
    Set<Perturbed.Site> some = Set.copyOf(shifted);
    Shift again = shift.again();
    return attempt(
            (site, operands) ->
                some.contains(site) ? again.shifted(site, operands) : operands.get(0),
            open.kept())
        .map(value -> new Part(array).distance(value.arrays().get(array), i))
        .orElse(0.0);
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

    String reason(int i, boolean mayRun) {
      return Runs.this.reason(array, i, mayRun);
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

    /** Returns how far the own allowance, or the others, move a component. */
    double change(int i, boolean isOwn) {
      return (isOwn ? ownParts : otherParts)
          .stream().mapToDouble(each -> distance(each, i)).max().orElse(0);
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
      double ownLow = Double.isNaN(value) ? numbers[0] : value;
      double ownHigh = Double.isNaN(value) ? numbers[count - 1] : value;
      for (Literal each : ownParts) {
        ownLow = least(ownLow, number(each, i));
        ownHigh = -least(-ownHigh, -number(each, i));
      }
      double change = 0;
      for (Literal each : otherParts) {
        double distance = Math.abs(number(each, i) - value);
        change = Double.isFinite(distance) ? Math.max(change, distance) : change;
      }
      return new Interval(
          Math.min(numbers[0], ownLow - FACTOR * change),
          Math.max(numbers[count - 1], ownHigh + FACTOR * change));
    }

    private double least(double one, double other) {
      return Double.isNaN(other) ? one : Math.min(one, other);
    }

    /** Returns the row that leaves a component open: one that moves it out of an interval. */
    Optional<LeftOpen> open(int i, Interval interval) {
      return open.open(array, i, centre, interval);
    }

    /** Returns whether what was chosen moved a component out of an interval. */
    boolean isMovedByChoice(int i, Supplier<Interval> interval) {
      long bits = original.arrays().get(array).bitsAt(i);
      return bits != centre.bitsAt(i)
          && !(type.isFloating() && interval.get().holds(type.decode(bits)));
    }

    /** Returns the row by which the array was chosen. */
    LeftOpen chosenRow() {
      return open.chosenRow(array);
    }
  }
}
