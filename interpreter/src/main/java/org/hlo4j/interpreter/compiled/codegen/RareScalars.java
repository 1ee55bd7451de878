package org.hlo4j.interpreter.compiled.codegen;

/** What generated code calls for the few elements its formulas do not reach. */
public final class RareScalars {
  private RareScalars() {}

  /** The sine, rounded. */
  public static float sin(float x) {
    return (float) StrictMath.sin(x);
  }

  /** The sine. */
  public static double sin(double x) {
    return StrictMath.sin(x);
  }

  /** The cosine, rounded. */
  public static float cos(float x) {
    return (float) StrictMath.cos(x);
  }

  /** The cosine. */
  public static double cos(double x) {
    return StrictMath.cos(x);
  }

  /** The tangent, rounded. */
  public static float tan(float x) {
    return (float) StrictMath.tan(x);
  }

  /** The tangent. */
  public static double tan(double x) {
    return StrictMath.tan(x);
  }
}
