package org.hlo4j.tools.serve;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import java.time.Duration;
import java.util.Collections;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;
import org.hlo4j.check.compare.Comparison;
import org.hlo4j.check.compare.Comparison.Output;
import org.hlo4j.check.compare.Comparison.Verdict;
import org.hlo4j.check.compare.ToleranceProfile;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.tools.cases.ComparisonText;
import org.hlo4j.tools.program.ProgramSource;

/**
 * A program that a client of {@code hlo4j serve} has loaded: the module of the sizes of its last
 * arguments, and whether the reference has found a result good.
 */
final class ServedProgram {
  private static final ToleranceProfile NATIVE = new ToleranceProfile.Native();

  /** How many variants run if that the result is good is likely. */
  private static final int FEW = 12;

  /** After how many variants a wrong result is wrong, though there was no time for more. */
  private static final int ENOUGH = 64;

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
    return new Call(module, ImmutableList.copyOf(bound.arguments()));
  }

  /**
   * What is said of a result.
   *
   * @param verdict the verdict
   * @param text its reason, empty for the same bits
   * @param outputs the verdict of each array of the result
   */
  record Judgement(Verdict verdict, String text, ImmutableList<Verdict> outputs) {
    private static Judgement of(String subject, Comparison comparison) {
      Verdict verdict = comparison.verdict();
      return new Judgement(
          verdict,
          verdict == Verdict.SAME
              ? ""
              : subject + String.join("\n", ComparisonText.lines(comparison)),
          comparison.outputs().stream().map(Output::verdict).collect(toImmutableList()));
    }

    private static Judgement undecided(Variants variants, Literal got) {
      return new Judgement(
          Verdict.UNDECIDED,
          String.format(
              Locale.ROOT,
              "%s runs with other roundings take more than %s s, and do not decide",
              variants.runs,
              variants.most.toSeconds()),
          ImmutableList.copyOf(Collections.nCopies(got.arrays().size(), Verdict.UNDECIDED)));
    }
  }

  /** The program with its arguments, on the devices that it is written for. */
  final class Call {
    private final HloModule module;
    private final ImmutableList<Literal> arguments;

    private Call(HloModule module, ImmutableList<Literal> arguments) {
      this.module = module;
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
      return on.run(form, arguments.toArray(Literal[]::new));
    }

    /**
     * Judges a result. The reference judges the first of a program, and each that is no good beside
     * the compiled evaluator's, which stands for the reference's after the first. Variants of the
     * program run compiled always, which is much faster.
     */
    Judgement judge(Literal got) {
      Literal mine = run();
      Optional<Comparison> quick =
          isJudged ? compare(got, mine, NATIVE, new Variants(FEW)) : Optional.empty();
      if (quick.filter(Call::isSettled).isPresent()) {
        return Judgement.of("", quick.orElseThrow());
      }
      Literal want = run(Interpreter.reference(options), module);
      Variants variants = new Variants(Integer.MAX_VALUE);
      Optional<Comparison> theirs = compare(got, want, NATIVE, variants);
      boolean isGood = theirs.filter(Call::isSettled).isPresent();
      if (isGood) {
        ToleranceProfile own = new ToleranceProfile.Compiled();
        Optional<Comparison> ours = compare(mine, want, own, new Variants(Integer.MAX_VALUE));
        if (ours.filter(each -> each.verdict() == Verdict.WRONG).isPresent()) {
          return Judgement.of("hlo4j's evaluator beside the reference: ", ours.orElseThrow());
        }
      }
      isJudged = isGood;
      return theirs
          .map(each -> Judgement.of("", each))
          .orElseGet(() -> Judgement.undecided(variants, got));
    }

    /** Returns whether more runs of variants would not change a verdict. */
    private static boolean isSettled(Comparison comparison) {
      return comparison.verdict().compareTo(Verdict.UNSPECIFIED) <= 0;
    }

    /** Compares; empty if more runs might find that a result is not wrong. */
    private Optional<Comparison> compare(
        Literal got, Literal want, ToleranceProfile profile, Variants variants) {
      try {
        Comparison comparison =
            Comparison.judge(
                    module,
                    want,
                    profile,
                    options,
                    (form, within) -> variants.prepared(this, form, within))
                .apply(got);
        return Optional.of(comparison)
            .filter(each -> each.verdict() != Verdict.WRONG || !variants.areTooFew());
      } catch (HloException refusal) {
        if (variants.refused > 0) {
          return Optional.empty();
        }
        throw refusal;
      }
    }
  }

  /** The runs of variants of a program in one comparison: of so many, those that begin in time. */
  private final class Variants {
    private final long start = System.nanoTime();
    private final Duration most = options.deadline().orElse(Duration.ofSeconds(30));
    private final int count;
    private Optional<EvaluatorOptions> last = Optional.empty();
    private Evaluator compiled = evaluator;
    private int runs;
    private int refused;

    Variants(int count) {
      this.count = count;
    }

    boolean areTooFew() {
      return refused > 0 && runs < ENOUGH;
    }

    Supplier<Literal> prepared(Call call, HloModule form, EvaluatorOptions within) {
      if (!last.equals(Optional.of(within))) {
        last = Optional.of(within);
        compiled = Interpreter.compiled(within);
      }
      Evaluator same = compiled;
      return () -> {
        if (runs >= count || System.nanoTime() - start > most.toNanos()) {
          refused++;
          throw new HloException(HloException.Kind.LIMIT, "comparison: got " + runs + " runs");
        }
        runs++;
        return call.run(same, form);
      };
    }
  }
}
