package org.hlo4j.check.compare;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.base.Suppliers;
import com.google.common.collect.ImmutableList;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.hlo4j.check.Program;
import org.hlo4j.check.Runner;
import org.hlo4j.check.compare.Comparison.Output;
import org.hlo4j.check.compare.Comparison.Verdict;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.hlo.op.ReduceWindow;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Executable;
import org.hlo4j.interpreter.Interpreter;
import org.jspecify.annotations.Nullable;

/**
 * Whether a system computes other results for a program than the reference, by more than rounding
 * explains ({@link Comparison}), or fails. The reference has to be able to evaluate the program;
 * otherwise there is no difference.
 */
public final class DifferenceCheck implements Predicate<Program> {
  private static final EvaluatorOptions LIMITS =
      EvaluatorOptions.builder().deadline(Duration.ofSeconds(20)).maxBytes(1L << 29).build();

  private final Subject subject;
  private final Consumer<Output> notCompared;

  /** What is compared with the reference. */
  private interface Subject {
    Difference difference(Program program, Literal want, EvaluatorOptions limits);
  }

  private DifferenceCheck(Subject subject, Consumer<Output> notCompared) {
    this.subject = subject;
    this.notCompared = notCompared;
  }

  /**
   * Returns the check that also tells which outputs differ, but of which nobody can say whether
   * they are wrong: those that are unspecified or undecided.
   *
   * @param listener receives the comparison of each
   * @return the check
   */
  public DifferenceCheck tellingOpen(Consumer<Output> listener) {
    return new DifferenceCheck(subject, listener);
  }

  /**
   * A difference.
   *
   * @param text what differs; empty if nothing does
   * @param got what the system computed, if it did
   * @param want what the reference computed
   * @param open the outputs of which nobody can say whether they are wrong
   * @param ended how the process of the system ended, if the program ended it; else empty
   */
  public record Difference(
      String text, Optional<Literal> got, Literal want, ImmutableList<Output> open, String ended) {
    /** Values that differ, if the text is not empty. */
    Difference(String text, Literal got, Literal want) {
      this(text, Optional.of(got), want, ImmutableList.of(), "");
    }

    /** A failure. */
    Difference(String text, Literal want, String ended) {
      this(text, Optional.empty(), want, ImmutableList.of(), ended);
    }

    private Difference withText(String other) {
      return new Difference(other, got, want, open, ended);
    }

    /**
     * Returns whether the system computed nothing.
     *
     * @return whether there is nothing that it computed
     */
    public boolean isFailure() {
      return got.isEmpty();
    }

    /** Returns whether another is of the same kind: values, a failure, or the same way to end. */
    boolean isLike(Difference other) {
      return isFailure() == other.isFailure() && ended.equals(other.ended);
    }
  }

  /**
   * Returns the check of the compiled evaluator. It runs each program several times: later runs may
   * run other code than the first. They must give the same bits, also with every other argument
   * bound, and no run may write to an argument.
   *
   * @param runs how often
   * @return the check
   */
  public static DifferenceCheck ofCompiled(int runs) {
    return new DifferenceCheck(
        (program, want, limits) -> compiled(program, want, limits, runs), open -> {});
  }

  /**
   * Returns the check of another system, which may round as native compilers do ({@link
   * ToleranceProfile.Native}).
   *
   * @param other the system
   * @return the check; it throws HloException if the system cannot be started
   */
  public static DifferenceCheck of(Runner other) {
    return new DifferenceCheck(
        (program, want, limits) -> external(program, want, limits, other), open -> {});
  }

  @Override
  public boolean test(Program program) {
    return difference(program).isPresent();
  }

  /**
   * Returns the check for the same kind of difference: a failure, a process that ends in the same
   * way, or other values. The reference may take some times longer for programs than for the first
   * one: while that is made small, loops may come to have no end.
   *
   * @param known the difference
   * @return the check
   */
  public Predicate<Program> like(Difference known) {
    AtomicReference<@Nullable EvaluatorOptions> ofReference = new AtomicReference<>();
    AtomicReference<@Nullable EvaluatorOptions> limits = new AtomicReference<>();
    return program -> {
      long start = System.nanoTime();
      EvaluatorOptions own = ofReference.updateAndGet(old -> old == null ? limits(program) : old);
      EvaluatorOptions given = limits.get();
      boolean isLike =
          difference(program, own, given == null ? LIMITS : given)
              .filter(known::isLike)
              .isPresent();
      limits.compareAndSet(null, Runner.withDeadlineSince(start, LIMITS));
      return isLike;
    };
  }

  /** Returns the limits of the reference for smaller programs, by the time that one run takes. */
  static EvaluatorOptions limits(Program program) {
    long start = System.nanoTime();
    Optional<Literal> result =
        Runner.unlessRefused(() -> program.run(Interpreter::reference, LIMITS));
    return result.isPresent() ? Runner.withDeadlineSince(start, LIMITS) : LIMITS;
  }

