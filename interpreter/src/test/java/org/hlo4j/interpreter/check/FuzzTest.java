package org.hlo4j.interpreter.check;

import static com.google.common.truth.Truth.assertThat;

import java.util.Optional;
import java.util.stream.LongStream;
import org.hlo4j.interpreter.check.generate.ProgramGenerator;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A comparison of the evaluators on random modules of each family. {@code -Dhlo4j.fuzz.modules}
 * sets how many, {@code …seed} the first seed, {@code …runs} how often each is run.
 */
final class FuzzTest {
  private static final long SEED = Long.getLong("hlo4j.fuzz.seed", 0);

  @ParameterizedTest
  @EnumSource
  void evaluatorsAgree(ProgramGenerator.Family family) {
    assertThat(
            LongStream.range(SEED, SEED + modules(family))
                .mapToObj(seed -> Fuzz.failure(family, seed))
                .flatMap(Optional::stream)
                .toList())
        .isEmpty();
  }

  private static long modules(ProgramGenerator.Family family) {
    return Long.getLong("hlo4j.fuzz.modules", family == ProgramGenerator.Family.ANY ? 100 : 25);
  }
}
