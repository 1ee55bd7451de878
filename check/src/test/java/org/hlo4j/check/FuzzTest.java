package org.hlo4j.check;

import static com.google.common.truth.Truth.assertThat;

import java.util.Optional;
import java.util.stream.LongStream;
import org.hlo4j.check.compare.DifferenceCheck;
import org.hlo4j.check.generate.Family;
import org.hlo4j.check.shrink.Shrinker;
import org.hlo4j.hlo.text.Printer;
import org.hlo4j.testing.Nightly;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A comparison of the evaluators on random modules of each family, at night five times as many.
 * {@code -Dhlo4j.fuzz.modules} sets how many, {@code …seed} the first seed, {@code …runs} how often
 * each is run.
 */
final class FuzzTest {
  private static final long SEED = Long.getLong("hlo4j.fuzz.seed", 0);

  /** Runs of each program; later ones may run other code than the first. */
  private static final int RUNS = Integer.getInteger("hlo4j.fuzz.runs", 2);

  private static final DifferenceCheck CHECK = DifferenceCheck.ofCompiled(RUNS);

  @ParameterizedTest
  @EnumSource
  void evaluatorsAgree(Family family) {
    assertThat(
            LongStream.range(SEED, SEED + modules(family))
                .mapToObj(seed -> failure(family, seed))
                .flatMap(Optional::stream)
                .toList())
        .isEmpty();
  }

  private static long modules(Family family) {
    int few = family == Family.STEPS ? 8 : 2;
    return Long.getLong("hlo4j.fuzz.modules", Nightly.isOn() ? 12 * few : few);
  }

  /** Returns a full report of the failure of a seed's module, or empty if the evaluators agree. */
  private static Optional<String> failure(Family family, long seed) {
    return family.program(seed).flatMap(whole -> failure(family + " seed " + seed, whole));
  }

  private static Optional<String> failure(String name, Program whole) {
    return CHECK
        .difference(whole)
        .map(first -> {
          Program small = Shrinker.of(CHECK.like(first)).shrink(whole);
          String last = CHECK.difference(small).orElse(first).text();
          return name + ": " + last + "\n" + Printer.print(small.module()) + small.arguments();
        });
  }
}
