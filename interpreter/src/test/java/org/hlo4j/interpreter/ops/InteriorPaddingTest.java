package org.hlo4j.interpreter.ops;

import static com.google.common.truth.Truth.assertThat;
import static java.util.Objects.requireNonNull;

import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.Executable;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.interpreter.compiled.KernelTester;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Padding between elements, as in the gradient of {@code x[::49]}: elements, the padding between
 * them and that around them are computed by a loop each, however many there are.
 */
final class InteriorPaddingTest {
  /** The shapes of p and the pad, how it is padded, what is computed, and the number of parts. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          3     | 2000003 | 0_0_1000000     | b = f32[R] add(d, q)                                        | 3
          3     | 2000003 | 0_0_1000000     | b = f32[R] copy(d)                                          | 3
          2000  | 255873  | 0_0_127         | b = f32[R] add(d, q)                                        | 3
          100   | 4852    | 0_0_48          | b = f32[R] add(d, q)                                        | 3
          5     | 206     | 2_3_49          | b = f32[R] add(d, q)                                        | 6
          5     | 198     | -1_-2_49        | b = f32[R] add(d, q)                                        | 3
          2     | 20      | -30_0_48        | b = f32[R] add(d, q)                                        | 2
          1     | 9       | 4_4_100         | b = f32[R] add(d, q)                                        | 3
          3     | 203     | 0_0_100         | b = f32[R] reverse(d), dimensions={0}                       | 3
          9     | 409     | 0_0_50          | s = f32[41] slice(d), slice={[0:409:10]}; b = f32[41] negate(s) | 5
          4,5   | 23,207  | 1_0_6x0_2_50    | b = f32[R] add(d, q)                                        | 12
          3,3   | 11,11   | 0_0_4x0_0_4     | b = f32[R] add(d, q)                                        | 9
          3,3   | 5,5     | 0_0_1x0_0_1     | b = f32[R] add(d, q)                                        | 4
          """)
  void takesFewLoops(String p, String result, String padding, String body, int parts) {
    HloModule module =
        Parser.parse(
            """
            HloModule m
            ENTRY e {
              p = f32[P] parameter(0)
              q = f32[R] parameter(1)
              z = f32[] constant(7)
              d = f32[R] pad(p, z), padding=PADDING
              ROOT BODY
            }
            """
                .replace("BODY", body.replace(";", "\n ROOT"))
                .replaceAll("ROOT (s = .*)\n", "$1\n")
                .replace("PADDING", padding)
                .replace("P]", p + "]")
                .replace("R]", result + "]"));
    Literal[] arguments = KernelTester.Values.EIGHTHS.arguments(module, new Random(3));
    Executable program = Interpreter.compiled().compile(module);
    assertThat(program.run(arguments)).isEqualTo(Interpreter.reference().run(module, arguments));
    Matcher loops = Pattern.compile("(\\d+) (?:parts|boxes)").matcher(program.explain());
    assertThat(loops.find()).isTrue();
    assertThat(Integer.parseInt(requireNonNull(loops.group(1)))).isAtMost(parts);
  }
}
