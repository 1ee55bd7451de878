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
   * Returns the outer value if the chance, from 0 to below 1, is below the fraction beyond the
   * inner one, else the inner value; with the sign of the number.
   */
  double pick(double value, double chance) {
    double beyond = Math.abs(value) - inner;
    boolean out = outer > inner && chance * (outer - inner) < beyond;
    return Math.copySign(out ? outer : inner, value);
  }
}
