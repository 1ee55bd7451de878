package org.hlo4j.interpreter.compiled.tiers;

import static com.google.common.truth.Truth.assertThat;

import org.junit.jupiter.api.Test;

class TrialTest {
  private static final long SECOND = 1_000_000_000;

  @Test
  void classIsGivenUpOnceC2HasCompiledNoneForSevenSeconds() {
    assertThat(Trial.isLate(0, 0, 7 * SECOND)).isFalse();
    assertThat(Trial.isLate(0, 0, 8 * SECOND)).isTrue();
    assertThat(Trial.isLate(0, 2 * SECOND, 8 * SECOND)).isFalse();
    assertThat(Trial.isLate(0, 2 * SECOND, 10 * SECOND)).isTrue();
    assertThat(Trial.isLate(5 * SECOND, 0, 11 * SECOND)).isFalse();
  }
}
