package org.hlo4j.interpreter.math;

/**
 * A complex number in double precision, in which c64 and c128 are computed.
 *
 * @param re the real part
 * @param im the imaginary part
 */
public record Complex(double re, double im) {
  private static final int UNORDERED = 2;

  public static final Complex ZERO = new Complex(0, 0);
  public static final Complex ONE = new Complex(1, 0);
  public static final Complex NAN = new Complex(Double.NaN, Double.NaN);

  public Complex plus(Complex other) {
    return new Complex(re + other.re, im + other.im);
  }

  public Complex minus(Complex other) {
    return new Complex(re - other.re, im - other.im);
  }

  /** Multiplies without C99's recovery of infinities: (inf + 0i) * (1 + 0i) is inf + NaN i. */
  public Complex times(Complex other) {
    return new Complex(re * other.re - im * other.im, re * other.im + im * other.re);
  }

  /** Divides as in C99 annex G: intermediate results do not overflow, and x / 0 is infinite. */
  public Complex dividedBy(Complex other) {
    int dividendExponent = scalingExponent();
    int divisorExponent = largestExponent(other);
    Complex n = scaled(-dividendExponent);
    Complex d = other.scaled(-divisorExponent);
    double square = d.re * d.re + d.im * d.im;
    Complex quotient =
        new Complex(
            sumOfProducts(n.re, d.re, n.im, d.im) / square,
            sumOfProducts(n.im, d.re, -n.re, d.im) / square);
    return Double.isNaN(quotient.re) && Double.isNaN(quotient.im)
        ? infiniteOrZeroQuotient(other, quotient)
        : quotient.scaled(dividendExponent - divisorExponent);
  }

  /**
   * Returns a b + c d, corrected by the rounding error of c d unless that is zero or c d is not
   * finite.
   */
  private static double sumOfProducts(double a, double b, double c, double d) {
    double product = c * d;
    double productLow = Math.fma(c, d, -product);
    double sum = Math.fma(a, b, product);
    return Math.abs(productLow) > 0 ? sum + productLow : sum;
  }

  private Complex infiniteOrZeroQuotient(Complex divisor, Complex otherwise) {
    if (divisor.isZero()) {
      double infinity = Math.copySign(Double.POSITIVE_INFINITY, divisor.re);
      return new Complex(infinity * re, infinity * im);
    }
    if (isInfinite() && divisor.isFinite()) {
      return infinitiesAsOnes().timesConjugateOf(divisor, Double.POSITIVE_INFINITY);
    }
    if (isFinite() && divisor.isInfinite()) {
      return timesConjugateOf(divisor.infinitiesAsOnes(), 0);
    }
    return otherwise;
  }

  private Complex timesConjugateOf(Complex other, double factor) {
    return new Complex(
        factor * (re * other.re + im * other.im), factor * (im * other.re - re * other.im));
  }

  private Complex infinitiesAsOnes() {
    return new Complex(
        withSign(Double.isInfinite(re) ? 1 : 0, re), withSign(Double.isInfinite(im) ? 1 : 0, im));
  }

  /** Returns a number with the sign of another one, positive if that is NaN, whose sign is free. */
  static double withSign(double size, double signed) {
    return Double.isNaN(signed) ? size : Math.copySign(size, signed);
  }

  public Complex negate() {
    return new Complex(-re, -im);
  }

  public Complex conjugate() {
    return new Complex(re, -im);
  }

  /** Returns i * this, exactly. */
  public Complex timesI() {
    return new Complex(-im, re);
  }

  /** Returns -i * this, exactly. */
  Complex timesMinusI() {
    return new Complex(im, -re);
  }

  /** Returns this * 2^exponent. */
  public Complex scaled(int exponent) {
    return exponent == 0 ? this : new Complex(Math.scalb(re, exponent), Math.scalb(im, exponent));
  }

  public double abs() {
    return StrictMath.hypot(re, im);
  }

  /** Returns the square of the absolute value. It may overflow or underflow. */
  public double square() {
    return re * re + im * im;
  }

  /** Returns this / |this|, of a number that is not zero. */
  public Complex phase() {
    Complex z = scaled(-Math.getExponent(largestPart()));
    double abs = z.abs();
    return new Complex(z.re / abs, z.im / abs);
  }

  public boolean isZero() {
    return re == 0 && im == 0;
  }

  boolean isFinite() {
    return Double.isFinite(re) && Double.isFinite(im);
  }

  boolean isInfinite() {
    return Double.isInfinite(re) || Double.isInfinite(im);
  }

  public boolean isNaN() {
    return Double.isNaN(re) || Double.isNaN(im);
  }

  /** Returns the larger magnitude of the real and the imaginary part. */
  public double largestPart() {
    return Math.max(Math.abs(re), Math.abs(im));
  }

  /**
   * Returns a multiple of six such that the parts of scaled(-headroom()) can be added without
   * overflow and have not lost bits to underflow.
   */
  int scalingExponent() {
    double largest = largestPart();
    return largest > 0x1p1000 ? 12 : largest < 0x1p-800 ? -240 : 0;
  }

  private static int largestExponent(Complex z) {
    return z.isZero() || !z.isFinite() ? 0 : Math.getExponent(z.largestPart());
  }

  /** Returns -1, 0 or 1, or 2 if one is NaN, which is unordered. */
  public static int order(double lhs, double rhs) {
    if (Double.isNaN(lhs) || Double.isNaN(rhs)) {
      return UNORDERED;
    }
    return lhs == rhs ? 0 : lhs < rhs ? -1 : 1;
  }

  /** Compares lexicographically: by real part, then by imaginary part. */
  public static int order(Complex lhs, Complex rhs) {
    int real = order(lhs.re(), rhs.re());
    int imaginary = order(lhs.im(), rhs.im());
    return real == 0 || imaginary == UNORDERED ? imaginary : real;
  }
}
