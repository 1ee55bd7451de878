package org.hlo4j.interpreter.compiled.codegen;

import org.hlo4j.hlo.ElementType;

/** Methods that generated code calls for single elements where Java has no bytecode. */
public final class ScalarCalls {
  private static final int HALF_INFINITY = 0x7c00;
  private static final int F32_INFINITY = 0x7f800000;

  private ScalarCalls() {}

  /** Returns the value of the bits of an f16. A NaN keeps its payload, signalling or not. */
  public static float decodeHalf(int bits) {
    return (bits & 0x7fff) > HALF_INFINITY
        ? Float.intBitsToFloat(((bits & 0x8000) << 16) | F32_INFINITY | ((bits & 0x3ff) << 13))
        : Float.float16ToFloat((short) bits);
  }

  /** Returns the bits of an f16 value. A NaN keeps its payload, signalling or not. */
  public static int encodeHalf(float value) {
    return Float.isNaN(value)
        ? halfNaN(Float.floatToRawIntBits(value))
        : Float.floatToFloat16(value) & 0xffff;
  }

  /**
   * Returns the value of the bits of an f16. C2 vectorizes this. A signalling NaN becomes quiet.
   */
  public static float numberOfHalf(int bits) {
    return Float.float16ToFloat((short) bits);
  }

  /** Returns the bits of an f16 value. C2 vectorizes this. A signalling NaN becomes quiet. */
  public static int halfOfNumber(float value) {
    return Float.floatToFloat16(value) & 0xffff;
  }

  private static int halfNaN(int bits) {
    return ((bits >>> 16) & 0x8000) | HALF_INFINITY | ((bits >>> 13) & 0x3ff);
  }

  /** Returns the nearest f16. Any NaN becomes the quiet NaN. */
  public static float roundHalf(float value) {
    return Float.isNaN(value) ? Float.NaN : Float.float16ToFloat(Float.floatToFloat16(value));
  }

  /** Returns the value of the bits of an f8e8m0fnu. */
  public static float decodePower(int bits) {
    return (float) ElementType.F8E8M0FNU.decode(bits);
  }

  /** Returns the bits of the nearest f8e8m0fnu. */
  public static int encodePower(float value) {
    return (int) ElementType.F8E8M0FNU.encode(value);
  }

  /** Returns the nearest f8e8m0fnu. */
  public static double roundPower(double value) {
    return ElementType.F8E8M0FNU.round(value);
  }

  /** Returns the truncated quotient; -1 if the divisor is zero. */
  public static int divide(int lhs, int rhs) {
    return rhs == 0 ? -1 : lhs / rhs;
  }

  /** Returns the unsigned quotient; all bits are one if the divisor is zero. */
  public static int divideUnsigned(int lhs, int rhs) {
    return rhs == 0 ? -1 : Integer.divideUnsigned(lhs, rhs);
  }

  /** Returns the remainder, with the sign of lhs; lhs if the divisor is zero. */
  public static int remainder(int lhs, int rhs) {
    return rhs == 0 ? lhs : lhs % rhs;
  }

  /** Returns the unsigned remainder; lhs if the divisor is zero. */
  public static int remainderUnsigned(int lhs, int rhs) {
    return rhs == 0 ? lhs : Integer.remainderUnsigned(lhs, rhs);
  }

  /** Returns the unsigned remainder; lhs if the divisor is zero. */
  public static long remainderUnsigned(long lhs, long rhs) {
    return rhs == 0 ? lhs : Long.remainderUnsigned(lhs, rhs);
  }

  /** Returns the exact remainder of floats, with the sign of lhs. */
  public static float remainder(float lhs, float rhs) {
    return lhs % rhs;
  }
}
