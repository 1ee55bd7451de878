package org.hlo4j.stablehlo.importer;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.stablehlo.StableHlo;
import org.junit.jupiter.api.Test;

class SharedCallsTest {
  /** The calls that many operations share become stack frames once. */
  @Test
  void manyOperationsWithinManyCalls() {
    StringBuilder text = new StringBuilder("#c0 = loc(\"f.py\":3:1)\n");
    for (int i = 1; i <= 12; i++) {
      text.append("#c%d = loc(callsite(#c%d at #c%d))\n".formatted(i, i - 1, i - 1));
    }
    text.append("func.func @main(%x: tensor<f32>) -> tensor<f32> {\n");
    for (int i = 0; i < 3000; i++) {
      text.append("%%%d = stablehlo.negate %%x : tensor<f32> loc(\"n%d\"(#c12))\n".formatted(i, i));
    }
    text.append("return %x : tensor<f32>\n}\n");
    HloModule module =
        assertTimeoutPreemptively(
            Duration.ofSeconds(15), () -> StableHlo.toHlo(StableHlo.parse(text.toString())));
    assertThat(
            module.entry().instructions().stream()
                .skip(1)
                .map(each -> each.metadata().others().get("stack_frame_id"))
                .distinct())
        .containsExactly("4096");
    assertThat(module.entry().instructions().getLast().metadata().opName()).isEqualTo("n2999");
  }
}
