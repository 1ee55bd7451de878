package org.hlo4j.check.compare;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableMap.toImmutableMap;
import static java.util.Objects.requireNonNull;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.base.Ascii;
import com.google.common.base.Suppliers;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedMap;
import com.google.errorprone.annotations.Immutable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.hlo4j.check.Program;
import org.hlo4j.check.part.Tables;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
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
public record Comparison(ImmutableList<Output> outputs) {
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
      judges.add(
          new Judge(new Replay.Subject(program.module(), result, profile, options, reference)));
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
    Judge judge = new Judge(new Replay.Subject(module, want, profile, options, reference));
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
        .map(Output::verdict)
        .reduce(Verdict.SAME, (one, other) -> one.worse(other));
  }

  /**
   * Returns the first output with the worst verdict.
   *
   * @return the output; empty if all are the same
   */
  public Optional<Output> worst() {
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
  public record Output(
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
    Output at(ImmutableList<Integer> newPath) {
      return new Output(
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
  }

  /**
   * How many numbers of an array are not finite.
   *
   * @param nans NaNs
   * @param positive infinities
   * @param negative negative infinities
   */
  public record Pattern(long nans, long positive, long negative) {
    static Pattern of(double[] numbers) {
      return new Pattern(
          Arrays.stream(numbers).filter(Double::isNaN).count(),
          Arrays.stream(numbers).filter(each -> each == Double.POSITIVE_INFINITY).count(),
          Arrays.stream(numbers).filter(each -> each == Double.NEGATIVE_INFINITY).count());
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
      return new Interval(UNBOUNDED.low, UNBOUNDED.high, Optional.of(row), () -> "");
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

  /** What a comparison of two results says, from the best to the worst. */
  public enum Verdict {
    /** They have the same bits, where any two NaNs count as equal. */
    SAME,
    /** They differ, within the interval that the program's own roundings justify. */
    ROUNDED,
    /** They differ, and a specification leaves the element open ({@link LeftOpen}). */
    UNSPECIFIED,
    /**
     * They differ, and roundings justify any value: they decide a branch, an integer, or whether
     * the value is finite.
     */
    UNDECIDED,
    /** They differ by more than roundings justify. */
    WRONG;

    /**
     * Returns the worse of two verdicts.
     *
     * @param other another verdict
     * @return this one or the other
     */
    public Verdict worse(Verdict other) {
      return compareTo(other) >= 0 ? this : other;
    }

    /**
     * Returns whether the results are as good as equal.
     *
     * @return whether this is {@link #SAME} or {@link #ROUNDED}
     */
    public boolean isGood() {
      return this == SAME || this == ROUNDED;
    }

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * What specifications leave open in the result of an op: elements that a correct system may give
   * another value, order or sign than the reference. A difference that follows from it is {@link
   * Verdict#UNSPECIFIED}.
   */
  public enum LeftOpen {
    /** Integers divided by zero, and the least one by -1. */
    INTEGER_DIVISION(OpenElements::quotients),
    /** Floats that are not within the range of integers. */
    CONVERT_RANGE(OpenElements::outOfRange),
    /** Complex numbers at infinity, at branch cuts and at poles. */
    COMPLEX_LIMITS(OpenElements::complexLimits),
    /** Integer powers whose exponent is negative or too large. */
    INTEGER_POWER(made -> made.anything(i -> made.operand(1).longAt(i) < 0)),
    /** A logistic function whose formula overflows. */
    LOGISTIC_FORMULA(OpenElements::overflowingLogistic),
    /** Signs and payloads of NaNs. */
    NAN_BITS(OpenElements::nans),
    /** NaNs in a precision without mantissa bits. */
    NAN_PRECISION(made -> made.anything(i -> Double.isNaN(made.operand(0).doubleAt(i)))),
    /** Equal keys in a sort that is not stable. */
    SORT_TIES(OpenElements::ties),
    /** Sorts by what is no order. */
    SORT_ORDER(OpenElements::sortOrder),
    /** Updates of one element. */
    SCATTER_ORDER(OpenElements::updates),
    /** Windows that are partly out of bounds. */
    SCATTER_BOUNDS(OpenElements::partlyOutside),
    /** Broken promises of a scatter or gather. */
    INDEX_PROMISES(OpenElements::brokenPromise),
    /** Reductions by what is not associative and commutative. */
    REDUCE_ORDER(OpenElements::all),
    /** Initial values that are not the identity. */
    REDUCE_INIT(OpenElements::initialValues),
    /** Selections among NaNs. */
    SELECT_ORDER(OpenElements::selectedNaNs),
    /** Zeros times infinite weights. */
    CONVOLUTION_PADDING(OpenElements::infiniteWeights),
    /** The triangle beside a Cholesky factor. */
    CHOLESKY_TRIANGLE(OpenElements::otherTriangle),
    /** Cholesky factors that do not exist. */
    CHOLESKY_INDEFINITE(OpenElements::indefinite),
    /** Generators. */
    RANDOM_BITS(OpenElements::all),
    /** Random numbers. */
    RANDOM_NUMBERS(OpenElements::all),
    /** Storage that was never written. */
    UNINITIALIZED(OpenElements::all),
    /** Routines that fail. */
    LAPACK_FAILURE(OpenElements::failed),
    /** Vectors that belong to no singular value. */
    VECTOR_BASIS(made -> List.of()),
    /** Eigenvalues that nothing sorts. */
    EIGENVALUE_ORDER(made -> List.of()),
    /** Directions of vectors. */
    VECTOR_SIGNS(made -> List.of());

    /** Finds the elements of a result that are open; none if the vectors of it are. */
    @FunctionalInterface
    @Immutable
    interface Finder {
      /** Returns them with their values. */
      List<OpenBlock> of(OpenElements made);
    }

    private final Finder finder;

    LeftOpen(Finder finder) {
      this.finder = finder;
    }

    /** Returns whether elements may have some values, and not any. */
    boolean hasValues() {
      return switch (this) {
        case COMPLEX_LIMITS, LOGISTIC_FORMULA, SORT_TIES, SCATTER_ORDER, REDUCE_INIT -> true;
        default -> false;
      };
    }

    Finder finder() {
      return finder;
    }

    /** The condition, a few words of the specification and its address, by name. */
    private static final class Rows {
      static final ImmutableMap<String, List<String>> ALL =
          Tables.rows("compare/open.table").stream()
              .map(row -> List.of(row.split(" \\| ")))
              .collect(toImmutableMap(row -> row.get(0), row -> row));
    }

    /** Returns of which ops it is, and under which conditions. */
    String rules() {
      return text(4);
    }

    private String text(int column) {
      return requireNonNull(Rows.ALL.get(toString())).get(column);
    }

    /**
     * Returns what is open.
     *
     * @return ops and conditions
     */
    public String condition() {
      return text(1);
    }

    /**
     * Returns the words of the specification.
     *
     * @return a few words of it
     */
    public String words() {
      return text(2);
    }

    /**
     * Returns where the words stand.
     *
     * @return the address of the section
     */
    public String source() {
      return text(3);
    }

    @Override
    public String toString() {
      return Ascii.toLowerCase(name()).replace('_', ' ');
    }
  }
}
