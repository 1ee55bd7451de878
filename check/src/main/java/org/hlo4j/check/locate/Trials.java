package org.hlo4j.check.locate;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Streams;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;
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
 * @param listener receives a few words for people when the search goes on
 */
record Trials(
    Runner system, ToleranceProfile profile, EvaluatorOptions options, Consumer<String> listener) {
  /** How many instructions, and bytes of operands and results, are computed in one run. */
  private static final int MAX_TOGETHER = 64;

  private static final long MAX_BYTES = 1L << 26;

  /** Returns what tries the reference with some options. */
  Trials ofReference(EvaluatorOptions own) {
    return new Trials(program -> program.run(Interpreter::reference, own), profile, own, listener);
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

  /** What the system makes of an instruction. */
  record Attempt(HloInstruction at, Answer answer) {}

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

  /**
   * Returns the instructions whose values the system does not compute from those of their operands,
   * many in one run.
   *
   * @param what what is told of the next ones: how many of how many come before
   */
  Stream<Attempt> differing(List<HloInstruction> tried, Given given, String what) {
    List<List<HloInstruction>> chunks = new ArrayList<>();
    long left = 0;
    for (HloInstruction each : tried) {
      left -= given.values().bytesAround(each);
      if (chunks.isEmpty() || left < 0 || chunks.getLast().size() == MAX_TOGETHER) {
        chunks.add(new ArrayList<>());
        left = MAX_BYTES - given.values().bytesAround(each);
      }
      chunks.getLast().add(each);
    }
    return chunks.stream()
        .flatMap(some -> {
          listener.accept(
              String.format(Locale.ROOT, what, tried.indexOf(some.get(0)), tried.size()));
          return Streams.zip(some.stream(), answers(some, given).stream(), Attempt::new);
        })
        .filter(each -> !each.answer().is(given.values().of(each.at())));
  }

  /** Returns what the system makes of instructions in one run, or of halves of them without it. */
  private List<Answer> answers(List<HloInstruction> roots, Given given) {
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
    return answer.is(want) || answer.isRefusal()
        ? Verdict.SAME
        : answer
            .value()
            .map(got -> comparison(program.get(), got, want).verdict())
            .orElse(Verdict.WRONG);
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
