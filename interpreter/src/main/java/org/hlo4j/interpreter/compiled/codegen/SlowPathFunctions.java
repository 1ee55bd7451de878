package org.hlo4j.interpreter.compiled.codegen;

/** Methods that generated code calls for the few elements that its formulas do not cover. */
public final class SlowPathFunctions {
  private SlowPathFunctions() {}

  /** {@return the sine, rounded to float} */
  public static float sin(float x) {
    return (float) StrictMath.sin(x);
  }

  /** {@return the sine} */
  public static double sin(double x) {
    return StrictMath.sin(x);
  }

  /** {@return the cosine, rounded to float} */
  public static float cos(float x) {
    return (float) StrictMath.cos(x);
  }

  /** {@return the cosine} */
  public static double cos(double x) {
    return StrictMath.cos(x);
  }

  /** {@return the tangent, rounded to float} */
  public static float tan(float x) {
    return (float) StrictMath.tan(x);
  }

  /** {@return the tangent} */
  public static double tan(double x) {
    return StrictMath.tan(x);
  }
}
