package org.hlo4j.stablehlo.mlir;

/**
 * Floating-point numbers as MLIR prints them: {@code 1.000000e+00}, or the shortest that reads
 * back.
 */
final class FloatText {
  private FloatText() {}

  /** A finite f64. */
  static String of(double value) {
    String short6 = String.format(java.util.Locale.ROOT, "%.6e", value);
    if (Double.parseDouble(short6) == value) {
      return short6;
    }
    return String.format(java.util.Locale.ROOT, "%.17g", value);
  }
}
