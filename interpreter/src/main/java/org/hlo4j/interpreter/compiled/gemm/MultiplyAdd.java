package org.hlo4j.interpreter.compiled.gemm;

/** The multiply-add of each accumulator type: fused for floats, wrapping for integers. */
final class MultiplyAdd {
  private MultiplyAdd() {}

  static float of(float x, float y, float sum) {
    return Math.fma(x, y, sum);
  }

  static double of(double x, double y, double sum) {
    return Math.fma(x, y, sum);
  }

  static int of(int x, int y, int sum) {
    return x * y + sum;
  }

  static long of(long x, long y, long sum) {
    return x * y + sum;
  }
}
