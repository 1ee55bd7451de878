package org.hlo4j.interpreter.reference;

import org.hlo4j.hlo.ElementType;

/**
 * The two values of a type around a finite number: the nearest towards zero and the next one away
 * from zero, both without their sign.
 */
record AdjacentValues(double inner, double outer) {
  static AdjacentValues of(ElementType to, double value) {
    double magnitude = Math.abs(value);
    if (!to.isFloating()) {
      return new AdjacentValues(Math.floor(magnitude), Math.floor(magnitude) + 1);
    }
    double nearest = Math.abs(to.round(magnitude));
    long bits = to.encode(magnitude);
    boolean least = bits == 0 && nearest > magnitude;
    if (nearest == magnitude || least || !Double.isFinite(nearest)) {
      return new AdjacentValues(nearest, nearest);
    }
    return nearest > magnitude
        ? new AdjacentValues(to.decode(bits - 1), nearest)
        : new AdjacentValues(nearest, to.decode(bits + 1));
  }

  /**
   * Returns the outer value if a random integer is below {@code floor(fraction * 2^bits)}, where
   * the fraction is how far the number lies between both, else the inner value; with the sign of
   * the number.
   */
  double pick(double value, long random, int bits) {
    // Exact: the distance of both values is a power of two.
    double fraction = outer > inner ? (Math.abs(value) - inner) / (outer - inner) : 0;
    long high = (long) Math.scalb(fraction, 32);
    long low = (long) Math.scalb(Math.scalb(fraction, 32) - high, 32);
    long limit = (high << 32 | low) >>> (64 - bits);
    return Math.copySign(Long.compareUnsigned(random, limit) < 0 ? outer : inner, value);
  }
}
