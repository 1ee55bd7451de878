package org.hlo4j.interpreter.compiled.reduce;

import static com.google.common.truth.Truth.assertThat;
import static com.google.common.truth.Truth.assertWithMessage;

import java.util.Random;
import java.util.function.IntToDoubleFunction;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.agreement.Evaluators;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Long rows, whose parts are reduced one after the other: sums whose terms cancel or overflow, and
 * maxima of rows beside others.
 */
final class LongRowsTest {
  private static final String SUM =
      """
      HloModule m
      sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
      fused {
        x = f32[R,C] parameter(0)
        initial = f32[] constant(INITIAL)
        terms = f32[R,C] TERM
        ROOT s = f32[R] reduce(terms, initial), dimensions={1}, to_apply=sum
      }
      ENTRY e { x = f32[R,C] parameter(0) ROOT s = f32[R] fusion(x), kind=kLoop, calls=fused }
      """;

  private static String sized(String text, int rows, int columns) {
    return text.replace("[R", "[" + rows).replace("C]", columns + "]");
  }

  private static HloModule sum(int rows, int columns, String term, double initial) {
    String text = SUM.replace("TERM", term).replace("INITIAL", Float.toString((float) initial));
    return Parser.parse(sized(text, rows, columns));
  }

  private static HloModule softmax(int rows, int columns) {
    return Parser.parse(sized(FusionsTest.SOFTMAX, rows, columns));
  }

  private static Literal matrix(int rows, int columns, IntToDoubleFunction element) {
    LiteralBuilder literal = new LiteralBuilder(Shape.of(ElementType.F32, rows, columns));
    for (int i = 0; i < rows * columns; i++) {
      literal.setDouble(i, (float) element.applyAsDouble(i));
    }
    return literal.build();
  }

  private static Literal run(HloModule module, Literal argument) {
    assertThat(ReducePrograms.kernel(module)).isInstanceOf(BlockReduceKernel.class);
    return ReducePrograms.TESTER.result(module, argument);
  }

  // Sums.

  @ParameterizedTest
  @CsvSource({"3,15361", "3,15364", "2,16000", "5,20003", "2,140001"})
  void sumOfSquaresIsWithinOneUlp(int rows, int columns) {
    Random random = new Random(columns);
    Literal x = matrix(rows, columns, i -> random.nextGaussian());
    Literal sums = run(sum(rows, columns, "multiply(x, x)", 1), x);
    for (int row = 0; row < rows; row++) {
      double exact = 1;
      for (int i = row * columns; i < (row + 1) * columns; i++) {
        exact += (float) (x.doubleAt(i) * x.doubleAt(i));
      }
      float want = (float) exact;
      assertThat(sums.doubleAt(row)).isWithin(Math.ulp(want)).of(want);
    }
  }

  /** In f32, 2^24 + 1 rounds to 2^24. */
  @ParameterizedTest
  @ValueSource(strings = {"negate(x)", "add(x, x)", "copy(x)"})
  void termsThatMayBeNegativeCancel(String term) {
    double[] values = {0x1p24, 1, -0x1p24};
    Literal x = matrix(2, 300, i -> i % 32 == 0 && i < 96 ? values[i / 32] : 0);
    ReducePrograms.check(sum(2, 300, term, 0), 0, x);
  }

  /** The sum of two terms overflows; with the initial value it does not. */
  @Test
  void negativeInitialValue() {
    Literal x = matrix(1, 15_400, i -> i == 0 || i == 15_390 ? 0x1p127 : 0);
    assertThat(run(sum(1, 15_400, "abs(x)", -0x1p127), x).doubleAt(0)).isEqualTo(0x1p127);
    assertThat(run(sum(1, 15_400, "abs(x)", 0), x).doubleAt(0)).isPositiveInfinity();
  }

  /** The sum overflows f32; one term is -inf, of the division by the root of -0. */
  @Test
  void quotientsByMinusZero() {
    HloModule module =
        Parser.parse(
            """
            HloModule m
            sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
            ENTRY e {
              x = f32[2,300] parameter(0)
              d = f32[2,300] parameter(1)
              root = f32[2,300] sqrt(d)
              size = f32[2,300] abs(x)
              q = f32[2,300] divide(size, root)
              zero = f32[] constant(0)
              ROOT r = f32[2] reduce(q, zero), dimensions={1}, to_apply=sum
            }
            """);
    Literal x = matrix(2, 300, i -> 3e38f);
    Literal divisors = matrix(2, 300, i -> i == 299 ? -0.0 : 1);
    assertThat(Evaluators.both().run(module, x, divisors))
        .isEqualTo(Literal.of(new float[] {Float.NEGATIVE_INFINITY, Float.POSITIVE_INFINITY}));
  }

  // The maximum of a row, reduced while the previous row is finished.

  @ParameterizedTest
  @CsvSource({"1,2050", "5,2052", "3,2049", "40,2500", "7,4099", "70,2049"})
  void rowsDoNotDependOnThePreviousRow(int rows, int columns) {
    Random random = new Random(rows);
    int[] order = {3, -3, 2, 5, 0, 4, -2};
    Literal x =
        matrix(
            rows,
            columns,
            i -> random.nextGaussian() * Math.pow(10, order[i / columns % order.length]));
    Literal all = run(softmax(rows, columns), x);
    for (int row = 0; row < rows; row++) {
      int first = row * columns;
      Literal own = matrix(1, columns, i -> x.doubleAt(first + i));
      Literal alone = ReducePrograms.TESTER.result(softmax(1, columns), own);
      Literal part = matrix(1, columns, i -> all.doubleAt(first + i));
      assertWithMessage("row %s", row).that(part).isEqualTo(alone);
    }
    ReducePrograms.check(softmax(rows, columns), 4, x);
  }

  @Test
  void specialValuesStayInTheirRow() {
    double[] special = {0, Double.NaN, 1, Double.POSITIVE_INFINITY, -0.0, 2};
    int columns = 2050;
    Literal x = matrix(6, columns, i -> i % columns == 2049 ? special[i / columns] : -i % 3);
    ReducePrograms.check(softmax(6, columns), 4, x);
    Literal y = run(softmax(6, columns), x);
    assertThat(y.doubleAt(columns)).isNaN();
    assertThat(y.doubleAt(2 * columns)).isGreaterThan(0.0);
    assertThat(y.doubleAt(3 * columns)).isNaN();
    assertThat(y.doubleAt(4 * columns)).isGreaterThan(0.0);
  }

  @Test
  void minimum() {
    String least = FusionsTest.SOFTMAX.replace("maximum", "minimum").replace("-inf", "inf");
    ReducePrograms.check(Parser.parse(sized(least, 9, 2100)), 5, 4);
  }
}
