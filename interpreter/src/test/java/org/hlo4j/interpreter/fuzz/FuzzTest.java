package org.hlo4j.interpreter.fuzz;

import static com.google.common.truth.Truth.assertThat;

import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A comparison of the evaluators on a few hundred random modules of each family. {@code
 * -Dhlo4j.fuzz.modules} sets how many, {@code …seed} the first seed.
 */
final class FuzzTest {
  private static final long SEED = Long.getLong("hlo4j.fuzz.seed", 0);
  private static final long MODULES = Long.getLong("hlo4j.fuzz.modules", 200);

  @ParameterizedTest
  @EnumSource(names = "ANY")
  void evaluatorsAgree(Fuzz.Family family) {
    assertThat(
            LongStream.range(SEED, SEED + MODULES)
                .mapToObj(seed -> Fuzz.failure(family, seed))
                .flatMap(Optional::stream)
                .toList())
        .isEmpty();
  }
}
