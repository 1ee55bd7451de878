package org.hlo4j.check.compare;

import static com.google.common.truth.Truth.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import org.hlo4j.check.compare.Comparison.LeftOpen;
import org.hlo4j.check.part.Tables;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.text.Parser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

final class AllowancesTest {
  private static final Path PAGE = Path.of("../docs/markdown/reference/numerics.md");

  /**
   * The tables of functions and rewrites are those of the code. After an intended change, {@code
   * -Dhlo4j.pages=write} puts them between their headings and the next empty line.
   */
  @Test
  void pageIsUpToDate() throws IOException {
    String rewrites =
        Tables.rows("compare/rewrites.table").stream()
            .collect(Collectors.joining("\n", "```txt\n", "\n```\n"));
    String page = Files.readString(PAGE);
    if ("write".equals(System.getProperty("hlo4j.pages"))) {
      page = replaced(page, "| function | f32 |", functions());
      page = replaced(page, "```txt\nadd(a, 0)", rewrites);
      Files.writeString(PAGE, page);
    }
    assertThat(page).contains("\n\n" + functions());
    assertThat(page).contains(rewrites);
  }

  private static String functions() {
    StringBuilder table =
        new StringBuilder("| function | f32 | f64 | complex | by |\n|---|---|---|---|---|\n");
    FunctionUlps.ROWS.forEach((name, row) ->
        table.append(
            "| `%s` | %d | %d | %d%s | %s |\n"
                .formatted(
                    name,
                    row.f32(),
                    row.f64(),
                    row.complex(),
                    row.least() > 0 ? ", at least of 1" : "",
                    row.source())));
    return table.toString();
  }

  /** Each row that leaves something open has its condition, words and address. */
  @ParameterizedTest
  @EnumSource
  void openRows(LeftOpen row) {
    assertThat(row.condition()).isNotEmpty();
    assertThat(row.words()).isNotEmpty();
    assertThat(row.source()).startsWith("https://");
  }

  private static String replaced(String page, String start, String table) {
    int from = page.indexOf(start);
    return page.substring(0, from) + table + page.substring(page.indexOf("\n\n", from) + 1);
  }

  /** An instruction, and the allowance that it has in the profile native. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          r = f32[4] add(x, x)                      | one rounding
          r = f32[4] divide(x, x)                   | 2 ulps, denormal reciprocals as zeros
          r = f32[4] sqrt(x)                        | 1 ulp
          r = f32[4] exponential(x)                 | 6 ulps
          r = f32[4] tanh(x)                        | 5 ulps
          r = bf16[4] tanh(b)                       | 1 ulp
          r = f64[4] log-plus-one(d)                | 130 ulps
          r = c64[4] sine(c)                        | 6.0 ulps of the modulus
          r = c64[4] sinh(c)                        | 40.0 ulps of the modulus or of 1.0
          r = c64[4] add(c, c)                      | one rounding
          r = f32[] dot(x, x), lhs_contracting_dims={0}, rhs_contracting_dims={0} | 4 terms added in f32 in any order
          r = bf16[] dot(b, b), lhs_contracting_dims={0}, rhs_contracting_dims={0} | 4 terms added in f32 in any order
          r = f32[] dot(x, x), lhs_contracting_dims={0}, rhs_contracting_dims={0}, algorithm=dot_tf32_tf32_f32 | 4 terms added in f32 in any order, operands in tf32
          r = f32[] reduce(x, z), dimensions={0}, to_apply=plus | terms added in f32 in any order
          r = f32[] reduce(x, z), dimensions={0}, to_apply=most | one rounding
          r = f32[] reduce(x, z), dimensions={0}, to_apply=times | factors multiplied in f32 in any order
          r = c64[4] fft(c), fft_type=FFT, fft_length={4} | a transform of 4 numbers in f32
          """)
  void allowances(String root, String words) throws IOException {
    HloModule module =
        Parser.parse(
            """
            HloModule m
            plus { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
            most { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] maximum(a, b) }
            times { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] multiply(b, a) }
            ENTRY e {
              x = f32[4] parameter(0)
              b = bf16[4] parameter(1)
              d = f64[4] parameter(2)
              c = c64[4] parameter(3)
              z = f32[] constant(0)
              ROOT %s
            }
            """
                .formatted(root));
    assertThat(
            new Allowances(new ToleranceProfile.Native())
                .of(module.entry().root(), true, false)
                .words())
        .isEqualTo(words);
    String page = Files.readString(PAGE);
    int table = page.indexOf("| ops | types |");
    String rows = page.substring(table, page.indexOf("\n\n", table));
    Op op = module.entry().root().op();
    boolean isFunction = op instanceof Elementwise of && of.kind().isTranscendental();
    assertThat(rows).contains(isFunction ? "functions" : "`" + op.opcode() + "`");
  }

  /** An expression of x and y, and what it becomes. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          s = f32[] sqrt(x) ROOT r = f32[] multiply(s, s)                             | x
          s = f32[] exponential(x) t = f32[] exponential(y) ROOT r = f32[] divide(s, t) | exponential(subtract(x, y))
          c = f32[] constant(3) ROOT r = f32[] divide(x, c)                           | multiply(x, divide(1, 3))
          c = f32[] constant(3) s = f32[] add(c, x) ROOT r = f32[] add(s, c)          | add(x, add(3, 3))
          c = f32[] constant(2) ROOT r = f32[] power(x, c)                            | multiply(x, x)
          s = bf16[] convert(x) ROOT r = f32[] convert(s)                             | x
          s = f64[] convert(x) ROOT r = s32[] convert(s)                              | convert(convert(x))
          s = f32[] sqrt(x) t = f32[] sqrt(y) ROOT r = f32[] multiply(s, t)           | multiply(sqrt(x), sqrt(y))
          """)
  void rewrites(String body, String after) {
    HloModule module =
        Parser.parse(
            "HloModule m ENTRY e { x = f32[] parameter(0) y = f32[] parameter(1) " + body + " }");
    assertThat(text(Rewrites.of(module).orElse(module).entry().root())).isEqualTo(after);
  }

  private static String text(HloInstruction at) {
    return switch (at.op()) {
      case Parameter _ -> at.name();
      case Broadcast _ -> text(at.operands().get(0));
      case Constant constant -> constant.literal().toHloText();
      default ->
          at.op().opcode()
              + at.operands().stream()
                  .map(AllowancesTest::text)
                  .collect(Collectors.joining(", ", "(", ")"));
    };
  }
}
