package org.hlo4j.interpreter.reference.linalg;

import static com.google.common.truth.Truth.assertThat;

import com.google.common.collect.Range;
import java.util.concurrent.atomic.AtomicInteger;
import org.hlo4j.interpreter.math.Complex;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The steps of QR, and the standard form of two rows. */
final class SchurTest {
  private static final double ULP = 0x1p-52;

  @Test
  void whatDoesNotConvergeEnds() {
    double nan = Double.NaN;
    double[][] h = {{nan, nan, nan}, {nan, nan, nan}, {0, nan, nan}};
    AtomicInteger steps = new AtomicInteger();
    RealSchur real = new RealSchur(h, new double[3][3], 0, 3, ULP);
    assertThat(real.run(3, steps::incrementAndGet)).isEqualTo(3);
    assertThat(steps.get()).isEqualTo(60);
    ComplexSchur complex =
        new ComplexSchur(Matrix.filled(3, Complex.NAN), Matrix.identity(3), 0, 3, ULP);
    assertThat(complex.run(3, steps::incrementAndGet)).isEqualTo(3);
    assertThat(steps.get()).isEqualTo(120);
  }

  @Test
  void rowsThatGoRoundInCirclesAreShaken() {
    double[][] h = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}; // its own step of QR without shifts
    double[][] z = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    RealSchur schur = new RealSchur(h, z, 0, 3, ULP);
    AtomicInteger steps = new AtomicInteger();
    assertThat(schur.run(3, steps::incrementAndGet)).isEqualTo(0);
    assertThat(steps.get()).isIn(Range.closed(10, 20));
    assertThat(schur.re(0)).isWithin(1e-14).of(-0.5);
    assertThat(schur.im(0)).isWithin(1e-14).of(Math.sqrt(0.75));
    assertThat(schur.im(1)).isEqualTo(-schur.im(0));
    assertThat(schur.re(2)).isWithin(1e-14).of(1);
  }

  /** The step that would change 2e-229 beside 1e-27 and 1e96 is beyond the range of numbers. */
  @Test
  void whatNoStepChangesIsLeftOut() {
    double[][] h = {{-4e-260, -1e-27, 0}, {2e-229, 0, -1e72}, {0, 4e120, 0}};
    RealSchur real = new RealSchur(h, new double[3][3], 0, 3, ULP);
    assertThat(real.run(3, () -> {})).isEqualTo(0);
    assertThat(real.re(0) / 4e-260).isWithin(1e-12).of(-1);
    assertThat(real.im(1) / 2e96).isWithin(1e-12).of(1);
    Matrix g = new Matrix(3, 3);
    g.set(0, 0, new Complex(1, 0));
    g.set(0, 1, new Complex(1e100, 0));
    g.set(1, 0, new Complex(1e-150, 0));
    g.set(1, 2, new Complex(0, 1e100));
    g.set(2, 1, new Complex(1e-250, 0));
    g.set(2, 2, new Complex(1e-200, 0));
    ComplexSchur complex = new ComplexSchur(g, Matrix.identity(3), 0, 3, ULP);
    assertThat(complex.run(3, () -> {})).isEqualTo(0);
    assertThat(g.get(0, 0).re()).isWithin(1e-12).of(1);
  }

  @Test
  void reflectionsOfSubnormalNumbersAreOrthogonal() {
    double least = Double.MIN_VALUE;
    double[][] h = {{1e-300, 2, 3}, {6 * least, 10 * least, 20 * least}, {0, 4 * least, 8 * least}};
    double[][] z = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    assertThat(new RealSchur(h, z, 0, 3, ULP).run(3, () -> {})).isEqualTo(0);
    for (double[] row : z) {
      double square = row[0] * row[0] + row[1] * row[1] + row[2] * row[2];
      assertThat(square).isWithin(1e-14).of(1);
    }
    StandardBlock block = StandardBlock.of(1.5e-323, 3, -3, 0);
    double square = block.cosine() * block.cosine() + block.sine() * block.sine();
    assertThat(square).isWithin(1e-15).of(1);
  }

  /** 1 - tau of a step that starts in between rounds to 0, which has no phase. */
  @Test
  void stepsFromTheMiddleKeepThePhaseOfSmallFactors() {
    Matrix h = new Matrix(4, 4);
    h.set(0, 2, new Complex(3e20, -2e75));
    h.set(0, 3, new Complex(4e-50, 0));
    h.set(1, 0, new Complex(4e-80, 0));
    h.set(1, 1, new Complex(4e-100, 0));
    h.set(1, 3, new Complex(3e90, 1e35));
    h.set(2, 1, new Complex(1e55, 0));
    h.set(2, 2, new Complex(-3e30, 0));
    h.set(3, 2, new Complex(2e-55, 0));
    h.set(3, 3, new Complex(-2e-35, 1e95));
    assertThat(new ComplexSchur(h, Matrix.identity(4), 0, 4, ULP).run(4, () -> {})).isEqualTo(0);
    assertThat(h.get(3, 3).im() / 1e95).isWithin(1e-12).of(1);
    assertThat(h.get(0, 3).isNaN()).isFalse();
  }

  @Test
  void shiftsNeedFewSteps() {
    int n = 12;
    Matrix h = new Matrix(n, n);
    double[][] real = new double[n][n];
    for (int i = 0; i < n; i++) {
      for (int j = Math.max(i - 1, 0); j < n; j++) {
        real[i][j] = (i * 7 + j * 11) % 13 - 6;
        h.set(i, j, new Complex(real[i][j], (i * 5 + j * 3) % 7 - 3));
      }
    }
    AtomicInteger steps = new AtomicInteger();
    assertThat(new RealSchur(real, new double[n][n], 0, n, ULP).run(n, steps::incrementAndGet))
        .isEqualTo(0);
    assertThat(steps.get()).isAtMost(4 * n);
    steps.set(0);
    ComplexSchur complex = new ComplexSchur(h, Matrix.identity(n), 0, n, ULP);
    assertThat(complex.run(n, steps::incrementAndGet)).isEqualTo(0);
    assertThat(steps.get()).isAtMost(4 * n);
  }

  @Test
  void theShiftOfTwoRowsIsTheirEigenvalue() {
    Matrix h = Matrix.filled(2, new Complex(1, 0));
    h.set(0, 1, new Complex(2, 3));
    h.set(1, 1, new Complex(5, 0));
    AtomicInteger steps = new AtomicInteger();
    ComplexSchur schur = new ComplexSchur(h, Matrix.identity(2), 0, 2, ULP);
    assertThat(schur.run(2, steps::incrementAndGet)).isEqualTo(0);
    assertThat(steps.get()).isAtMost(2);
  }

  @ParameterizedTest
  @CsvSource({
    "1, 2, 0, 3,    1, 2, 0, 3,     1, 0, 0",
    "1, 0, 2, 3,    3, -2, 0, 1,    0, 1, 0",
    "5, 4, -1, 5,   5, 4, -1, 5,    1, 0, 2",
    "0, 1, 1, 0,    1, 0, 0, -1,    0.7071067811865476, 0.7071067811865476, 0",
    "1, 0, 0, 1,    1, 0, 0, 1,     1, 0, 0",
    "3, -1, 4, -1,  1, -5, 0, 1,    0.4472135954999579, 0.8944271909999159, 0",
  })
  void standardForm(
      double a,
      double b,
      double c,
      double d,
      double wantA,
      double wantB,
      double wantC,
      double wantD,
      double cosine,
      double sine,
      double imaginary) {
    StandardBlock block = StandardBlock.of(a, b, c, d);
    assertThat(block.a()).isWithin(1e-7).of(wantA);
    assertThat(block.b()).isWithin(1e-7).of(wantB);
    assertThat(block.c()).isWithin(1e-14).of(wantC);
    assertThat(block.d()).isWithin(1e-7).of(wantD);
    assertThat(block.cosine()).isWithin(1e-7).of(cosine);
    assertThat(block.sine()).isWithin(1e-7).of(sine);
    assertThat(block.imaginary()).isWithin(1e-7).of(imaginary);
  }

  @Test
  void balanceMovesWhatIsAloneAndScalesTheRest() {
    Matrix a = new Matrix(3, 3);
    a.set(0, 0, new Complex(7, 0)); // alone in its column
    a.set(1, 2, new Complex(1024, 0));
    a.set(2, 1, new Complex(1, 0));
    Balance balance = Balance.permuteAndScale(a);
    assertThat(balance.low()).isEqualTo(0);
    assertThat(balance.high()).isEqualTo(2);
    assertThat(a.get(2, 2)).isEqualTo(new Complex(7, 0));
    assertThat(a.get(0, 1)).isEqualTo(new Complex(32, 0));
    assertThat(a.get(1, 0)).isEqualTo(new Complex(32, 0));
  }
}
