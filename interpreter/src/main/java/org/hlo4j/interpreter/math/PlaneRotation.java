package org.hlo4j.interpreter.math;

/**
 * A rotation of two numbers, rows or columns: the one that maps a direction to the first axis. It
 * has the digits of the direction whatever its length: no length is taken for zero but zero.
 */
public final class PlaneRotation {
  /** The lengths within which no square overflows, and none that counts underflows. */
  private static final double LEAST = 0x1p-400;

  private static final double MOST = 0x1p500;

  /** Receives the rotations of rows or columns of a matrix, in the order of their application. */
  public interface Receiver {
    /**
     * Receives {@code one, other = cosine * one + sine * other, cosine * other - sine * one}.
     *
     * @param one the index of a row or column
     * @param other that of the other one
     * @param cosine the cosine of the angle
     * @param sine its sine
     */
    void add(int one, int other, double cosine, double sine);
  }

  private double cosine = 1;
  private double sine;
  private double length;

  /** Makes this the rotation of (x, y) to (length, 0); that of (0, 0) changes nothing. */
  public void align(double x, double y) {
    double greatest = Math.max(Math.abs(x), Math.abs(y));
    if (greatest == 0) {
      set(1, 0, 0);
    } else if (greatest >= LEAST && greatest <= MOST) {
      double root = Math.sqrt(x * x + y * y);
      set(x / root, y / root, root);
    } else {
      double unit = Math.scalb(1.0, -Math.getExponent(greatest));
      double u = x * unit;
      double v = y * unit;
      double root = Math.sqrt(u * u + v * v);
      set(u / root, v / root, root / unit);
    }
  }

  private void set(double newCosine, double newSine, double newLength) {
    cosine = newCosine;
    sine = newSine;
    length = newLength;
  }

  public double cosine() {
    return cosine;
  }

  public double sine() {
    return sine;
  }

  public double length() {
    return length;
  }
}
