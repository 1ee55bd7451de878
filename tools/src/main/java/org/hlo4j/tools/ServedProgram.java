package org.hlo4j.tools;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.Collections;
import java.util.Optional;
import org.hlo4j.check.compare.Comparison;
import org.hlo4j.check.compare.ToleranceProfile;
import org.hlo4j.check.compare.Verdict;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.interpreter.CustomCallTarget;
import org.hlo4j.interpreter.DeviceGrid;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Interpreter;

/**
 * A program that a client of {@code hlo4j serve} has loaded: the module of the sizes of its last
 * arguments, and whether the reference has judged it.
 */
final class ServedProgram {
  private static final ToleranceProfile NATIVE = new ToleranceProfile.Native();

  private final ProgramSource source;
  private final EvaluatorOptions options;
  private final Evaluator evaluator;
  private Optional<Perturbed> perturbed = Optional.empty();
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

  /** A form of the module with custom calls, and the evaluator of this form. */
  private record Perturbed(HloModule module, Evaluator evaluator) {}

  /** The program with its arguments, on the devices that it is written for. */
  final class Call {
    private final HloModule module;
    private final DeviceGrid grid;
    private final ImmutableList<Literal> arguments;
    private ImmutableMap<String, CustomCallTarget> targets = ImmutableMap.of();

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
     * Judges a result, whose verdict is that of the reference. Perturbed forms run on the compiled
     * evaluator, which is much faster, and on the reference only if the result is no good there.
     * Once the reference has judged a result of the program, the compiled evaluator may also stand
     * for it where the result is good.
     */
    Judgement judge(Literal got) {
      Literal mine = run();
      if (mine.equals(got)) {
        return new Judgement(
            "", Comparison.of(module, got, mine, NATIVE, options, this::runCompiled));
      }
      boolean mayBeOurs = !isJudged;
      if (isJudged) {
        Comparison quick = Comparison.of(module, got, mine, NATIVE, options, this::runCompiled);
        if (quick.verdict().isGood()) {
          return new Judgement("", quick);
        }
        mayBeOurs = quick.verdict() == Verdict.WRONG;
      }
      Literal want = runReference(module, options);
      Comparison theirs = compare(got, want, NATIVE);
      isJudged = true;
      if (mayBeOurs && theirs.verdict() != Verdict.WRONG) {
        Comparison ours = compare(mine, want, new ToleranceProfile.Compiled());
        if (ours.verdict() == Verdict.WRONG) {
          return new Judgement("hlo4j's evaluator beside the reference: ", ours);
        }
      }
      return new Judgement("", theirs);
    }

    private Comparison compare(Literal got, Literal want, ToleranceProfile profile) {
      Comparison quick = Comparison.of(module, got, want, profile, options, this::runCompiled);
      return quick.verdict().isGood()
          ? quick
          : Comparison.of(module, got, want, profile, options, this::runReference);
    }

    private Literal runReference(HloModule form, EvaluatorOptions within) {
      return run(Interpreter.reference(within), form);
    }

    /** Runs the program or a perturbed form of it, which is compiled once for all runs. */
    private Literal runCompiled(HloModule form, EvaluatorOptions within) {
      if (form == module) {
        return run();
      }
      if (perturbed.isEmpty() || perturbed.get().module() != form) {
        EvaluatorOptions.Builder delegating = within.toBuilder();
        within
            .customCalls()
            .keySet()
            .forEach(target ->
                delegating.customCall(
                    target, (call, operands) -> targets.get(target).call(call, operands)));
        perturbed = Optional.of(new Perturbed(form, Interpreter.compiled(delegating.build())));
      }
      targets = within.customCalls();
      return run(perturbed.get().evaluator(), form);
    }
  }
}
