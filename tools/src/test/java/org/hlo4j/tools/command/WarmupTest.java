package org.hlo4j.tools.command;

import static com.google.common.truth.Truth.assertThat;

import org.junit.jupiter.api.Test;

class WarmupTest {
  private static final long MILLIS = 1_000_000;

  /** Adds samples, each of the given number of runs in half a second. */
  private static void add(Warmup warmup, int samples, int runs, long compilationMillis) {
    for (int i = 0; i < samples; i++) {
      warmup.add(runs, 500 * MILLIS, compilationMillis);
    }
  }

  @Test
  void overOnceCompilerIsIdle() {
    Warmup warmup = new Warmup();
    add(warmup, 8, 10, 0);
    assertThat(warmup.isOver()).isTrue(); // nothing to be compiled
    add(warmup, 1, 10, 100);
    assertThat(warmup.isOver()).isFalse();
    add(warmup, 2, 100, 400);
    add(warmup, 1, 100, 410);
    assertThat(warmup.isOver()).isFalse();
    add(warmup, 2, 100, 420);
    assertThat(warmup.isOver()).isTrue();
    assertThat(warmup.toString()).isEqualTo("90 runs");
  }

  @Test
  void notOverWhileSpeedingUp() {
    Warmup warmup = new Warmup();
    add(warmup, 3, 10, 0);
    add(warmup, 1, 20, 0);
    assertThat(warmup.isOver()).isFalse();
    add(warmup, 2, 20, 0);
    assertThat(warmup.isOver()).isTrue();
    assertThat(warmup.toString()).isEqualTo("30 runs");
  }

  @Test
  void atMostTwentySeconds() {
    Warmup warmup = new Warmup();
    for (int i = 1; i <= 1000 && !warmup.isOver(); i++) {
      warmup.add(i, 200 * MILLIS, 100L * i); // compiled all the time
    }
    assertThat(warmup.toString()).isEqualTo(">5,050 runs");
  }
}
