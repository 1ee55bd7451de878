package org.hlo4j.tools;

import static com.google.common.truth.Truth.assertThat;

import org.junit.jupiter.api.Test;

class WarmupTest {
  private static final long MILLIS = 1_000_000;

  @Test
  void steadyOnceTheSecondHalfIsNoFaster() {
    Warmup warmup = new Warmup();
    warmup.add(10, 200 * MILLIS);
    warmup.add(10, 50 * MILLIS);
    warmup.add(100, 200 * MILLIS);
    warmup.add(100, 200 * MILLIS);
    assertThat(warmup.isOver()).isFalse(); // 5, then 2 ms
    warmup.add(200, 400 * MILLIS);
    assertThat(warmup.isOver()).isTrue();
    assertThat(warmup.toString()).isEqualTo("20");
  }

  @Test
  void atMostTenSeconds() {
    Warmup warmup = new Warmup();
    for (int i = 1; i <= 1000 && !warmup.isOver(); i++) {
      warmup.add(i, 100 * MILLIS); // faster each time
    }
    assertThat(warmup.toString()).isEqualTo(">5,050");
  }
}
