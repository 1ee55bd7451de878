package org.hlo4j.check.compare;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Objects.requireNonNull;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Iterables;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.hlo4j.check.Program;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Interpreter;
import org.jspecify.annotations.Nullable;

/**
 * A comparison of two results of a program, array by array.
 *
 * <p>If bits differ, the reference runs the program several more times. In some of these runs the
 * instructions that the result is moved from go to the ends of what a correct system may compute
 * there ({@link ToleranceProfile}); in the others all else does. An element must lie between the
 * ends of the former, widened on each side by twice the largest change in the latter. One that no
 * run changes must have the same bits, and an integer, or an element that jumps from one group of
 * numbers to another, must have a value that some run gave. {@link Verdict#UNDECIDED} is one
 * between them, a NaN that some run gave, what is beside a pole, and an element whose interval
 * holds 0 and is much wider than the values of the array. If 2 runs do not explain a difference, 8
 * and then 64 are tried, and other forms of the program that are as good as itself.
 *
 * <p>An element that a specification leaves open ({@link LeftOpen}) is {@link Verdict#UNSPECIFIED}.
 *
 * @param outputs the arrays of the result, tuples flattened
 */
public record Comparison(ImmutableList<OutputComparison> outputs) {
  private static final int MAX_RUNS = 64;
  private static final int FEW = 2;

  /** For how many outputs that are not right the reason is looked for, by runs of the program. */
  private static final int MAX_REASONS = 3;

  /** The last step that may decide what is undecided: 8 runs, of all forms, and what is open. */
  private static final int DECIDING_STEP = 6;

  /** Runs modules on the reference, with the arguments under test. */
  @FunctionalInterface
  public interface Reference {
    /**
     * Prepares a module, which may then run many times.
     *
     * @param module the module
     * @param options the options of the reference
     * @return its runs
     */
    Supplier<Literal> prepared(HloModule module, EvaluatorOptions options);

    /**
     * Returns what runs modules with the arguments of a program.
     *
     * @param program the program
     * @return the reference
     */
    static Reference of(Program program) {
      return (module, within) ->
          program.with(module, program.arguments()).prepared(Interpreter::reference, within);
    }

    /** Returns what runs modules with the arguments of a program, and gives the result of one. */
    private static Reference of(Program program, int device) {
      return (module, within) -> {
        Supplier<Literal> all = of(program).prepared(module, within);
        return () -> all.get().element(device);
      };
    }
  }

  /** Returns the comparison of the results of several devices; of one its own. */
  private static Comparison ofDevices(int count, IntFunction<Comparison> ofDevice) {
    return count == 1
        ? ofDevice.apply(0)
        : new Comparison(
            IntStream.range(0, count)
                .boxed()
                .flatMap(device ->
                    ofDevice.apply(device).outputs().stream().map(each -> each.within(device)))
                .collect(toImmutableList()));
  }

  /** Returns the runs of a program on the reference, of each device, if each has its own. */
  private static List<Runs> runs(
      Program program, ToleranceProfile profile, EvaluatorOptions options) {
    if (!program.isOfEachDevice()) {
      return List.of(Runs.of(program, profile, options));
    }
    HloModule module = program.module();
    List<Literal> results = program.run(Interpreter::reference, options).elements();
    return IntStream.range(0, results.size())
        .mapToObj(i -> new Runs(module, profile, options, Reference.of(program, i), results.get(i)))
        .toList();
  }

  /**
   * Compares a result with that of the reference, which runs the program.
   *
   * @param program the program
   * @param got the result under test
   * @param profile the roundings that a correct system may do in another way
   * @param options the options of the reference
   * @return the comparison
   * @throws HloException if the reference cannot run the program, or the result has another shape
   */
  public static Comparison of(
      Program program, Literal got, ToleranceProfile profile, EvaluatorOptions options) {
    return of(program, got, program.run(Interpreter::reference, options), profile, options);
  }

  /**
   * Compares a result with that of the reference.
   *
   * @param program the program
   * @param got the result under test
   * @param want the result of the reference
   * @param profile the roundings that a correct system may do in another way
   * @param options the options of the reference
   * @return the comparison
   * @throws HloException if the results have different shapes
   */
  public static Comparison of(
      Program program,
      Literal got,
      Literal want,
      ToleranceProfile profile,
      EvaluatorOptions options) {
    return judge(program, want, profile, options).apply(got);
  }

