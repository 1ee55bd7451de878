package org.hlo4j.interpreter.engine;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Executable;
import org.hlo4j.interpreter.Interpreter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** When a program is warm. What happens in its runs is what a listener to its values does. */
@Isolated("measures how busy the compiler is")
final class WarmupTest {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final Duration SHORT = Duration.ofMillis(900);
  private static final String HEAD = "HloModule m\nENTRY e {\n  x = ";

  private final AtomicInteger runs = new AtomicInteger();
  private final AtomicReference<byte[]> array = new AtomicReference<>(new byte[0]);

  private Executable program(String parameter, Runnable inRun) {
    EvaluatorOptions options =
        EvaluatorOptions.builder()
            .valueListener((instruction, device, value) -> {
              runs.incrementAndGet();
              inRun.run();
            })
            .build();
    return Interpreter.reference(options)
        .compile(Parser.parse(HEAD + parameter + " parameter(0)\n}\n"));
  }

  @Test
  void isOverOnceNoRunMeetsCodeWithFasterFormsToCome() {
    Executable program =
        program(
            "f32[3]",
            () -> {
              if (runs.get() <= 40) {
                Warmup.missed();
              }
            });
    assertThat(program.warmUp(LONG)).isTrue();
    assertThat(runs.get()).isGreaterThan(42);
  }

  @Test
  void isNotOverAsLongAsFasterFormsAreToCome() {
    Executable program = program("f32[3]", Warmup::missed);
    assertThat(program.warmUp(SHORT, Literal.of(new float[] {1, 2, 3}))).isFalse();
    assertThat(runs.get()).isGreaterThan(1);
  }

  @Test
  void isNotOverAsLongAsRunsAllocateMoreThanTheirResult() {
    Executable program = program("f32[3]", () -> array.set(new byte[1 << 20]));
    assertThat(program.warmUp(SHORT)).isFalse();
  }

  @Test
  void formsAreWantedAtOnceMeanwhile() {
    AtomicInteger wanted = new AtomicInteger();
    Executable program = program("f32[3]", () -> wanted.addAndGet(Warmup.isUnderWay() ? 1 : 0));
    assertThat(program.warmUp(LONG)).isTrue();
    assertThat(wanted.get()).isEqualTo(runs.get());
    assertThat(Warmup.isUnderWay()).isFalse();
  }

  @Test
  void noTime() {
    assertThat(program("f32[3]", () -> {}).warmUp(Duration.ZERO)).isFalse();
    assertThat(runs.get()).isEqualTo(0);
    HloException negative =
        assertThrows(
            HloException.class, () -> program("f32[3]", () -> {}).warmUp(Duration.ofSeconds(-1)));
    assertThat(negative)
        .hasMessageThat()
        .contains("warmUp: got PT-1S, want a time that is not negative");
  }

  @Test
  void argumentsOfUnknownSizesHaveToBeGiven() {
    Executable program = program("f32[<=3]", () -> {});
    HloException missing = assertThrows(HloException.class, () -> program.warmUp(LONG));
    assertThat(missing)
        .hasMessageThat()
        .contains("warmUp: got no arguments, want them for f32[<=3]");
  }
}
