package org.hlo4j.interpreter.reference.linalg;

import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.math.Complex;
import org.hlo4j.interpreter.reference.Elements;

/** Complex numbers to work on, all zero at first, pairs of doubles in one Java array. */
public final class ComplexArray {
  private final double[] parts;

  /** Room for as many numbers; refused as a literal of them would be. */
  public ComplexArray(long count) {
    Shape.Array shape = Shape.of(ElementType.C128, Dims.of(count));
    this.parts = (double[]) new LiteralBuilder(shape).build().unsafeStorage();
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

  /** An element of a float or complex literal. */
  public void load(int i, Literal from, int position) {
    set(i, Elements.complexAt(from, position));
  }

  /** Puts a number into a float or complex literal, the real part only into a float. */
  public void store(int i, LiteralBuilder to, int position, boolean complex) {
    if (complex) {
      to.setComplex(position, re(i), im(i));
    } else {
      to.setDouble(position, re(i));
    }
  }
}
