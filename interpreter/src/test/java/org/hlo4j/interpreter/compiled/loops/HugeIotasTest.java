package org.hlo4j.interpreter.compiled.loops;

import static com.google.common.truth.Truth.assertThat;

import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.Interpreter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Iotas of more elements than an array holds, of which loops compute a few: counts beyond int. Each
 * row is a body, whose {@code i} is an iota along its longest dimension, and the result.
 */
final class HugeIotasTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "s64[4000000001] | s64[5] slice(i), slice={[0:4000000001:1000000000]}"
            + " | s64[5] {0, 1000000000, 2000000000, 3000000000, 4000000000}",
        "s64[4294967300] | s64[4] slice(i), slice={[4294967296:4294967300]}"
            + " | s64[4] {4294967296, 4294967297, 4294967298, 4294967299}",
        "u64[1099511627776] | u64[3] slice(r), slice={[0:1099511627776:400000000000]}"
            + " | u64[3] {1099511627775, 699511627775, 299511627775}",
        "f64[3000000000] | f64[2] slice(i), slice={[2999999998:3000000000]}"
            + " | f64[2] {2999999998, 2999999999}",
        "f32[3000000000] | f32[2] slice(i), slice={[2147483649:3000000000:800000000]}"
            + " | f32[2] {2147483648, 2947483648}",
        "bf16[4294967295] | bf16[2] slice(i), slice={[4278190079:4294967295:16777215]}"
            + " | bf16[2] {4278190080, 4294967296}",
        "u32[4294967295] | u32[2] slice(r), slice={[0:2]} | u32[2] {4294967294, 4294967293}",
        "s32[4294967298] | s32[3] slice(i), slice={[0:4294967298:2147483648]}"
            + " | s32[3] {0, -2147483648, 0}",
        "u8[3000000001] | u8[2] slice(i), slice={[2999999999:3000000001]} | u8[2] {255, 0}",
        "s64[3000000000] | s64[3] dynamic-slice(i, n), dynamic_slice_sizes={3}"
            + " | s64[3] {2500000000, 2500000001, 2500000002}",
        "s64[2400000000] | s64[3] dynamic-slice(i, n), dynamic_slice_sizes={3}"
            + " | s64[3] {2399999997, 2399999998, 2399999999}",
        "s64[2,3000000000] | s64[2,2] slice(i), slice={[0:2],[1:3000000000:2999999998]}"
            + " | s64[2,2] {{1, 2999999999}, {1, 2999999999}}",
        "s64[3000000000,2] | s64[2,2] slice(i), slice={[1:3000000000:2999999998],[0:2]}"
            + " | s64[2,2] {{1, 1}, {2999999999, 2999999999}}",
        "s64[65536,65536,2] | s64[2,1,1] slice(i), slice={[0:65536:65535],[65535:65536],[0:1]}"
            + " | s64[2,1,1] {{{0}}, {{65535}}}",
      })
  void fewElements(String shape, String last, String want) {
    assertThat(run(shape, "ROOT y = " + last)).isEqualTo(Parser.parseLiteral(want));
  }

  @Test
  void sumsOfFewElements() {
    String sum =
        """
        p = s64[4] slice(i), slice={[0:4000000000:1000000000]}
        z = s64[] constant(0)
        ROOT y = s64[] reduce(p, z), dimensions={0}, to_apply=add
        """;
    assertThat(run("s64[4000000000]", sum)).isEqualTo(Literal.of(6_000_000_000L));
  }

  /** Blocks of rows, of which each row has counts of its own. */
  @Test
  void rowsOfCounts() {
    String rows =
        """
        s = s64[40,3] slice(i), slice={[0:40],[2999999997:3000000000]}
        t = s64[3,40] transpose(s), dimensions={1,0}
        j = s64[3,40] iota(), iota_dimension=1
        ROOT y = s64[3,40] subtract(t, j)
        """;
    Literal got = run("s64[40,3000000000]", rows);
    for (int k = 0; k < 120; k++) {
      assertThat(got.longAt(k)).isEqualTo(2_999_999_997L + k / 40 - k % 40);
    }
  }

  private static Literal run(String shape, String body) {
    HloModule module =
        Parser.parse(
            """
            HloModule m
            add {
              a = s64[] parameter(0)
              b = s64[] parameter(1)
              ROOT r = s64[] add(a, b)
            }
            ENTRY e {
              n = s64[] parameter(0)
              i = SHAPE iota(), iota_dimension=LONGEST
              r = SHAPE reverse(i), dimensions={LONGEST}
              BODY
            }
            """
                .replace("SHAPE", shape)
                .replace("LONGEST", shape.contains(",3") ? "1" : "0")
                .replace("BODY", body));
    return Interpreter.compiled().run(module, Literal.of(2_500_000_000L));
  }
}
