package org.hlo4j.interpreter.math;

import static com.google.common.truth.Truth.assertThat;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The iteration for singular values. Whole decompositions are tested by LinearAlgebraTest. */
final class BidiagonalTest {
  private static final PlaneRotation.Receiver NONE = (one, other, cosine, sine) -> {};

  private static int run(double[] diagonal, double[] superdiagonal, AtomicInteger steps) {
    return new Bidiagonal(diagonal, superdiagonal, NONE, NONE, steps::incrementAndGet)
        .diagonalize();
  }

  private static double[] ascending(double[] values) {
    return Arrays.stream(values).map(Math::abs).sorted().toArray();
  }

  @Test
  void whatDoesNotConvergeIsCounted() {
    double nan = Double.NaN;
    AtomicInteger steps = new AtomicInteger();
    assertThat(run(new double[] {nan, 1, 1, nan}, new double[] {1, nan, nan, 0}, steps))
        .isEqualTo(3);
    assertThat(steps.get()).isLessThan(40);
  }

  /** (1e-160 1e-160) (0 1e-160) times a large number has the golden ratio as its greater value. */
  @Test
  void directionsOfSmallNumbersAreNotCut() {
    double[] diagonal = {1e-160, 1e-160, 1};
    assertThat(run(diagonal, new double[] {1e-160, 0, 0}, new AtomicInteger())).isEqualTo(0);
    double[] values = ascending(diagonal);
    assertThat(values[1] / 1e-160).isWithin(1e-15).of((Math.sqrt(5) + 1) / 2);
    assertThat(values[0] / 1e-160).isWithin(1e-15).of((Math.sqrt(5) - 1) / 2);
  }

  /** The product of the singular values is that of the diagonal, whichever end is large. */
  @Test
  void smallValuesKeepTheirDigits() {
    for (boolean isFalling : new boolean[] {true, false}) {
      double[] diagonal = new double[9];
      double[] superdiagonal = new double[9];
      for (int i = 0; i < 9; i++) {
        int exponent = -20 * (isFalling ? i : 8 - i);
        diagonal[i] = Math.scalb(1.0, exponent);
        superdiagonal[i] = i == 8 ? 0 : Math.scalb(1.5, exponent);
      }
      AtomicInteger steps = new AtomicInteger();
      assertThat(run(diagonal, superdiagonal, steps)).isEqualTo(0);
      double product = 1;
      for (double value : diagonal) {
        product *= value;
      }
      assertThat(Math.scalb(Math.abs(product), 720)).isWithin(1e-14).of(1);
      assertThat(steps.get()).isAtMost(18);
    }
  }

  @Test
  void zerosOnTheDiagonalAreValues() {
    double[] diagonal = {2, 0, 3, 0};
    assertThat(run(diagonal, new double[] {1, 0, 4, 0}, new AtomicInteger())).isEqualTo(0);
    assertThat(ascending(diagonal))
        .usingTolerance(1e-15)
        .containsExactly(new double[] {0, 0, Math.sqrt(5), 5})
        .inOrder();
  }

  @Test
  void shiftsNeedFewSteps() {
    int n = 40;
    double[] diagonal = new double[n];
    double[] superdiagonal = new double[n];
    for (int i = 0; i < n; i++) {
      diagonal[i] = 1 + i * 7 % 13;
      superdiagonal[i] = 1 + i * 5 % 11;
    }
    AtomicInteger steps = new AtomicInteger();
    assertThat(run(diagonal, superdiagonal, steps)).isEqualTo(0);
    assertThat(steps.get()).isAtMost(3 * n);
  }
}
