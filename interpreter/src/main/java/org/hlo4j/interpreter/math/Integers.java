package org.hlo4j.interpreter.math;

import org.hlo4j.hlo.ElementType;

/**
 * Integer functions that Java defines differently from HLO, or only for its own widths. Values are
 * sign- or zero-extended to longs; results may have stray high bits, which the caller wraps off.
 */
public final class Integers {
  private Integers() {}

  /** Returns the truncated quotient; division by zero gives all ones. */
  public static long divide(long lhs, long rhs) {
    return rhs == 0 ? -1 : lhs / rhs;
  }

  /** Returns the unsigned quotient; division by zero gives all ones. */
  public static long divideUnsigned(long lhs, long rhs) {
    return rhs == 0 ? -1 : Long.divideUnsigned(lhs, rhs);
  }

  /** Returns the remainder, with the sign of lhs; division by zero gives lhs. */
  public static long remainder(long lhs, long rhs) {
    return rhs == 0 ? lhs : lhs % rhs;
  }

  /** Returns a power; a negative exponent gives 0 except for bases 1 and -1. */
  public static long power(long base, long exponent) {
    if (exponent >= 0) {
      return powerUnsigned(base, exponent);
    }
    if (base == -1) {
      return exponent % 2 == 0 ? 1 : -1;
    }
    return base == 1 ? 1 : 0;
  }

  /** Returns a power by squaring, wrapping; 0 to the power of 0 is 1. */
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

  /** Returns the upper half of the product of two signed integers. */
  public static long multiplyHigh(ElementType type, long lhs, long rhs) {
    return type.bits() == 64 ? Math.multiplyHigh(lhs, rhs) : (lhs * rhs) >> type.bits();
  }

  /** Returns the upper half of the product of two unsigned integers. */
  public static long multiplyHighUnsigned(ElementType type, long lhs, long rhs) {
    return type.bits() == 64 ? Math.unsignedMultiplyHigh(lhs, rhs) : (lhs * rhs) >>> type.bits();
  }

  /** Returns the number of zero bits above the highest one bit, in the type's own width. */
  public static long countLeadingZeros(ElementType type, long value) {
    long top = value << (64 - type.bits());
    return top == 0 ? type.bits() : Long.numberOfLeadingZeros(top);
  }

  /** Shifts left; gives 0 if the amount, which is unsigned, is the width or more. */
  public static long shiftLeft(ElementType type, long value, long amount) {
    return isWide(type, amount) ? 0 : value << amount;
  }

  /** Shifts right, filling with zeros; gives 0 if the amount is the width or more. */
  public static long shiftRightLogical(ElementType type, long value, long amount) {
    long bits = value << (64 - type.bits()) >>> (64 - type.bits());
    return isWide(type, amount) ? 0 : bits >>> amount;
  }

  /** Shifts right, filling with copies of the top bit, for unsigned integers too. */
  public static long shiftRightArithmetic(ElementType type, long value, long amount) {
    long signed = value << (64 - type.bits()) >> (64 - type.bits());
    return isWide(type, amount) ? signed >> 63 : signed >> amount;
  }

  private static boolean isWide(ElementType type, long amount) {
    return Long.compareUnsigned(amount, type.bits()) >= 0;
  }
}
