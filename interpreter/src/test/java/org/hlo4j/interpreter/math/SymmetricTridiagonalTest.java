package org.hlo4j.interpreter.math;

import static com.google.common.truth.Truth.assertThat;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The iteration for eigenvalues. Whole decompositions are tested by LinearAlgebraTest. */
final class SymmetricTridiagonalTest {
  private static int run(double[] diagonal, double[] offDiagonal, AtomicInteger steps) {
    return new SymmetricTridiagonal(
            diagonal, offDiagonal, (one, other, cosine, sine) -> {}, steps::incrementAndGet)
        .diagonalize();
  }

  @Test
  void whatDoesNotConvergeIsCounted() {
    double nan = Double.NaN;
    AtomicInteger steps = new AtomicInteger();
    assertThat(run(new double[] {nan, 1, 1, nan}, new double[] {1, nan, nan, 0}, steps))
        .isEqualTo(3);
    assertThat(steps.get()).isEqualTo(2 * 30 * 4);
  }

  /** LAPACK 3.12 gives up, with info 3: the greater pair hardly touches the other rows. */
  @Test
  void elementsThatNoStepChangesAreLeftOut() {
    double[] diagonal = {3.8e-301, 4.1e-103, 4.1e-287, -3.5e-30};
    double[] offDiagonal = {-1.5e93, -1.1e-149, -6.5e-142, 0};
    assertThat(run(diagonal, offDiagonal, new AtomicInteger())).isEqualTo(0);
    Arrays.sort(diagonal);
    assertThat(diagonal[0] / 1e93).isWithin(1e-14).of(-1.5);
    assertThat(diagonal[3] / 1e93).isWithin(1e-14).of(1.5);
  }

  /** Eigenvalues of 1e-20 beside 1 keep their digits, whichever end is large. */
  @Test
  void smallValuesOfGradedMatricesKeepTheirDigits() {
    for (boolean isFalling : new boolean[] {true, false}) {
      double[] diagonal =
          isFalling ? new double[] {1, 1e-10, 1e-20} : new double[] {1e-20, 1e-10, 1};
      double[] offDiagonal =
          isFalling ? new double[] {1e-6, 1e-16, 0} : new double[] {1e-16, 1e-6, 0};
      assertThat(run(diagonal, offDiagonal, new AtomicInteger())).isEqualTo(0);
      Arrays.sort(diagonal);
      // 1e-10 - 1e-12 and 1e-20 - 1e-32 / (1e-10 - 1e-12), to 12 digits
      assertThat(diagonal[1] / 1e-10).isWithin(1e-11).of(0.99);
      assertThat(diagonal[0] / 1e-20).isWithin(1e-11).of(1 - 0.01 / 0.99);
    }
  }

  @Test
  void shiftsNeedFewSteps() {
    int n = 40;
    double[] diagonal = new double[n];
    double[] offDiagonal = new double[n];
    for (int i = 0; i < n; i++) {
      diagonal[i] = i * 7 % 13 - 6;
      offDiagonal[i] = 1 + i * 5 % 11;
    }
    AtomicInteger steps = new AtomicInteger();
    assertThat(run(diagonal, offDiagonal, steps)).isEqualTo(0);
    assertThat(steps.get()).isAtMost(3 * n);
  }
}
