package org.hlo4j.check.locate;

import com.google.common.collect.ImmutableList;
import java.util.Optional;
import org.hlo4j.check.Program;
import org.hlo4j.check.Runner;
import org.hlo4j.check.compare.Comparison;
import org.hlo4j.check.compare.ToleranceProfile;
import org.hlo4j.check.compare.Verdict;
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
  /** What the system makes of a program: a value, a refusal, or neither. */
  record Answer(Optional<Literal> value, String failure) {
    boolean isRefusal() {
      return value.isEmpty() && failure.isEmpty();
    }

    /** Returns what it makes of one of several instructions. */
    Answer element(int i) {
      return new Answer(value.map(all -> all.element(i)), failure);
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

  /** Returns what the reference makes of a program; empty if it refuses it. */
  Optional<Literal> reference(Program program) {
    return Runner.unlessRefused(() -> program.run(Interpreter::reference, options));
  }

  Trials with(EvaluatorOptions others) {
    return new Trials(system, profile, others);
  }

  /** Compares what two programs compute. */
  Comparison comparison(Program before, Program after) {
    return Comparison.ofPrograms(after, before, profile, options);
  }

  /** Judges an answer. A refusal is no wrong value. */
  Verdict verdict(Answer answer, Program program, Literal want) {
    return answer
        .value()
        .map(got -> verdict(program, got, want))
        .orElse(answer.isRefusal() ? Verdict.SAME : Verdict.WRONG);
  }

  Verdict verdict(Program program, Literal got, Literal want) {
    return Comparison.of(program, got, want, profile, options).verdict();
  }

  boolean isWrong(Program program, Literal want) {
    return verdict(answer(program), program, want) == Verdict.WRONG;
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
        answer.value().map(got -> Comparison.of(program, got, want, profile, options)),
        answer.failure(),
        Optional.empty());
  }
}