  /**
   * Returns what compares results of a program with that of the reference, as {@link
   * #judge(HloModule, Literal, ToleranceProfile, EvaluatorOptions, Reference)} does; those of each
   * device, if each has its own.
   *
   * @param program the program
   * @param want the result of the reference
   * @param profile the roundings that a correct system may do in another way
   * @param options the options of the reference
   * @return the comparison of a result; it throws an {@link HloException} if that has another shape
   */
  public static Function<Literal, Comparison> judge(
      Program program, Literal want, ToleranceProfile profile, EvaluatorOptions options) {
    return judge(program, want, profile, options, MAX_RUNS);
  }

  private static Function<Literal, Comparison> judge(
      Program program, Literal want, ToleranceProfile profile, EvaluatorOptions options, int most) {
    HloModule module = program.module();
    if (!program.isOfEachDevice()) {
      return judge(module, want, profile, options, Reference.of(program), most);
    }
    List<Function<Literal, Comparison>> judges = new ArrayList<>();
    for (int i = 0; i < program.deviceCount(); i++) {
      judges.add(judge(module, want.element(i), profile, options, Reference.of(program, i), most));
    }
    return got -> {
      requireShape(got, want);
      return ofDevices(judges.size(), device -> judges.get(device).apply(got.element(device)));
    };
  }

  private static void requireShape(Literal got, Literal want) {
    require(
        got.shape().equals(want.shape()), "", "shape got %s, want %s", got.shape(), want.shape());
  }

  /**
   * Returns what compares results of a module with that of the reference. The runs that show what
   * roundings justify serve all of them.
   *
   * @param module the module
   * @param want the result of the reference
   * @param profile the roundings that a correct system may do in another way
   * @param options the options of the reference
   * @param reference runs a module on the reference, with the same arguments
   * @return the comparison of a result; it throws an {@link HloException} if that has another shape
   */
  public static Function<Literal, Comparison> judge(
      HloModule module,
      Literal want,
      ToleranceProfile profile,
      EvaluatorOptions options,
      Reference reference) {
    return judge(module, want, profile, options, reference, MAX_RUNS);
  }

  private static Function<Literal, Comparison> judge(
      HloModule module,
      Literal want,
      ToleranceProfile profile,
      EvaluatorOptions options,
      Reference reference,
      int most) {
    AtomicReference<@Nullable Runs> last = new AtomicReference<>();
    return got -> {
      if (got.equals(want)) {
        return judged(got, want, List.of(), List.of());
      }
      Runs runs =
          last.updateAndGet(known ->
              known == null || known.open().isChosenForAResult()
                  ? new Runs(module, profile, options, reference, want)
                  : known);
      return of(got, requireNonNull(runs), List.of(), most);
    };
  }

  /**
   * Compares the results of two programs, either of which may have rounded.
   *
   * @param got the program under test
   * @param want the other program
   * @param profile the roundings that a correct system may do in another way
   * @param options the options of the reference
   * @return the comparison
   * @throws HloException if a program cannot be run, or the results have different shapes
   */
  public static Comparison ofPrograms(
      Program got, Program want, ToleranceProfile profile, EvaluatorOptions options) {
    return ofPrograms(got, want, profile, options, MAX_RUNS);
  }

  /**
   * Compares the results of two programs by a few runs, where it is known that something is wrong:
   * many would only tell whether the result shows it.
   *
   * @param got the program under test
   * @param want the other program
   * @param profile the roundings that a correct system may do in another way
   * @param options the options of the reference
   * @return the comparison
   * @throws HloException if a program cannot be run, or the results have different shapes
   */
  public static Comparison briefly(
      Program got, Program want, ToleranceProfile profile, EvaluatorOptions options) {
    return ofPrograms(got, want, profile, options, FEW);
  }

  /**
   * Compares a result with that of the reference by a few runs, where it is known that something is
   * wrong.
   *
   * @param program the program
   * @param got the result under test
   * @param profile the roundings that a correct system may do in another way
   * @param options the options of the reference
   * @return the comparison
   * @throws HloException if the reference cannot run the program, or the result has another shape
   */
  public static Comparison briefly(
      Program program, Literal got, ToleranceProfile profile, EvaluatorOptions options) {
    Literal want = program.run(Interpreter::reference, options);
    return judge(program, want, profile, options, FEW).apply(got);
  }

  private static Comparison ofPrograms(
      Program got, Program want, ToleranceProfile profile, EvaluatorOptions options, int most) {
    List<Runs> tested = runs(got, profile, options);
    List<Runs> runs = runs(want, profile, options);
    require(
        tested.size() == runs.size(), "", "devices got %s, want %s", tested.size(), runs.size());
    return ofDevices(
        runs.size(), i -> of(tested.get(i).result(), runs.get(i), List.of(tested.get(i)), most));
  }

