package org.hlo4j.interpreter.compiled.loops;

import static com.google.common.truth.Truth.assertThat;
import static com.google.common.truth.Truth.assertWithMessage;

import com.google.common.collect.ImmutableList;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.text.Parser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Which instructions have a kernel, how it is split into stages, and which buffers it may reuse.
 */
class LoopsTest {
  private static HloInstruction root(String line) {
    String lines = line.replace("; ", "\n  ");
    return Parser.parse("HloModule m\nENTRY e {\n  " + lines + "\n}\n").entry().root();
  }

  private static LoopKernel fused(String body) {
    return Loops.loopKernel(LoopFusionsTest.fusion(body).entry().root(), true).orElseThrow();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "true  | x = f32[3] parameter(0); ROOT r = f32[3] exponential(x)",
        "true  | x = u8[3] parameter(0); ROOT r = u8[3] popcnt(x)",
        "true  | x = f32[3] parameter(0); ROOT r = bf16[3] convert(x)",
        "true  | x = f32[3] parameter(0); ROOT r = s32[3] bitcast-convert(x)",
        "false | x = f32[3] parameter(0); ROOT r = u8[3,4] bitcast-convert(x)",
        "false | x = c64[3] parameter(0); ROOT r = c64[3] add(x, x)",
        "true  | x = c64[3] parameter(0); ROOT r = f32[3] real(x)",
        "true  | x = f64[3] parameter(0); ROOT r = c128[3] complex(x, x)",
        "true  | x = c64[2,3] parameter(0); ROOT r = c64[3,2] transpose(x), dimensions={1,0}",
        "false | x = f32[<=3] parameter(0); ROOT r = f32[<=3] negate(x)",
        "true  | x = f32[2,3] parameter(0); ROOT r = f32[3,2] transpose(x), dimensions={1,0}",
        "false | x = f32[2,3] parameter(0); i = s32[] parameter(1); u = f32[1,1] parameter(2); ROOT"
            + " r = f32[2,3] dynamic-update-slice(x, u, i, i)",
        "false | x = f32[2,3]{1,0} parameter(0); ROOT r = f32[3,2]{0,1} bitcast(x)",
      })
  void fusibleInstructions(boolean can, String line) {
    HloInstruction root = root(line);
    assertWithMessage("canFuse %s", line).that(Loops.canFuse(root)).isEqualTo(can);
    assertWithMessage("kernel %s", line)
        .that(Loops.kernel(root, true).kernel().isPresent())
        .isEqualTo(can);
  }

  @Test
  void twoTranscendentalFunctionsAreTwoStages() {
    LoopKernel two =
        fused("x = f32[5000] parameter(0);e = f32[5000] exponential(x);ROOT t = f32[5000] tanh(e)");
    LoopKernel small =
        fused("x = f32[50] parameter(0);e = f32[50] exponential(x);ROOT t = f32[50] tanh(e)");
    assertThat(two.nests().get(0).stages()).hasSize(2);
    assertThat(small.nests().get(0).stages()).hasSize(1);
  }

  /**
   * The last stage that reads a value writes its own to the same array. Two arrays remain: that one
   * and the array of {@code e}.
   */
  @Test
  void workspaceIsReused() {
    LoopKernel kernel =
        fused(
            "x = f32[5000] parameter(0);e = f32[5000] exponential(x);t = f32[5000] tanh(e);"
                + "c = f32[5000] cosine(t);s = f32[5000] sine(c);l = f32[5000] log(s);"
                + "p = f32[5000] power(l, e);ROOT r = (f32[5000], f32[5000]) tuple(p, c)");
    ImmutableList<StageLoop> stages = kernel.nests().get(0).stages();
    assertThat(stages).hasSize(6);
    assertThat(
            stages.stream()
                .flatMap(stage -> stage.slots().stream())
                .filter(ArraySlot::isWorkspace)
                .map(ArraySlot::array)
                .distinct())
        .hasSize(2);
  }

  /** Includes booleans that belong to vectors of four lanes. */
  @ParameterizedTest
  @ValueSource(strings = {"f32", "f64", "bf16"})
  void booleansPassBetweenStages(String type) {
    StringBuilder body = new StringBuilder("x = T[5000] parameter(0);m = pred[5000] is-finite(x);");
    body.append("a0 = T[5000] negate(x);");
    int additions = 100;
    for (int i = 1; i <= additions; i++) {
      body.append("a%d = T[5000] add(a%d, x);".formatted(i, i - 1));
    }
    body.append("ROOT r = T[5000] select(m, a%d, x)".formatted(additions));
    String text = body.toString().replace("T[", type + "[");
    assertThat(fused(text).nests().get(0).stages().size()).isGreaterThan(1);
    LoopFusionsTest.check(LoopFusionsTest.fusion(text), 3);
  }

  /** The second form has vectors or, without them, split loops, as all NaNs are made the same. */
  @Test
  void loopsHaveASecondForm() {
    LoopKernel kernel = fused("x = f32[500] parameter(0);ROOT t = f32[500] add(x, x)");
    StageLoop stage = kernel.nests().get(0).stages().get(0);
    stage.body().prepare();
    assertThat(stage.body().second(0)).isNotNull();
  }

  @Test
  void bufferOfAnOperandReadInPlaceMayBeReused() {
    LoopKernel kernel =
        fused(
            "x = f32[4,4] parameter(0);y = f32[4,4] parameter(1);z = f32[4] parameter(2);"
                + "t = f32[4,4] transpose(y), dimensions={1,0};a = f32[4,4] add(x, t);"
                + "b = f32[4,4] broadcast(z), dimensions={0};ROOT r = f32[4,4] multiply(a, b)");
    assertThat(kernel.canReuseOperandBuffer(0)).isTrue();
    assertThat(kernel.canReuseOperandBuffer(1)).isFalse();
    assertThat(kernel.canReuseOperandBuffer(2)).isFalse();
  }

  @Test
  void bufferThatALaterStageReadsIsNotReused() {
    LoopKernel kernel =
        fused(
            "x = f32[5000] parameter(0);e = f32[5000] exponential(x);t = f32[5000] tanh(x);"
                + "ROOT r = (f32[5000], f32[5000]) tuple(e, t)");
    assertThat(kernel.nests().get(0).stages()).hasSize(2);
    assertThat(kernel.canReuseOperandBuffer(0)).isFalse();
  }

  @Test
  void padIsLoopsOverItsEdgesAndItsInterior() {
    LoopKernel kernel =
        fused(
            "x = f32[5,6] parameter(0);z = f32[] constant(0);"
                + "ROOT r = f32[7,8] pad(x, z), padding=1_1x1_1");
    assertThat(kernel.nests()).hasSize(5);
  }
}
