package org.hlo4j.interpreter.reference.linalg;

/**
 * A real matrix of two rows, {@code (a b) (c d)}, in the standard form of LAPACK's lanv2, with the
 * rotation that leads to it. If the eigenvalues are real, c is zero; else a equals d, and b and c
 * have different signs.
 *
 * @param cosine the cosine of the rotation, whose rows are {@code (cosine sine) (-sine cosine)}
 * @param sine the sine of the rotation
 */
public record StandardBlock(double a, double b, double c, double d, double cosine, double sine) {
  /** The difference, in units in the last place, from which eigenvalues count as distinct. */
  private static final double CERTAIN = 4 * 0x1p-52;

  public static StandardBlock of(double a, double b, double c, double d) {
    if (c == 0) {
      return new StandardBlock(a, b, c, d, 1, 0);
    }
    if (b == 0) {
      return new StandardBlock(d, -c, 0, a, 0, 1);
    }
    if (a == d && haveOppositeSigns(b, c)) {
      return new StandardBlock(a, b, c, d, 1, 0);
    }
    double half = (a - d) / 2;
    double greater = Math.max(Math.abs(b), Math.abs(c));
    double lesser =
        Math.copySign(Math.min(Math.abs(b), Math.abs(c)), haveOppositeSigns(b, c) ? -1 : 1);
    double unit = Math.max(Math.abs(half), greater);
    double discriminant = half / unit * half + greater / unit * lesser;
    if (discriminant < CERTAIN) {
      return equalDiagonal(a, b, c, d);
    }
    double z = half + Math.copySign(Math.sqrt(unit) * Math.sqrt(discriminant), half);
    double length = Math.hypot(c, z);
    return new StandardBlock(d + z, b - c, 0, d - greater / z * lesser, z / length, c / length);
  }

  private static boolean haveOppositeSigns(double b, double c) {
    return Math.copySign(1, b) != Math.copySign(1, c);
  }

  /**
   * Handles eigenvalues that are complex or nearly equal: makes the diagonal elements equal first.
   * The angle is that of a sum and a difference, which may be subnormal.
   */
  private static StandardBlock equalDiagonal(double a, double b, double c, double d) {
    int exponent = Math.getExponent(Math.max(Math.abs(b + c), Math.abs(a - d)));
    double sum = Math.scalb(b + c, -exponent);
    double difference = Math.scalb(a - d, -exponent);
    double length = Math.hypot(sum, difference);
    double cosine = Math.sqrt((1 + Math.abs(sum) / length) / 2);
    double sine = -(difference / 2 / (length * cosine)) * Math.copySign(1, sum);
    double first = a * cosine + b * sine;
    double second = -a * sine + b * cosine;
    double third = c * cosine + d * sine;
    double fourth = -c * sine + d * cosine;
    double mean = (first * cosine + third * sine + (-second * sine + fourth * cosine)) / 2;
    double upper = second * cosine + fourth * sine;
    double lower = -first * sine + third * cosine;
    StandardBlock rotated = new StandardBlock(mean, upper, lower, mean, cosine, sine);
    if (lower == 0) {
      return rotated;
    }
    if (upper == 0) {
      return new StandardBlock(mean, -lower, 0, mean, -sine, cosine);
    }
    return haveOppositeSigns(upper, lower) ? rotated : rotated.triangular();
  }

  /** Handles b and c of the same sign, for which the eigenvalues are real after all. */
  private StandardBlock triangular() {
    double rootB = Math.sqrt(Math.abs(b));
    double rootC = Math.sqrt(Math.abs(c));
    double halfGap = Math.copySign(rootB * rootC, c);
    double length = Math.sqrt(Math.abs(b + c));
    double cosineOfB = rootB / length;
    double sineOfC = rootC / length;
    return new StandardBlock(
        a + halfGap,
        b - c,
        0,
        a - halfGap,
        cosine * cosineOfB - sine * sineOfC,
        cosine * sineOfC + sine * cosineOfB);
  }

  /**
   * Returns the imaginary part of the first eigenvalue, which is not negative; zero if both are
   * real.
   */
  public double imaginary() {
    return Math.sqrt(Math.abs(b)) * Math.sqrt(Math.abs(c));
  }
}
