package org.hlo4j.check.locate;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.hlo4j.check.Program;
import org.hlo4j.check.Runner;
import org.hlo4j.check.compare.Comparison;
import org.hlo4j.check.compare.Comparison.Verdict;
import org.hlo4j.check.compare.ToleranceProfile;
import org.hlo4j.check.locate.Locator.Located;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Interpreter;

/**
 * What a system makes of parts of a program, and whether that is right.
 *
 * @param system the system
 * @param profile the roundings that it may do in another way
 * @param options the options of the reference
 */
record Trials(Runner system, ToleranceProfile profile, EvaluatorOptions options) {
  /** Returns what tries the reference. */
  static Trials ofReference(ToleranceProfile profile, EvaluatorOptions options) {
    return new Trials(program -> program.run(Interpreter::reference, options), profile, options);
  }

  /** What the system makes of a program: a value, a refusal, or neither. */
  record Answer(Optional<Literal> value, String failure) {
    boolean isRefusal() {
      return value.isEmpty() && failure.isEmpty();
    }

    boolean is(Literal want) {
      return value.filter(want::equals).isPresent();
    }
  }

  Answer answer(Program program) {
    try {
      return new Answer(Optional.of(system.run(program)), "");
    } catch (HloException refusal) {
      if (refusal.kind() == HloException.Kind.INTERRUPTED) {
        throw refusal;
      }
      boolean hasEnded = refusal.kind() == HloException.Kind.ENDED;
      return new Answer(Optional.empty(), hasEnded ? refusal.summary() : "");
    } catch (RuntimeException | LinkageError | AssertionError | StackOverflowError broken) {
      return new Answer(Optional.empty(), "it threw " + broken);
    }
  }

  /** Returns what the system makes of instructions in one run, or of halves of them without it. */
  List<Answer> answers(List<HloInstruction> roots, Given given) {
    Answer all = answer(given.part(roots));
    int half = roots.size() / 2;
    if (half == 0) {
      return List.of(all);
    }
    return all.value().isPresent()
        ? all.value().get().elements().stream()
            .map(each -> new Answer(Optional.of(each), ""))
            .toList()
        : Stream.of(roots.subList(0, half), roots.subList(half, roots.size()))
            .flatMap(some -> answers(some, given).stream())
            .toList();
  }

  /** Judges an answer. A refusal is no wrong value. */
  Verdict verdict(Answer answer, Supplier<Program> program, Literal want) {
    return answer
        .value()
        .map(got -> verdict(got, program, want))
        .orElse(answer.isRefusal() ? Verdict.SAME : Verdict.WRONG);
  }

  Verdict verdict(Literal got, Supplier<Program> program, Literal want) {
    return got.equals(want) ? Verdict.SAME : comparison(program.get(), got, want).verdict();
  }

  private Comparison comparison(Program program, Literal got, Literal want) {
    return Comparison.judge(program, want, profile, options).apply(got);
  }

  /** Compares what two programs compute. */
  Comparison comparison(Program before, Program after) {
    return Comparison.ofPrograms(after, before, profile, options);
  }

  boolean isWrong(Program program, Literal want) {
    return verdict(answer(program), () -> program, want) == Verdict.WRONG;
  }

  Located located(
      HloInstruction instruction,
      ImmutableList<String> within,
      ImmutableList<HloInstruction> together,
      Program program,
      Literal want) {
    Answer answer = answer(program);
    return new Located(
        instruction,
        within,
        together,
        program,
        answer.value().map(got -> comparison(program, got, want)),
        answer.failure(),
        Optional.empty());
  }
}
