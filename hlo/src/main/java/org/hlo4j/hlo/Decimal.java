package org.hlo4j.hlo;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;

/**
 * A positive number in decimal, {@code d.ddd * 10^exponent}.
 *
 * @param digits without the point; neither the first nor the last is 0
 * @param exponent of the first digit
 */
record Decimal(String digits, int exponent) {
  /** How many digits the shortest decimal of a double may be rounded to in its place. */
  private static final int MAX_OF_SHORTEST = 15;

  /**
   * The exact value of a positive, finite double, rounded to so many digits at most, halves to
   * even.
   *
   * <p>Mostly that is its shortest decimal rounded: nothing that is shorter lies between the two,
   * so nothing half-way of fewer digits does. The shortest decimal may lie half-way itself, though,
   * and that of a denormal is too far away. {@link BigDecimal} always tells, but slowly, and takes
   * 17 ms to load.
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

  /** Without the zeros at both ends. */
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
