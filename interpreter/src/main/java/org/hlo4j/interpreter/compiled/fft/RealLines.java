package org.hlo4j.interpreter.compiled.fft;

import org.hlo4j.interpreter.engine.Limits;

/**
 * The conversion of the transform of m complex numbers, which are pairs of 2 m real numbers, to the
 * first half of the transform of the real numbers, and the reverse.
 */
final class RealLines {
  private final int half;
  private final FftGrid factors;

  RealLines(int length, boolean isInverse) {
    this.half = length / 2;
    this.factors = AlignedSlab.table(half, half);
    for (int k = 0; k < half; k++) {
      Limits.checkAt(k);
      double[] root = Roots.root(k, length);
      factors.set(k, isInverse ? -root[0] : root[0], root[1]);
    }
  }

  /**
   * Computes the transform of a line of real numbers, which has one number more, from that of its
   * pairs.
   */
  void forward(FftGrid from, FftGrid to) {
    forward(from, to, 0, half + 1);
  }

  /** Computes numbers {@code first} to {@code end - 1} of it, with which {@code to} begins. */
  void forward(FftGrid from, FftGrid to, int first, int end) {
    double re = from.re(0);
    double im = from.im(0);
    if (first == 0) {
      to.set(0, re + im, 0);
    }
    if (end > half) {
      to.set(half - first, re - im, 0);
    }
    inner(from.offset(first), from.offset(half - first), to, first, end);
  }

  /** Computes the transform of pairs from that of the real numbers. */
  void inverse(FftGrid from, FftGrid to) {
    inverse(from, from.offset(half), to, 0, half);
  }

  /**
   * Computes numbers {@code first} to {@code end - 1} of it, with which {@code to} begins.
   *
   * @param from the grid that begins with the first number
   * @param opposite the grid that begins with the number opposite to it, in the same array
   */
  void inverse(FftGrid from, FftGrid opposite, FftGrid to, int first, int end) {
    if (first == 0) {
      double sum = from.re(0) + opposite.re(0);
      double difference = from.re(0) - opposite.re(0);
      to.set(0, sum / 2, difference / 2);
    }
    inner(from, opposite, to, first, end);
  }

  private void inner(FftGrid from, FftGrid opposite, FftGrid to, int first, int end) {
    int skipped = first == 0 ? 1 : 0;
    int k = first + skipped;
    int count = Math.min(half, end) - k;
    int at = opposite.at() - skipped;
    FftGrid source = from.offset(skipped);
    FftGrid target = to.offset(skipped);
    Limits.inPieces(
        0,
        count,
        (i, next) ->
            TieredFftStep.mirror(
                source.offset(i), at - i, target.offset(i), factors.offset(k + i), next - i));
  }
}
