package org.hlo4j.interpreter.compiled.passes;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.interpreter.compiled.passes.Rewrites.lines;

import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.interpreter.Interpreter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class MinorDimensionInterchangeTest {
  private static final String ADD =
      """
      add {
        a = f32[] parameter(0)
        b = f32[] parameter(1)
        ROOT c = f32[] add(a, b)
      }
      """;

  private static final String POINTS =
      """
      p = f32[80,3] parameter(0)
      zero = f32[] constant(0)
      here = f32[80,80,3] broadcast(p), dimensions={0,2}
      there = f32[80,80,3] broadcast(p), dimensions={1,2}
      d = f32[80,80,3] subtract(there, here)
      """;

  private static final String SQUARES = POINTS + "q = f32[80,80,3] multiply(d, d)\n";

  @Test
  void distancesOfPoints() {
    assertThat(
            Rewrites.entry(
                new MinorDimensionInterchange(),
                ADD,
                SQUARES + "ROOT r = f32[80,80] reduce(q, zero), dimensions={2}, to_apply=add"))
        .isEqualTo(
            lines(
                """
                p = f32[80,3] parameter(0)
                zero = f32[] constant(0)
                broadcast = f32[80,3,80] broadcast(p), dimensions={2,1}
                broadcast.1 = f32[80,3,80] broadcast(p), dimensions={0,1}
                subtract = f32[80,3,80] subtract(broadcast, broadcast.1)
                multiply = f32[80,3,80] multiply(subtract, subtract)
                ROOT r = f32[80,80] reduce(multiply, zero), dimensions={1}, to_apply=add
                """));
  }

  @Test
  void sumsOverPoints() {
    assertThat(
            Rewrites.entry(
                new MinorDimensionInterchange(),
                ADD,
                POINTS + "ROOT r = f32[80,3] reduce(d, zero), dimensions={1}, to_apply=add"))
        .contains("ROOT r = f32[80,3] reduce(subtract, zero), dimensions={2}, to_apply=add");
  }

  /** With 16 points only sums along points gain; with 15 points nothing does. */
  @Test
  void fewPoints() {
    String few = POINTS.replace("80", "16");
    assertThat(rewritten(few + "ROOT r = f32[16,3] reduce(d, zero), dimensions={1}, to_apply=add"))
        .contains("ROOT r = f32[16,3] reduce(subtract, zero), dimensions={2}, to_apply=add");
    assertThat(rewritten(few + "ROOT r = f32[16,16] reduce(d, zero), dimensions={2}, to_apply=add"))
        .contains("ROOT r = f32[16,16] reduce(d, zero), dimensions={2}, to_apply=add");
    assertThat(
            rewritten(
                POINTS.replace("80", "15")
                    + "ROOT r = f32[15,3] reduce(d, zero), dimensions={1}, to_apply=add"))
        .contains("ROOT r = f32[15,3] reduce(d, zero), dimensions={1}, to_apply=add");
  }

  private static String rewritten(String text) {
    return Rewrites.entry(new MinorDimensionInterchange(), ADD, text);
  }

  /** Unchanged: arrays that would be transposed, long minor dimensions, expensive elements. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "x = f32[80,80,3] parameter(1)\nROOT r = f32[80,80] reduce(x, zero), dimensions={2}",
        "ROOT r = f32[80,3] reduce(q, zero), dimensions={0}",
        "ROOT r = f32[3] reduce(q, zero), dimensions={0,1}",
        "e = f32[80,80,3] exponential(q)\nROOT r = f32[80,80] reduce(e, zero), dimensions={2}",
        "c = f32[80,3,80] transpose(q), dimensions={0,2,1}\n"
            + "ROOT r = f32[80,80] reduce(c, zero), dimensions={1}",
      })
  void unprofitableReductionsStay(String reduction) {
    HloModule module = Rewrites.module(ADD, SQUARES + reduction + ", to_apply=add");
    assertThat(new MinorDimensionInterchange().run(module, new Session(module)))
        .isSameInstanceAs(module);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "f32[80,80] reduce(q, zero), dimensions={2}",
        "f32[80,3] reduce(q, zero), dimensions={1}"
      })
  void sameBits(String reduction) {
    HloModule module = Rewrites.module(ADD, SQUARES + "ROOT r = " + reduction + ", to_apply=add");
    float[][] points = new float[80][3];
    for (int i = 0; i < 240; i++) {
      points[i / 3][i % 3] = (float) Math.sin(i);
    }
    HloModule after = new MinorDimensionInterchange().run(module, new Session(module));
    SameBitsTest.assertSameBits(
        reduction,
        Interpreter.reference().run(module, Literal.of(points)),
        Interpreter.reference().run(after, Literal.of(points)));
  }
}
