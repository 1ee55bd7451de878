package org.hlo4j.tools.console;

import static com.google.common.truth.Truth.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class ProgressTest {
  private final StringWriter screen = new StringWriter();
  private final PrintWriter writer = new PrintWriter(screen);
  private long nanos;

  private Progress progress(int total, boolean isShown) {
    return new Progress(writer, writer, total, isShown, () -> nanos);
  }

  private String shown() {
    return screen.toString().replace("\r\033[K", "<");
  }

  @Test
  void statusLineIsClearedForOutput() {
    try (Progress progress = progress(3, true)) {
      progress.next("a.hlo");
      nanos = 900_000_000;
      progress.tick();
      assertThat(shown()).isEmpty();
      nanos = 1_100_000_000;
      progress.tick();
      progress.next("b.hlo");
      nanos = 2_000_000_000;
      progress.tick();
      progress.output(() -> writer.print("ok b.hlo|"));
      progress.next("c.hlo");
      nanos = 3_000_000_000L;
      progress.tick();
    }
    assertThat(shown())
        .isEqualTo("1.1 s: [1/3] a.hlo<2.0 s: [2/3] b.hlo<ok b.hlo|3.0 s: [3/3] c.hlo<");
  }

  @Test
  void stepsAreCounted() {
    Progress progress = progress(0, true);
    progress.next("running f.hlo");
    assertThat(progress.statusText()).isEqualTo("0.0 s: running f.hlo");
    progress.steps().add(1234567);
    nanos = 61_000_000_000L;
    assertThat(progress.statusText()).isEqualTo("61.0 s: running f.hlo, 1,234,567 steps done");
    progress.close();
    assertThat(progress.tick()).isFalse();
  }

  @Test
  void silentWhenNotShown() {
    Progress progress = progress(0, false);
    progress.next("running f.hlo");
    nanos = 61_000_000_000L;
    progress.tick();
    progress.close();
    assertThat(shown()).isEmpty();
  }
}
