package org.hlo4j.interpreter.fuzz;

import static com.google.common.truth.Truth.assertThat;

import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** A few hundred random modules; {@code -Dhlo4j.fuzz.modules} more, from {@code …seed} on. */
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
