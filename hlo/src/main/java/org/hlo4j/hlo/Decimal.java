package org.hlo4j.hlo;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;

/**
 * A positive number in decimal, {@code d.ddd * 10^exponent}.
 *
 * @param digits the significant digits, without the point; neither the first nor the last is 0
 * @param exponent the power of ten of the first digit
 */
record Decimal(String digits, int exponent) {
  /**
   * The largest number of digits for which {@link #of} may round the shortest decimal of a double
   * instead of its exact value.
   */
  private static final int MAX_OF_SHORTEST = 15;

  /**
   * Returns the exact value of a positive, finite double, rounded to at most {@code most} digits,
   * ties to even.
   *
   * <p>In most cases this is the shortest decimal of the double, rounded: no shorter decimal lies
   * between the shortest one and the exact value, so no tie with fewer digits does either. Two
   * cases need the exact value: the shortest decimal may itself be a tie, and that of a denormal is
   * too far from the exact value. {@link BigDecimal} is always right, but slow, and takes 17 ms to
   * load.
   */
  static Decimal of(double value, int most) {
    if (value < Double.MIN_NORMAL || most > MAX_OF_SHORTEST) {
      return exactly(value, most);
    }
    Decimal shortest = shortest(value);
    String digits = shortest.digits;
    if (digits.length() <= most) {
      return shortest;
    }
    String rest = digits.substring(most);
    if (rest.equals("5")) {
      return exactly(value, most);
    }
    String down = digits.substring(0, most);
    String rounded = rest.charAt(0) < '5' ? down : String.valueOf(Long.parseLong(down) + 1);
    return of(rounded, shortest.exponent + rounded.length() - most);
  }

  private static Decimal shortest(double value) {
    String text = Double.toString(value);
    int end = text.indexOf('E');
    String number = end < 0 ? text : text.substring(0, end);
    int scale = end < 0 ? 0 : Integer.parseInt(text.substring(end + 1));
    int point = number.indexOf('.');
    return of(number.substring(0, point) + number.substring(point + 1), scale + point - 1);
  }

  private static Decimal exactly(double value, int most) {
    BigDecimal rounded = new BigDecimal(value).round(new MathContext(most, RoundingMode.HALF_EVEN));
    return of(rounded.unscaledValue().toString(), rounded.precision() - rounded.scale() - 1);
  }

  /** Returns a decimal without leading and trailing zeros. */
  private static Decimal of(String digits, int exponent) {
    int from = 0;
    while (digits.charAt(from) == '0') {
      from++;
    }
    int to = digits.length();
    while (digits.charAt(to - 1) == '0') {
      to--;
    }
    return new Decimal(digits.substring(from, to), exponent - from);
  }

  /** {@code 123.4}, {@code 0.001234}. */
  String plain() {
    if (exponent < 0) {
      return "0." + "0".repeat(-exponent - 1) + digits;
    }
    int whole = exponent + 1;
    return digits.length() <= whole
        ? digits + "0".repeat(whole - digits.length())
        : digits.substring(0, whole) + "." + digits.substring(whole);
  }

  /** {@code 1.234e+02}. */
  String scientific() {
    String sign = exponent < 0 ? "e-" : "e+";
    String zero = Math.abs(exponent) < 10 ? "0" : "";
    String mantissa = new Decimal(digits, 0).plain();
    return mantissa + sign + zero + Math.abs(exponent);
  }
}
