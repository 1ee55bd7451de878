package org.hlo4j.hlo;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.ElementType.F64;
import static org.hlo4j.hlo.Refusals.assertRefused;

import org.hlo4j.hlo.text.Parser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@link Literal#convertElementType}; {@code conversions.txt} of the evaluators has more rows. */
final class LiteralConversionTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "f64[2,2] {{1.1, -0}, {1e300, nan}} | f32[2,2] {{1.10000002, -0}, {inf, nan}}",
        "f32[2] {0.1, -inf}                 | f64[2] {0.10000000149011612, -inf}",
        "f64[3] {1.00390625, 1.01171875, 3e38} | bf16[3] {1, 1.016, 2.999e+38}",
        "f32[6] {1.9, -1.9, nan, inf, -inf, 3e9} | s32[6] {1, -1, 0, 2147483647, -2147483648,"
            + " 2147483647}",
        "f32[4] {-1, 255.9, 256, 0.5}       | u8[4] {0, 255, 255, 0}",
        "f64[3] {1.8446744073709552e19, 1e19, -0.1} | u64[3] {18446744073709551615,"
            + " 10000000000000000000, 0}",
        "s64[3] {300, -1, 4294967297}       | s32[3] {300, -1, 1}",
        "s32[3] {300, -1, 128}              | s8[3] {44, -1, -128}",
        "s32[2] {-1, 7}                     | u32[2] {4294967295, 7}",
        "u64[2] {18446744073709551615, 1}   | f32[2] {1.84467441e+19, 1}",
        "s64[2] {9007199791611905, 9007199791611904} | f32[2] {9.00720033e+15, 9.00719926e+15}",
        "s32[2] {16777217, -16777219}       | f32[2] {16777216, -16777220}",
        "s4[2] {-8, 7}                      | f32[2] {-8, 7}",
        "pred[2] {true, false}              | f32[2] {1, 0}",
        "f32[4] {0.5, 0, -0, nan}           | pred[4] {true, false, false, true}",
        "c64[2] {(1.5, 2), (0, 1)}          | f32[2] {1.5, 0}",
        "c64[2] {(1.5, 2), (0, 1)}          | pred[2] {true, true}",
        "c64[1] {(1.5, 2)}                  | s32[1] {1}",
        "s32[1] {3}                         | c128[1] {(3, 0)}",
        "f64[0,3] {}                        | f32[0,3] {}",
        "f64[] 2.5                          | s8[] 2",
      })
  void value(String from, String to) {
    Literal want = Parser.parseLiteral(to);
    assertThat(Parser.parseLiteral(from).convertElementType(want.elementType())).isEqualTo(want);
  }

  @Test
  void theSameTypeIsTheLiteralItself() {
    Literal x = Literal.of(new float[] {1, 2});
    assertThat(x.convertElementType(F32)).isSameInstanceAs(x);
  }

  @Test
  @SuppressWarnings("NullAway") // bad input on purpose
  void refusals() {
    Literal x = Literal.of(1.0);
    assertRefused("literal: element type is null", () -> x.convertElementType(null));
    assertRefused(
        "literal: got (f64[]), want an array", () -> Literal.tuple(x).convertElementType(F32));
    assertRefused(
        "literal: got f32[9] whose elements were left out, written {...}, want them: XLA writes"
            + " them with print_large_constants",
        () -> Literal.elided(Shape.of(F32, 9)).convertElementType(F64));
  }
}
