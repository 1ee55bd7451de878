package org.hlo4j.interpreter.math;

import org.hlo4j.hlo.ElementType;

/**
 * Integer functions that Java defines differently from HLO, or only for its own widths. Carriers
 * are longs, sign- or zero-extended; results may have stray high bits, which the caller wraps off.
 */
public final class Integers {
  private Integers() {}

  /** Truncated quotient; by zero all ones. */
  public static long divide(long lhs, long rhs) {
    return rhs == 0 ? -1 : lhs / rhs;
  }

  /** Quotient; by zero all ones. */
  public static long divideUnsigned(long lhs, long rhs) {
    return rhs == 0 ? -1 : Long.divideUnsigned(lhs, rhs);
  }

  /** Remainder with the sign of lhs; by zero lhs. */
  public static long remainder(long lhs, long rhs) {
    return rhs == 0 ? lhs : lhs % rhs;
  }

  /** Power; a negative exponent gives 0 but for bases 1 and -1. */
  public static long power(long base, long exponent) {
    if (exponent >= 0) {
      return powerUnsigned(base, exponent);
    }
    if (base == -1) {
      return exponent % 2 == 0 ? 1 : -1;
    }
    return base == 1 ? 1 : 0;
  }

  /** Power by squaring, wrapping; 0 to the power of 0 is 1. */
  public static long powerUnsigned(long base, long exponent) {
    long result = 1;
    long square = base;
    for (long rest = exponent; rest != 0; rest >>>= 1) {
      if ((rest & 1) == 1) {
        result *= square;
      }
      square *= square;
    }
    return result;
  }

  /** The upper half of the product of two signed integers. */
  public static long multiplyHigh(ElementType type, long lhs, long rhs) {
    return type.bits() == 64 ? Math.multiplyHigh(lhs, rhs) : (lhs * rhs) >> type.bits();
  }

  /** The upper half of the product of two unsigned integers. */
  public static long multiplyHighUnsigned(ElementType type, long lhs, long rhs) {
    return type.bits() == 64 ? Math.unsignedMultiplyHigh(lhs, rhs) : (lhs * rhs) >>> type.bits();
  }

  /** Number of zero bits above the highest one, in the type's own width. */
  public static long countLeadingZeros(ElementType type, long value) {
    long top = value << (64 - type.bits());
    return top == 0 ? type.bits() : Long.numberOfLeadingZeros(top);
  }

  /** Shift to the left; 0 from the width on. The amount is unsigned. */
  public static long shiftLeft(ElementType type, long value, long amount) {
    return isWide(type, amount) ? 0 : value << amount;
  }

  /** Shift to the right, zeros coming in; 0 from the width on. */
  public static long shiftRightLogical(ElementType type, long value, long amount) {
    long bits = value << (64 - type.bits()) >>> (64 - type.bits());
    return isWide(type, amount) ? 0 : bits >>> amount;
  }

  /** Shift to the right, copies of the top bit coming in, of unsigned integers too. */
  public static long shiftRightArithmetic(ElementType type, long value, long amount) {
    long signed = value << (64 - type.bits()) >> (64 - type.bits());
    return isWide(type, amount) ? signed >> 63 : signed >> amount;
  }

  private static boolean isWide(ElementType type, long amount) {
    return Long.compareUnsigned(amount, type.bits()) >= 0;
  }
}
