package org.hlo4j.interpreter.fuzz;

import static com.google.common.truth.Truth.assertThat;

import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * A comparison of the evaluators on a few hundred random modules. {@code -Dhlo4j.fuzz.modules} sets
 * how many, {@code …seed} the first seed.
 */
final class FuzzTest {
  private static final long SEED = Long.getLong("hlo4j.fuzz.seed", 0);
  private static final long MODULES = Long.getLong("hlo4j.fuzz.modules", 200);

  @Test
  void evaluatorsAgree() {
    assertThat(
            LongStream.range(SEED, SEED + MODULES)
                .mapToObj(Fuzz::failure)
                .flatMap(Optional::stream)
                .toList())
        .isEmpty();
  }
}
