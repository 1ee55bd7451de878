package org.hlo4j.interpreter.compiled.fft;

/**
 * The conversion of the transform of m complex numbers, which are pairs of 2 m real numbers, to the
 * first half of the transform of the real numbers, and the reverse.
 */
final class RealLines {
  private static final int CHUNK = 1 << 14;

  private final int half;
  private final FftGrid factors;

  RealLines(int length, boolean isInverse) {
    this.half = length / 2;
    this.factors =
        AlignedSlab.table(
            half,
            half,
            k -> {
              double[] root = Roots.root(k, length);
              return new double[] {isInverse ? -root[0] : root[0], root[1]};
            });
  }

  /**
   * Computes the transform of a line of real numbers, which has one number more, from that of its
   * pairs.
   */
  void forward(FftGrid from, FftGrid to, FftWorkspace workspace) {
    to.set(0, from.re(0) + from.im(0), 0);
    to.set(half, from.re(0) - from.im(0), 0);
    inner(from, to, workspace);
  }

  /** Computes the transform of pairs from that of the real numbers. */
  void inverse(FftGrid from, FftGrid to, FftWorkspace workspace) {
    double sum = from.re(0) + from.re(half);
    double difference = from.re(0) - from.re(half);
    to.set(0, sum / 2, difference / 2);
    inner(from, to, workspace);
  }

  private void inner(FftGrid from, FftGrid to, FftWorkspace workspace) {
    workspace.share(
        half - 1,
        CHUNK,
        (own, first, end) -> {
          int k = first + 1;
          int opposite = from.at() + half - k;
          TieredFftStep.mirror(
              from.offset(k), opposite, to.offset(k), factors.offset(k), end - first);
        });
  }
}
