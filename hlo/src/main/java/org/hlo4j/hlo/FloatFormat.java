package org.hlo4j.hlo;

import static java.lang.Math.scalb;

/**
 * The bit layout of a floating-point element type, and its conversion from and to double.
 *
 * <p>Encoding rounds to nearest, ties to even; a value beyond the largest finite one is handled as
 * {@link Specials} says. A NaN always encodes to the format's one quiet NaN, so that results have
 * the same bits on every machine.
 */
enum FloatFormat {
  E2M1FN(2, 1, 1, Specials.NONE),
  E3M4(3, 4, 3, Specials.IEEE),
  E4M3(4, 3, 7, Specials.IEEE),
  E4M3FN(4, 3, 7, Specials.NAN_ALL_ONES),
  E4M3B11FNUZ(4, 3, 11, Specials.NAN_IS_NEGATIVE_ZERO),
  E4M3FNUZ(4, 3, 8, Specials.NAN_IS_NEGATIVE_ZERO),
  E5M2(5, 2, 15, Specials.IEEE),
  E5M2FNUZ(5, 2, 16, Specials.NAN_IS_NEGATIVE_ZERO),
  E8M0FNU(8, 0, 127, Specials.POWERS_OF_TWO),
  E8M7(8, 7, 127, Specials.IEEE),
  E5M10(5, 10, 15, Specials.IEEE),
  E8M23(8, 23, 127, Specials.IEEE),
  E11M52(11, 52, 1023, Specials.IEEE);

  /** The meaning of the topmost encodings, and the result of an overflow. */
  enum Specials {
    /** Infinities and NaNs as in IEEE 754; overflow gives infinity. */
    IEEE,
    /** No infinity; all ones is NaN; overflow gives NaN. */
    NAN_ALL_ONES,
    /** No infinity, no negative zero: its encoding is NaN; overflow gives NaN. */
    NAN_IS_NEGATIVE_ZERO,
    /** Neither infinity nor NaN; overflow saturates, NaN becomes -0 as in XLA. */
    NONE,
    /** Unsigned powers of two; what has no such neighbour is NaN; halfway rounds up. */
    POWERS_OF_TWO
  }

  private final int exponentBits;
  private final int mantissaBits;
  private final int bias;
  private final Specials specials;

  FloatFormat(int exponentBits, int mantissaBits, int bias, Specials specials) {
    this.exponentBits = exponentBits;
    this.mantissaBits = mantissaBits;
    this.bias = bias;
    this.specials = specials;
  }

  int mantissaBits() {
    return mantissaBits;
  }

  /** Returns the quiet NaN without payload or sign; -0 for the format that has none. */
  long nan() {
    return switch (specials) {
      case IEEE -> exponentMask() | (1L << (mantissaBits - 1));
      case NAN_ALL_ONES, POWERS_OF_TWO -> magnitudeMask();
      case NAN_IS_NEGATIVE_ZERO, NONE -> signBit();
    };
  }

  long largestFinite() {
    return switch (specials) {
      case IEEE -> exponentMask() - 1;
      case NAN_ALL_ONES, POWERS_OF_TWO -> magnitudeMask() - 1;
      case NAN_IS_NEGATIVE_ZERO, NONE -> magnitudeMask();
    };
  }

  boolean hasInfinity() {
    return specials == Specials.IEEE;
  }

  boolean hasNaN() {
    return specials != Specials.NONE;
  }

  long encode(double value) {
    return switch (this) {
      case E11M52 -> Double.isNaN(value) ? nan() : Double.doubleToRawLongBits(value);
      case E8M23 ->
          Double.isNaN(value) ? nan() : Float.floatToRawIntBits((float) value) & 0xffffffffL;
      default -> encodeSmall(value);
    };
  }

  double decode(long bits) {
    return switch (this) {
      case E11M52 -> Double.longBitsToDouble(bits);
      case E8M23 -> Float.intBitsToFloat((int) bits);
      default -> decodeSmall(bits);
    };
  }

  private long encodeSmall(double value) {
    if (specials == Specials.POWERS_OF_TWO) {
      return encodePowerOfTwo(value);
    }
    if (Double.isNaN(value)) {
      return nan();
    }
    long sign = Double.doubleToRawLongBits(value) < 0 ? signBit() : 0;
    long magnitude = encodeMagnitude(Math.abs(value));
    if (magnitude > largestFinite()) {
      return overflow(sign);
    }
    boolean unsignedZero = magnitude == 0 && specials == Specials.NAN_IS_NEGATIVE_ZERO;
    return unsignedZero ? 0 : sign | magnitude;
  }

  /**
   * Returns the bits as if the exponent were unbounded. A carry of the rounding propagates into the
   * exponent by itself.
   */
  private long encodeMagnitude(double magnitude) {
    if (Double.isInfinite(magnitude)) {
      return Long.MAX_VALUE;
    }
    int exponent = Math.max(Math.getExponent(magnitude), 1 - bias);
    long units = (long) Math.rint(scalb(magnitude, mantissaBits - exponent));
    return ((long) (exponent - 1 + bias) << mantissaBits) + units;
  }

  private long overflow(long sign) {
    return switch (specials) {
      case IEEE -> sign | exponentMask();
      case NONE -> sign | largestFinite();
      case NAN_ALL_ONES, NAN_IS_NEGATIVE_ZERO, POWERS_OF_TWO -> nan();
    };
  }

  private long encodePowerOfTwo(double value) {
    if (!(value > 0) || Double.isInfinite(value)) {
      return nan();
    }
    int exponent = Math.getExponent(value);
    if (exponent >= -bias && value >= scalb(1.5, exponent)) {
      exponent++;
    }
    return Math.min(Math.max(exponent + bias, 0), (int) nan());
  }

  private double decodeSmall(long bits) {
    boolean negative = specials != Specials.POWERS_OF_TWO && (bits & signBit()) != 0;
    if (specials == Specials.NAN_IS_NEGATIVE_ZERO && bits == signBit()) {
      return Double.NaN;
    }
    long magnitude = bits & magnitudeMask();
    double value = decodeMagnitude(magnitude);
    return negative ? -value : value;
  }

  private double decodeMagnitude(long magnitude) {
    if (magnitude > largestFinite()) {
      return hasInfinity() && magnitude == exponentMask() ? Double.POSITIVE_INFINITY : Double.NaN;
    }
    long exponent = magnitude >> mantissaBits;
    long fraction = magnitude & ((1L << mantissaBits) - 1);
    if (specials == Specials.POWERS_OF_TWO) {
      return scalb(1.0, (int) exponent - bias);
    }
    if (exponent == 0) {
      return scalb((double) fraction, 1 - bias - mantissaBits);
    }
    return scalb((double) (fraction | 1L << mantissaBits), (int) exponent - bias - mantissaBits);
  }

  private long signBit() {
    return 1L << (exponentBits + mantissaBits);
  }

  private long exponentMask() {
    return ((1L << exponentBits) - 1) << mantissaBits;
  }

  private long magnitudeMask() {
    return (1L << (exponentBits + mantissaBits)) - 1;
  }
}
