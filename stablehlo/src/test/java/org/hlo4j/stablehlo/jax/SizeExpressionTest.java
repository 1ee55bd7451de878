package org.hlo4j.stablehlo.jax;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Map;
import org.hlo4j.hlo.HloException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Values and solutions of the expressions that JAX writes for sizes. */
class SizeExpressionTest {
  private static final Map<String, Long> SIZES = Map.of("b", 3L, "c", 5L);

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "- b^2 + 10*b            | 21",
        "-b^2                    | -9",
        "- 2*b^2                 | -18",
        "2 - b^2                 | -7",
        "c - -b                  | 8",
        "c + -b^2                | -4",
        "c*-2 + 1                | -9",
        "2*b + -1                | 5",
        "- b - c - 1             | -9",
        "c - b - 1               | 1",
        "c - (b - 1)             | 3",
        "2^b^2                   | 512",
        "(2^b)^2                 | 64",
        "2*b^2*c                 | 90",
        "b*c^2                   | 75",
        "-(b + c)^2              | -64",
        "+ b                     | 3",
        "- -b                    | 3",
        "floordiv(- b, 2)        | -2",
        "mod(- b, 2)             | 1",
        "floordiv(c, -2)         | -3",
        "mod(c, -2)              | -1",
        "- mod(b, 2)*c           | -5",
        "floordiv(b + c, 3)^2    | 4",
        "max(b, - c)             | 3",
        "min(b, - c)             | -5",
        "max(min(b, c), mod(c, b)) | 3",
        "-7                      | -7",
      })
  void values(String text, long want) {
    assertThat(SizeExpression.parse(text).value(SIZES)).hasValue(want);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "x               | 7    | 7",
        "2*x + -1        | 7    | 4",
        "- 2*x + 20      | 6    | 7",
        "- x             | -4   | 4",
        "c*x             | 20   | 4",
        "x*c - x         | 20   | 5",
        "x + b^2         | 11   | 2",
        "x + mod(c, 2)   | 4    | 3",
        "floordiv(c, 2)*x | 8   | 4",
        "x^1             | 6    | 6",
        "(x + 1)*b       | 12   | 3",
        "x + 9223372036854775807 | 9223372036854775807 | 0",
        "2*x             | 7    | none",
        "x - x           | 0    | none",
        "x^2             | 9    | none",
        "x*x             | 9    | none",
        "- x^2 + 10*x    | 21   | none",
        "min(x, 2000)    | 2000 | none",
        "max(x, 2)       | 2    | none",
        "min(x, 5000)    | 3    | none",
        "mod(x, 2000)    | 1    | none",
        "floordiv(x, 1)  | 3    | none",
        "min(x, 3) + x   | 6    | none",
        "x^40            | 1    | none",
        "x + y           | 3    | none",
        "4611686018427387904*x*4 | 1 | none",
      })
  void solutions(String text, long size, String want) {
    assertThat(
            SizeExpression.parse(text)
                .solve(SIZES, size)
                .map(solved -> solved.getValue().toString())
                .orElse("none"))
        .isEqualTo(want);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "floordiv(b)       | size: got \"floordiv(b)\", want ',' at character 11",
        "floordiv(b, 2, 3) | size: got \"floordiv(b, 2, 3)\", want ')' at character 14",
        "b^                | size: got \"b^\", want a number or a size variable at character 3",
        "b^-1              | size: got \"b^-1\", want a number or a size variable at character 3",
        "2b                | size: got \"2b\", want a 64-bit number at character 3",
        "b c               | size: got \"b c\", want nothing more at character 3",
        "sqrt(b)           | size: got \"sqrt(b)\", want floordiv, mod, max or min at character 6",
      })
  void refusals(String text, String message) {
    assertThat(assertThrows(HloException.class, () -> SizeExpression.parse(text)))
        .hasMessageThat()
        .isEqualTo(message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "floordiv(b, 0)         | size: floordiv[3, 0] has no value of 64 bits",
        "mod(b, b - 3)          | size: mod[3, 0] has no value of 64 bits",
        "9223372036854775807 + b | size: +[9223372036854775807, 3] has no value of 64 bits",
        "c^30                   | size: ^[5, 30] has no value of 64 bits",
      })
  void valuesBeyondLong(String text, String message) {
    SizeExpression expression = SizeExpression.parse(text);
    assertThat(assertThrows(HloException.class, () -> expression.value(SIZES)))
        .hasMessageThat()
        .isEqualTo(message);
  }
}
