package org.hlo4j.check;

import java.io.Closeable;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.EvaluatorOptions;

/** Anything that runs programs: an evaluator, or another system. */
@FunctionalInterface
public interface Runner {
  /**
   * Runs a program.
   *
   * @param program the program
   * @return the value of the root of its entry
   * @throws HloException if it cannot be run
   */
  Literal run(Program program);

  /**
   * Returns what some work gives.
   *
   * @param <T> what it gives
   * @param work the work, such as a run
   * @return what it gives; empty if it is refused
   * @throws HloException if it is interrupted
   */
  static <T> Optional<T> unlessRefused(Supplier<T> work) {
    return answered(() -> Optional.of(work.get()), refusal -> Optional.empty());
  }

  /**
   * Returns what some work gives, or what stands for it if it is refused.
   *
   * @param <T> what it gives
   * @param work the work, such as a run
   * @param refused what stands for it
   * @return either
   * @throws HloException if it is interrupted
   */
  static <T> T answered(Supplier<T> work, Function<HloException, T> refused) {
    try {
      return work.get();
    } catch (HloException refusal) {
      if (refusal.kind() == HloException.Kind.INTERRUPTED) {
        throw refusal;
      }
      return refused.apply(refusal);
    }
  }

  /**
   * Returns a runner of an evaluator.
   *
   * @param evaluator the evaluator
   * @return its runner
   */
  static Runner of(Evaluator evaluator) {
    return program -> program.run(evaluator);
  }

  /**
   * Returns options for the variants of a program that has just run: a variant may have a loop that
   * does not end.
   *
   * @param startNanos when the run of the program began, by {@link System#nanoTime}
   * @param options the options of that run
   * @return the same with a deadline of two seconds and ten times the time since the start; the
   *     options themselves if their deadline is earlier
   */
  static EvaluatorOptions withDeadlineSince(long startNanos, EvaluatorOptions options) {
    Duration most =
        Duration.ofNanos(System.nanoTime() - startNanos).multipliedBy(10).plusSeconds(2);
    return options.deadline().filter(given -> given.compareTo(most) < 0).isPresent()
        ? options
        : options.toBuilder().deadline(most).build();
  }

  /** Another system that runs programs, in a process of its own. */
  interface OtherSystem extends Runner, Closeable {
    /**
     * Returns whether the system reads HLO text.
     *
     * @return whether {@link #accepts} can be asked
     */
    boolean takesText();

    /**
     * Asks whether the system takes a program given as HLO text, which need not be a valid one.
     * What it computes is not read.
     *
     * @param hlo the text
     * @param inputs the files of the arguments
     * @return whether it takes the program; false if it refuses it
     * @throws HloException if it breaks or does not answer in time; of the kind {@link
     *     HloException.Kind#UNSUPPORTED} if the program cannot be given to it
     */
    boolean accepts(String hlo, List<Path> inputs);

    /** Ends its process. */
    @Override
    void close();
  }
}