  /** How many perturbed runs the intervals come from. */
  private static final int INTERVAL_RUNS = 8;

  /**
   * Returns the values of a result that the roundings of a program justify.
   *
   * @param program the program
   * @param profile the roundings that a correct system may do in another way
   * @param options the options of the reference
   * @return an interval for each element, for complex numbers two; those of the arrays of a tuple
   *     one after the other
   * @throws HloException if the reference cannot run the program
   */
  public static ImmutableList<Interval> intervals(
      Program program, ToleranceProfile profile, EvaluatorOptions options) {
    Runs runs = Runs.of(program, profile, options);
    Literal want = runs.result();
    runs.run(INTERVAL_RUNS);
    runs.open().run();
    runs.open().runSigns();
    ImmutableList.Builder<Interval> intervals = ImmutableList.builder();
    for (ImmutableList<Integer> path : Outputs.paths(want.shape())) {
      ElementJudge judge = new ElementJudge(want, want, List.of(runs), List.of(), path);
      IntStream.range(0, judge.components()).mapToObj(judge::decisive).forEach(intervals::add);
    }
    return intervals.build();
  }

  private static Comparison of(Literal got, Runs runs, List<Runs> tested, int most) {
    Literal want = runs.result();
    requireShape(got, want);
    List<Runs> forms = new ArrayList<>(List.of(runs));
    Consumer<Consumer<Runs>> all = step -> Iterables.concat(forms, tested).forEach(step);
    Runnable few = () -> all.accept(each -> each.run(FEW));
    Runnable open =
        () -> {
          all.accept(each -> each.choose(got));
          all.accept(each -> each.open().run());
        };
    boolean hasForms = tested.isEmpty() && most == MAX_RUNS;
    List<Runnable> steps =
        List.of(
            () -> all.accept(Runs::runOwn),
            few,
            open,
            () -> forms.addAll(hasForms ? runs.otherForms() : List.of()),
            few,
            () -> all.accept(each -> each.run(Math.min(INTERVAL_RUNS, most))),
            open,
            () -> all.accept(each -> each.run(most)));
    Comparison comparison = judged(got, want, forms, tested);
    for (int i = 0; i < steps.size() && !comparison.verdict().isGood(); i++) {
      if (comparison.verdict() == Verdict.WRONG || i <= DECIDING_STEP) {
        steps.get(i).run();
        comparison = judged(got, want, forms, tested);
      }
    }
    return comparison;
  }

  private static Comparison judged(Literal got, Literal want, List<Runs> forms, List<Runs> tested) {
    List<OutputComparison> outputs = new ArrayList<>();
    for (ImmutableList<Integer> path : Outputs.paths(want.shape())) {
      boolean isExplained =
          outputs.stream().filter(each -> !each.verdict().isGood()).count() < MAX_REASONS;
      ElementJudge judge = new ElementJudge(got, want, forms, tested, path);
      outputs.add(OutputComparison.of(path, judge, isExplained));
    }
    return new Comparison(ImmutableList.copyOf(outputs));
  }

  /**
   * Returns the comparison of an element of a tuple.
   *
   * @param number which one
   * @return the comparison of the outputs in it
   */
  public Comparison element(int number) {
    return new Comparison(
        outputs.stream()
            .filter(each -> !each.path().isEmpty() && each.path().get(0) == number)
            .map(OutputComparison::inside)
            .collect(toImmutableList()));
  }

  /**
   * Returns the worst verdict of an output.
   *
   * @return the verdict; {@link Verdict#SAME} if there are no outputs
   */
  public Verdict verdict() {
    return outputs.stream()
        .map(OutputComparison::verdict)
        .reduce(Verdict.SAME, (one, other) -> one.worse(other));
  }

  /**
   * Returns the first output with the worst verdict.
   *
   * @return the output; empty if all are the same
   */
  public Optional<OutputComparison> worst() {
    Verdict worst = verdict();
    return outputs.stream()
        .filter(output -> worst != Verdict.SAME && output.verdict() == worst)
        .findFirst();
  }

  /**
   * Describes the first output that is wrong.
   *
   * @return the output, both values of its first differing element and the values that roundings
   *     justify; empty if no output is wrong
   */
  public Optional<String> firstWrong() {
    return worst()
        .filter(output -> output.verdict() == Verdict.WRONG)
        .map(output ->
            (output.path().isEmpty() ? "" : "element " + output.path() + ", ")
                + output.shape()
                + " at "
                + output.first().map(Object::toString).orElse(""));
  }
}
