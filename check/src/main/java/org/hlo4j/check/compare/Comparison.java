package org.hlo4j.check.compare;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.hlo4j.check.Program;
import org.hlo4j.check.compare.OutputComparison.Interval;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Interpreter;

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
  }

  /** Returns the judge of a program, or that of each device, if each has its own results. */
  private static List<Judge> judges(
      Program program, Literal want, ToleranceProfile profile, EvaluatorOptions options) {
    List<Judge> judges = new ArrayList<>();
    for (Literal result : program.results(want)) {
      int device = judges.size();
      Reference reference =
          (form, within) -> {
            Supplier<Literal> all =
                program.with(form, program.arguments()).prepared(Interpreter::reference, within);
            return () -> program.results(all.get()).get(device);
          };
      Runs.Context context = new Runs.Context(profile, options, reference);
      judges.add(new Judge(program.module(), context, result));
    }
    return judges;
  }

  /** Returns what a program gives to its judges. */
  private static List<Judge> judges(
      Program program, ToleranceProfile profile, EvaluatorOptions options) {
    return judges(program, program.run(Interpreter::reference, options), profile, options);
  }

  /** Returns the comparison of the results of several devices; of one its own. */
  private static Comparison ofDevices(List<Judge> judges, IntFunction<Comparison> compared) {
    return judges.size() == 1
        ? compared.apply(0)
        : new Comparison(
            IntStream.range(0, judges.size())
                .boxed()
                .flatMap(device ->
                    compared.apply(device).outputs().stream()
                        .map(each -> each.at(Outputs.joined(List.of(device), each.path()))))
                .collect(toImmutableList()));
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
    Literal want = program.run(Interpreter::reference, options);
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
    return judge(program, want, profile, options, Judge.MAX_RUNS);
  }

  private static Function<Literal, Comparison> judge(
      Program program, Literal want, ToleranceProfile profile, EvaluatorOptions options, int most) {
    List<Judge> judges = judges(program, want, profile, options);
    return got -> {
      Judge.requireShape(got, want);
      List<Literal> own = program.results(got);
      return ofDevices(judges, i -> judges.get(i).compared(own.get(i), List.of(), most));
    };
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
    Judge judge = new Judge(module, new Runs.Context(profile, options, reference), want);
    return got -> judge.compared(got, List.of(), Judge.MAX_RUNS);
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
    return ofPrograms(got, want, profile, options, Judge.MAX_RUNS);
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
    return ofPrograms(got, want, profile, options, Judge.FEW);
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
    return judge(program, want, profile, options, Judge.FEW).apply(got);
  }

  private static Comparison ofPrograms(
      Program got, Program want, ToleranceProfile profile, EvaluatorOptions options, int most) {
    List<Judge> tested = judges(got, profile, options);
    List<Judge> judges = judges(want, profile, options);
    require(
        tested.size() == judges.size(),
        "",
        "devices got %s, want %s",
        tested.size(),
        judges.size());
    return ofDevices(
        judges, i -> judges.get(i).compared(tested.get(i).result(), List.of(tested.get(i)), most));
  }

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
    return judges(program, profile, options).stream()
        .flatMap(each -> each.intervals().stream())
        .collect(toImmutableList());
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
            .map(each -> each.at(each.path().subList(1, each.path().size())))
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
