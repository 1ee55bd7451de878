package org.hlo4j.interpreter.reference.linalg;

import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.math.Complex;

/**
 * A mutable array of complex numbers, initially zero, stored as pairs of doubles in one Java array.
 */
public final class ComplexArray {
  private final double[] parts;

  /** Creates an array. Throws if a literal of this size would be too large. */
  public ComplexArray(long count) {
    Shape.Array shape = Shape.of(ElementType.C128, Dims.of(count));
    this.parts = (double[]) LiteralBuilder.newStorage(shape);
  }

  public double re(int i) {
    return parts[2 * i];
  }

  public double im(int i) {
    return parts[2 * i + 1];
  }

  public Complex get(int i) {
    return new Complex(parts[2 * i], parts[2 * i + 1]);
  }

  public void set(int i, double re, double im) {
    parts[2 * i] = re;
    parts[2 * i + 1] = im;
  }

  public void set(int i, Complex value) {
    set(i, value.re(), value.im());
  }

  /** Sets a number to an element of a float or complex literal. */
  public void load(int i, Literal from, int position) {
    set(i, complexAt(from, position));
  }

  /** Stores a number into a float or complex literal; only the real part into a float. */
  public void store(int i, LiteralBuilder to, int position, boolean complex) {
    if (complex) {
      to.setComplex(position, re(i), im(i));
    } else {
      to.setDouble(position, re(i));
    }
  }

  /** Returns an element of a float or complex array as a complex number. */
  public static Complex complexAt(Literal literal, int i) {
    return literal.elementType().isComplex()
        ? new Complex(literal.realAt(i), literal.imaginaryAt(i))
        : new Complex(literal.doubleAt(i), 0);
  }
}
