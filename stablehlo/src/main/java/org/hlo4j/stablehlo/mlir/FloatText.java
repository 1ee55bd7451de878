package org.hlo4j.stablehlo.mlir;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.Locale;
import org.hlo4j.hlo.ElementType;

/**
 * The text of floating-point numbers as MLIR prints them: six digits if they parse to the same
 * number, else as many digits as the type needs, else the bits.
 */
final class FloatText {
  private static final int SHORT_DIGITS = 6;

  /** The largest number of zeros that pad a number before it is written with an exponent. */
  private static final int MAX_PADDING = 3;

  private FloatText() {}

  /** Returns the text of a number, given by its value and its bits. */
  static String of(double value, long bits, ElementType type) {
    if (!Double.isFinite(value)) {
      return hexadecimal(bits, type);
    }
    if (value == 0) {
      return (1 / value < 0 ? "-" : "") + "0.000000e+00";
    }
    String shortText = scientific(digits(value, SHORT_DIGITS), SHORT_DIGITS - 1, 'e', 2);
    if (readsBack(shortText, bits, type)) {
      return shortText;
    }
    String longText = plain(digits(value, longDigits(type)), longDigits(type));
    return longText.indexOf('.') >= 0 && readsBack(longText, bits, type)
        ? longText
        : hexadecimal(bits, type);
  }

  private static boolean readsBack(String text, long bits, ElementType type) {
    return ((type.encode(Double.parseDouble(text)) ^ bits) & mask(type)) == 0;
  }

  private static long mask(ElementType type) {
    return -1L >>> (Long.SIZE - type.bits());
  }

  private static String hexadecimal(long bits, ElementType type) {
    return String.format(
        Locale.ROOT, "0x%0" + Math.max(1, type.bits() / 4) + "X", bits & mask(type));
  }

  /**
   * Returns LLVM's estimate of the digits of a type: 2 plus 59/196 of the bits of its significand.
   */
  private static int longDigits(ElementType type) {
    return 2 + (type.mantissaBits() + 1) * 59 / 196;
  }

  /**
   * Rounds a number half up to some digits, in LLVM's way: most digits of a long significand are
   * first cut off, so that sometimes no digit is left that decides the rounding.
   */
  private static BigDecimal digits(double value, int count) {
    // 196/59 is slightly more than the number of bits of a digit.
    int wantedBits = (count * 196 + 58) / 59;
    BigDecimal whole = binaryExpansion(value);
    int cut = Math.max(0, whole.unscaledValue().abs().bitLength() - wantedBits) * 59 / 196;
    BigInteger kept = whole.unscaledValue().divide(BigInteger.TEN.pow(cut));
    BigDecimal shortened = new BigDecimal(kept, whole.scale() - cut);
    int places = shortened.precision() - count;
    BigDecimal rounded =
        places > 0
            ? shortened.setScale(shortened.scale() - places, RoundingMode.HALF_UP)
            : shortened;
    return rounded.stripTrailingZeros();
  }

  /**
   * Returns the exact decimal expansion: an odd significand times a power of five, scaled by a
   * power of ten.
   */
  private static BigDecimal binaryExpansion(double value) {
    long significand = Double.doubleToRawLongBits(value) & ((1L << 52) - 1);
    int exponent = Math.getExponent(value);
    boolean subnormal = exponent < Double.MIN_EXPONENT;
    long whole = subnormal ? significand : significand | 1L << 52;
    int power = (subnormal ? Double.MIN_EXPONENT : exponent) - 52;
    int zeros = Long.numberOfTrailingZeros(whole);
    BigInteger odd = BigInteger.valueOf(whole >> zeros);
    int two = power + zeros;
    BigDecimal expansion =
        two >= 0
            ? new BigDecimal(odd.shiftLeft(two), 0)
            : new BigDecimal(odd.multiply(BigInteger.valueOf(5).pow(-two)), -two);
    return value < 0 ? expansion.negate() : expansion;
  }

  /**
   * Returns {@code 1.500000e+00}: one digit, a point, further digits padded to {@code padded}, and
   * an exponent.
   */
  private static String scientific(BigDecimal number, int padded, char e, int exponentDigits) {
    String digits = number.unscaledValue().abs().toString();
    int exponent = digits.length() - 1 - number.scale();
    // LLVM pads to one zero more than the number of digits it rounds to.
    String rest = digits.substring(1) + "0".repeat(Math.max(0, padded + 1 - (digits.length() - 1)));
    String power = Integer.toString(Math.abs(exponent));
    return (number.signum() < 0 ? "-" : "")
        + digits.charAt(0)
        + "."
        + rest
        + e
        + (exponent < 0 ? '-' : '+')
        + "0".repeat(Math.max(0, exponentDigits - power.length()))
        + power;
  }

  /** Returns {@code 0.707106769} or {@code 3.40282347E+38}; integers have no point. */
  private static String plain(BigDecimal number, int precision) {
    String digits = number.unscaledValue().abs().toString();
    int power = -number.scale();
    int first = power + digits.length() - 1;
    boolean exponent =
        power >= 0
            ? power > MAX_PADDING || digits.length() + power > precision
            : first < 0 && -first > MAX_PADDING;
    if (exponent) {
      return scientific(number, digits.length() == 1 ? 0 : -1, 'E', 1);
    }
    return number.toPlainString();
  }
}
