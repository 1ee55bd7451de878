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
    assertThat(steps.get()).isEqualTo(301);
    ComplexSchur complex =
        new ComplexSchur(Matrix.filled(3, Complex.NAN), Matrix.identity(3), 0, 3, ULP);
    assertThat(complex.run(3, steps::incrementAndGet)).isEqualTo(3);
    assertThat(steps.get()).isEqualTo(602);
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