  /**
   * Returns how the system differs from the reference.
   *
   * @param program the program
   * @return the difference; empty if there is none, or if the reference refuses the program
   */
  public Optional<Difference> difference(Program program) {
    return difference(program, LIMITS, LIMITS);
  }

  private Optional<Difference> difference(
      Program program, EvaluatorOptions ofReference, EvaluatorOptions limits) {
    Optional<Difference> found =
        Runner.unlessRefused(() -> program.run(Interpreter::reference, ofReference))
            .map(want -> subject.difference(program, want, limits));
    found.ifPresent(each -> each.open().forEach(notCompared));
    return found.filter(each -> !each.text().isEmpty());
  }

  private static Difference external(
      Program program, Literal want, EvaluatorOptions limits, Runner other) {
    try {
      Literal got = other.run(program);
      return compared(program, got, want, new ToleranceProfile.Native(), limits);
    } catch (HloException failure) {
      if (failure.kind() == HloException.Kind.INTERRUPTED
          || failure.kind() == HloException.Kind.IO) {
        throw failure; // no program is at fault
      }
      return new Difference("it failed: " + failure.getMessage(), want, ended(failure));
    }
  }

  /** Returns in which way a process ended. */
  private static String ended(HloException failure) {
    return failure.kind() == HloException.Kind.ENDED
        ? failure.facts().stream()
            .filter(fact -> fact.name().equals("ended"))
            .map(HloException.Fact::text)
            .findFirst()
            .orElse("ended")
        : "";
  }

  private static Difference compiled(
      Program program, Literal want, EvaluatorOptions limits, int runs) {
    try {
      ImmutableList<Literal> before = program.copies();
      List<Executable> executables = new ArrayList<>();
      ImmutableList<Supplier<Literal>> ways =
          program.prepared(
              Interpreter::compiled,
              limits,
              executable -> {
                executables.add(executable);
                return List.of(() -> program.run(executable), bound(program, executable));
              });
      Difference found = repeated(program, want, limits, runs, ways.get(0));
      executables.get(0).explain();
      if (found.text().isEmpty() && runs > 1 && !program.isOfEachDevice()) {
        Difference bound = repeated(program, want, limits, 2, ways.get(1));
        if (!bound.text().isEmpty()) {
          found = bound.withText("bound: " + bound.text());
        } else if (!bound.got().equals(found.got()) && !sumsFloats(program.module())) {
          found = bound.withText("bound: it gave other bits");
        }
      }
      return before.equals(program.arguments())
          ? found
          : found.withText("an argument was written to");
    } catch (RuntimeException | LinkageError | AssertionError | StackOverflowError broken) {
      if (broken instanceof HloException stopped
          && stopped.kind() == HloException.Kind.INTERRUPTED) {
        throw stopped;
      }
      return new Difference("it threw " + broken, want, "");
    }
  }

  /** Runs a program some times, which must give the same bits, and compares. */
  private static Difference repeated(
      Program program, Literal want, EvaluatorOptions limits, int runs, Supplier<Literal> run) {
    Literal got = run.get();
    for (int i = 2; i <= runs; i++) {
      Literal again = run.get();
      if (!again.equals(got)) {
        return new Difference("run " + i + " gave other bits than the first", again, want);
      }
    }
    return compared(program, got, want, new ToleranceProfile.Compiled(), limits);
  }

  /**
   * Binds every other argument before the first run, beginning with the first or the second; runs
   * take the rest.
   */
  private static Supplier<Literal> bound(Program program, Executable executable) {
    int first = program.module().computations().size() % 2;
    Map<String, Literal> given = new LinkedHashMap<>();
    List<Literal> left = new ArrayList<>();
    for (int i = 0; i < program.arguments().size(); i++) {
      if (i % 2 == first) {
        given.put(executable.parameterNames().get(i), program.arguments().get(i));
      } else {
        left.add(program.arguments().get(i));
      }
    }
    Supplier<Executable> rest = Suppliers.memoize(() -> executable.bind(given));
    return () -> rest.get().run(left.toArray(Literal[]::new));
  }

  /** Returns whether f32 are summed, in an order that may depend on what is computed with them. */
  private static boolean sumsFloats(HloModule module) {
    return module
        .instructions()
        .filter(each -> each.op() instanceof Reduce || each.op() instanceof ReduceWindow)
        .flatMap(each -> each.operands().stream())
        .anyMatch(each -> each.arrayShape().elementType() == ElementType.F32);
  }

  private static Difference compared(
      Program program,
      Literal got,
      Literal want,
      ToleranceProfile profile,
      EvaluatorOptions limits) {
    if (!got.shape().equals(want.shape())) {
      return new Difference("shape got " + got.shape() + ", want " + want.shape(), got, want);
    }
    Comparison comparison = Comparison.judge(program, want, profile, limits).apply(got);
    return new Difference(
        comparison.firstWrong().orElse(""),
        Optional.of(got),
        want,
        comparison.outputs().stream()
            .filter(each -> each.verdict() != Verdict.WRONG && !each.verdict().isGood())
            .collect(toImmutableList()),
        "");
  }
}
