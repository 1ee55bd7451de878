package org.hlo4j.interpreter.compiled.passes;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.interpreter.compiled.passes.Rewrites.lines;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TransposedDotsTest {
  private static final String GRADIENT =
      """
      x = f32[16,64] parameter(0)
      g = f32[16,512] parameter(1)
      d = f32[512,64] dot(g, x), lhs_contracting_dims={0}, rhs_contracting_dims={0}
      """;

  @Test
  void gradient() {
    assertThat(entry(GRADIENT + "ROOT t = f32[64,512] transpose(d), dimensions={1,0}"))
        .contains(
            "ROOT t = f32[64,512] dot(x, g), lhs_contracting_dims={0}, rhs_contracting_dims={0}");
  }

  @Test
  void batchesInAnotherOrder() {
    assertThat(
            entry(
                """
                x = bf16[2,3,4,5] parameter(0)
                y = bf16[7,5,3,2] parameter(1)
                d = f32[2,3,4,7] dot(x, y), lhs_batch_dims={0,1}, lhs_contracting_dims={3}, \
                rhs_batch_dims={3,2}, rhs_contracting_dims={1}
                ROOT t = f32[3,2,7,4] transpose(d), dimensions={1,0,3,2}\
                """))
        .contains(
            "ROOT t = f32[3,2,7,4] dot(y, x), lhs_batch_dims={2,3}, lhs_contracting_dims={1}, "
                + "rhs_batch_dims={1,0}, rhs_contracting_dims={3}");
  }

  /** Each operand keeps the precision that was requested for it. */
  @Test
  void precision() {
    String precise = GRADIENT.stripTrailing() + ", operand_precision={high,highest}\n";
    assertThat(entry(precise + "ROOT t = f32[64,512] transpose(d), dimensions={1,0}"))
        .contains("operand_precision={highest,high}");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        // The dot has another user.
        GRADIENT
            + """
            t = f32[64,512] transpose(d), dimensions={1,0}
            ROOT r = (f32[64,512], f32[512,64]) tuple(t, d)
            """,
        // It is transposed twice.
        GRADIENT
            + """
            t = f32[64,512] transpose(d), dimensions={1,0}
            u = f32[64,512] transpose(d), dimensions={1,0}
            ROOT r = (f32[64,512], f32[64,512]) tuple(t, u)
            """,
        // The transpose puts rows before batches.
        """
        x = f32[2,3,4] parameter(0)
        y = f32[2,4,5] parameter(1)
        d = f32[2,3,5] dot(x, y), lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0}, \
        rhs_contracting_dims={1}
        ROOT t = f32[3,2,5] transpose(d), dimensions={1,0,2}
        """,
        // The transpose also permutes the columns.
        """
        x = f32[3,4] parameter(0)
        y = f32[4,5,6] parameter(1)
        d = f32[3,5,6] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
        ROOT t = f32[6,5,3] transpose(d), dimensions={2,1,0}
        """
      })
  void otherDotsStay(String body) {
    assertThat(entry(body)).isEqualTo(lines(body));
  }

  private static String entry(String body) {
    return Rewrites.entry(new TransposedDots(), body);
  }
}
