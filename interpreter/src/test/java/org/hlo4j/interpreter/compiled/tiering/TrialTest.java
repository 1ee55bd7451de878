package org.hlo4j.interpreter.compiled.tiering;

import static com.google.common.truth.Truth.assertThat;

import org.junit.jupiter.api.Test;

class TrialTest {
  private static final long SECOND = 1_000_000_000;

  @Test
  void warmupTimesOutAfterC2CompiledNothingForSevenSeconds() {
    assertThat(WarmupRun.hasTimedOut(0, 0, 7 * SECOND)).isFalse();
    assertThat(WarmupRun.hasTimedOut(0, 0, 8 * SECOND)).isTrue();
    assertThat(WarmupRun.hasTimedOut(0, 2 * SECOND, 8 * SECOND)).isFalse();
    assertThat(WarmupRun.hasTimedOut(0, 2 * SECOND, 10 * SECOND)).isTrue();
    assertThat(WarmupRun.hasTimedOut(5 * SECOND, 0, 11 * SECOND)).isFalse();
  }
}
