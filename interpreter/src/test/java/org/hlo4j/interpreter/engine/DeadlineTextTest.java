package org.hlo4j.interpreter.engine;

import static com.google.common.truth.Truth.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Deadlines as messages have them. */
class DeadlineTextTest {
  @ParameterizedTest
  @CsvSource({
    "PT0S, 0 ms",
    "PT0.01S, 10 ms",
    "PT2S, 2 s",
    "PT1.5S, 1500 ms",
    "PT0.00025S, 0.25 ms",
    "PT1H, 3600 s",
    "PT-1S, -1 s",
  })
  void text(Duration time, String text) {
    assertThat(Limits.text(time)).isEqualTo(text);
  }
}
