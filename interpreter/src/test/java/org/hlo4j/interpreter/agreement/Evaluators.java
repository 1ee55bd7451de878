package org.hlo4j.interpreter.agreement;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Printer;
import org.hlo4j.interpreter.DeviceGrid;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Executable;
import org.hlo4j.interpreter.Interpreter;
import org.jspecify.annotations.Nullable;

/** The evaluators that tests run on. */
public enum Evaluators {
  /** The reference interpreter only. */
  REFERENCE {
    @Override
    public Evaluator within(EvaluatorOptions options) {
      return alone(options);
    }

    @Override
    public Evaluator alone(EvaluatorOptions options) {
      return Interpreter.reference(options);
    }
  },
  /**
   * The compiled evaluator, checked against the reference. It returns the result of the reference,
   * and fails if the compiled evaluator disagrees: it returns a value beyond the tolerances, or
   * throws another refusal.
   */
  COMPILED {
    @Override
    public Evaluator within(EvaluatorOptions options) {
      return new Agreeing(options, REFERENCE.alone(options), alone(options));
    }

    @Override
    public Evaluator alone(EvaluatorOptions options) {
      return Interpreter.compiled(options);
    }
  };

  /** Returns this evaluator without the check against another one, for runs with side effects. */
  public abstract Evaluator alone(EvaluatorOptions options);

  /** Returns the evaluator with these options. */
  public abstract Evaluator within(EvaluatorOptions options);

  /** Returns the evaluator with default options. */
  public Evaluator evaluator() {
    return within(EvaluatorOptions.defaults());
  }

  /**
   * Returns an evaluator that gives the result of the reference and fails if the compiled evaluator
   * disagrees.
   */
  public static Evaluator both() {
    return COMPILED.evaluator();
  }

  /** Returns {@link #both()} with these options. */
  public static Evaluator both(EvaluatorOptions options) {
    return COMPILED.within(options);
  }

  /** One kind of run with fixed arguments: one device or several. */
  private interface Way {
    ImmutableList<Literal> run(Evaluator evaluator, HloModule module);
  }

  private record Agreeing(EvaluatorOptions options, Evaluator reference, Evaluator compiled)
      implements Evaluator {
    /** Compilation included. */
    private static final long QUICK_NANOS = 50_000_000;

    private static final Pattern LIMIT =
        Pattern.compile(
            "run: (calls nest|the stack overflowed|got beyond|the heap has no room|sizes |\\S+ has"
                + " \\d+ elements|\\S+ of \\d+ bytes)");

    @Override
    public Literal run(HloModule module, Literal... arguments) {
      return agreed(module, (on, program) -> ImmutableList.of(on.run(program, arguments))).get(0);
    }

    @Override
    public ImmutableList<Literal> runOnDevices(
        HloModule module, DeviceGrid grid, List<List<Literal>> arguments) {
      return agreed(module, (on, program) -> on.runOnDevices(program, grid, arguments));
    }

    @Override
    public Executable compile(HloModule module) {
      return compiled.compile(module);
    }

    private ImmutableList<Literal> agreed(HloModule module, Way way) {
      Optional<HloException> refusal = Optional.empty();
      ImmutableList<Literal> want = ImmutableList.of();
      try {
        want = way.run(reference, module);
      } catch (HloException refused) {
        refusal = Optional.of(refused);
      }
      ImmutableList<Literal> got;
      try {
        got = twice(module, way);
        throwLimit(refusal);
      } catch (HloException refused) {
        throwLimit(refusal);
        throw refusal
            .filter(first -> first.summary().equals(refused.summary()))
            .orElseThrow(() -> failure(module, "got the refusal " + refused.getMessage(), refused));
      }
      if (refusal.isPresent()) {
        throw failure(module, "got " + got + ", want the refusal", refusal.get());
      }
      for (int i = 0; i < want.size(); i++) {
        compare(module, i, got.get(i), want.get(i), way);
      }
      return want;
    }

    /**
     * Returns the result of the compiled evaluator. A quick program runs again, in the buffers of
     * the first run and maybe by other code, which must give the same.
     */
    private ImmutableList<Literal> twice(HloModule module, Way way) {
      long start = System.nanoTime();
      ImmutableList<Literal> first = way.run(compiled, module);
      if (System.nanoTime() - start < QUICK_NANOS) {
        ImmutableList<Literal> later = way.run(compiled, module);
        if (!later.equals(first)) {
          throw failure(module, "got " + later + " in a later run, first " + first, null);
        }
      }
      return first;
    }

    /**
     * Throws a refusal of the reference that reports a limit. The compiled evaluator may stay
     * within that limit, so its result is not compared.
     */
    private static void throwLimit(Optional<HloException> refusal) {
      if (refusal.isPresent() && LIMIT.matcher(refusal.get().summary()).lookingAt()) {
        throw refusal.get();
      }
    }

    private void compare(HloModule module, int device, Literal got, Literal want, Way way) {
      Agreement.difference(
              module,
              options,
              got,
              want,
              (shifted, within) ->
                  () -> way.run(Interpreter.reference(within), shifted).get(device))
          .ifPresent(difference -> {
            throw failure(module, difference, null);
          });
    }

    private static AssertionError failure(
        HloModule module, String difference, @Nullable Throwable cause) {
      return new AssertionError(
          "the compiled evaluator " + difference + "\n" + Printer.print(module), cause);
    }
  }
}
