package org.hlo4j.tools;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.Collections;
import java.util.Optional;
import org.hlo4j.check.compare.Comparison;
import org.hlo4j.check.compare.ToleranceProfile;
import org.hlo4j.check.compare.Verdict;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.interpreter.CustomCallTarget;
import org.hlo4j.interpreter.DeviceGrid;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Interpreter;

/**
 * A program that a client of {@code hlo4j serve} has loaded: the module of the sizes of its last
 * arguments, and whether the reference has found a result good.
 */
final class ServedProgram {
  private static final ToleranceProfile NATIVE = new ToleranceProfile.Native();

  /** How many variants run however long they take, and when none begins after those. */
  private static final int MIN_RUNS = 10;

  private static final long MAX_NANOS = 3_000_000_000L;

  private final ProgramSource source;
  private final EvaluatorOptions options;
  private final Evaluator evaluator;
  private boolean isJudged;

  ServedProgram(ProgramSource source, Evaluator evaluator, EvaluatorOptions options) {
    this.source = source;
    this.evaluator = evaluator;
    this.options = options;
  }

  ImmutableList<ProgramSource.Input> inputs() {
    return source.inputs();
  }

  /** Returns the program with its arguments. */
  Call call(ImmutableList<Literal> arguments) {
    ProgramSource.Bound bound = source.bind(arguments);
    HloModule module = bound.module();
    return new Call(
        module,
        Devices.isManual(module) ? Devices.of(module) : new DeviceGrid(1, 1),
        ImmutableList.copyOf(bound.arguments()));
  }

  /** What a comparison says, and of what. */
  record Judgement(String subject, Comparison comparison) {}

  /** The program with its arguments, on the devices that it is written for. */
  final class Call {
    private final HloModule module;
    private final DeviceGrid grid;
    private final ImmutableList<Literal> arguments;

    private Call(HloModule module, DeviceGrid grid, ImmutableList<Literal> arguments) {
      this.module = module;
      this.grid = grid;
      this.arguments = arguments;
    }

    HloModule module() {
      return module;
    }

    /** Runs the program. All devices have the global arguments and give the global result. */
    Literal run() {
      return run(evaluator, module);
    }

    private Literal run(Evaluator on, HloModule form) {
      int devices = grid.deviceCount();
      return InputArguments.run(on, form, grid, Collections.nCopies(devices, arguments)).get(0);
    }

    /**
     * Judges a result. The reference judges the first of a program, and each that is no good beside
     * the compiled evaluator's, which stands for the reference's after the first. Variants of the
     * program run compiled always, which is much faster.
     */
    Judgement judge(Literal got) {
      Literal mine = run();
      boolean mayBeOurs = !isJudged;
      if (isJudged) {
        Comparison quick = compare(got, mine, NATIVE);
        if (quick.verdict().isGood()) {
          return new Judgement("", quick);
        }
        mayBeOurs = quick.verdict() == Verdict.WRONG;
      }
      Literal want = run(Interpreter.reference(options), module);
      Comparison theirs = compare(got, want, NATIVE);
      isJudged = theirs.verdict().isGood();
      if (mayBeOurs && theirs.verdict() != Verdict.WRONG) {
        Comparison ours = compare(mine, want, new ToleranceProfile.Compiled());
        if (ours.verdict() == Verdict.WRONG) {
          return new Judgement("hlo4j's evaluator beside the reference: ", ours);
        }
      }
      return new Judgement("", theirs);
    }

    private Comparison compare(Literal got, Literal want, ToleranceProfile profile) {
      Variants variants = new Variants();
      return Comparison.of(module, got, want, profile, options, variants::run);
    }

    /**
     * The runs of the variants of the program in one comparison. A wrong result has many, of which
     * those are left out that begin late.
     */
    private final class Variants {
      private final long start = System.nanoTime();
      private Optional<HloModule> last = Optional.empty();
      private Evaluator compiled = evaluator;
      private ImmutableMap<String, CustomCallTarget> targets = ImmutableMap.of();
      private int runs;

      Literal run(HloModule form, EvaluatorOptions within) {
        require(
            runs++ < MIN_RUNS || System.nanoTime() - start < MAX_NANOS,
            HloException.Kind.LIMIT,
            "variants got %s runs in %s s, want no more",
            runs,
            MAX_NANOS / 1_000_000_000);
        targets = within.customCalls();
        if (form == module) {
          return Call.this.run();
        }
        if (!last.equals(Optional.of(form))) {
          last = Optional.of(form);
          compiled = Interpreter.compiled(delegating(within));
        }
        return Call.this.run(compiled, form);
      }

      /**
       * Returns options whose custom calls are those of the current run: one form has many runs.
       */
      private EvaluatorOptions delegating(EvaluatorOptions within) {
        EvaluatorOptions.Builder options = within.toBuilder();
        for (String target : within.customCalls().keySet()) {
          options.customCall(
              target,
              (call, operands) ->
                  Optional.ofNullable(targets.get(target)).orElseThrow().call(call, operands));
        }
        return options.build();
      }
    }
  }
}
