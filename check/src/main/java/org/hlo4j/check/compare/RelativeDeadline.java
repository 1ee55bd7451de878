package org.hlo4j.check.compare;

import java.time.Duration;
import org.hlo4j.interpreter.EvaluatorOptions;

/**
 * A deadline for the variants of a program, from the time that the program itself takes: a variant
 * may have a loop that does not end.
 */
final class RelativeDeadline {
  private static final Duration LEAST = Duration.ofSeconds(2);

  private RelativeDeadline() {}

  /**
   * Returns options with a deadline of a few seconds and some times the time since a start; the
   * options themselves if their deadline is earlier.
   */
  static EvaluatorOptions since(long startNanos, int times, EvaluatorOptions options) {
    Duration most =
        Duration.ofNanos(System.nanoTime() - startNanos).multipliedBy(times).plus(LEAST);
    return options.deadline().filter(given -> given.compareTo(most) < 0).isPresent()
        ? options
        : options.toBuilder().deadline(most).build();
  }
}
