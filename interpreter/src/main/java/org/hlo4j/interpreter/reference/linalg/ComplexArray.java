package org.hlo4j.interpreter.reference.linalg;

import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.engine.Limits;
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

  /**
   * Adds a multiple of a range of an array to a range of this one: {@code this[i + k] += a b[j +
   * k]}. The product of real numbers is real, even if they are not finite.
   */
  void addMultiple(int i, Complex a, ComplexArray b, int j, int count) {
    for (int k = 0; k < count; k++) {
      Limits.checkAt(k);
      int to = 2 * (i + k);
      double re = b.re(j + k);
      double im = b.im(j + k);
      boolean isReal = a.im() == 0 && im == 0;
      parts[to] += isReal ? a.re() * re : a.re() * re - a.im() * im;
      parts[to + 1] += isReal ? 0 : a.re() * im + a.im() * re;
    }
  }

  /** Subtracts a multiple, as {@link #addMultiple} adds it. */
  void subtractMultiple(int i, Complex a, ComplexArray b, int j, int count) {
    for (int k = 0; k < count; k++) {
      Limits.checkAt(k);
      int to = 2 * (i + k);
      double re = b.re(j + k);
      double im = b.im(j + k);
      boolean isReal = a.im() == 0 && im == 0;
      parts[to] -= isReal ? a.re() * re : a.re() * re - a.im() * im;
      parts[to + 1] -= isReal ? 0 : a.re() * im + a.im() * re;
    }
  }

  /**
   * Returns {@code start} plus the products of the elements of a range of this array and those of
   * another array, which are added in order. Products of real numbers are real.
   */
  Complex plusProducts(Complex start, int i, ComplexArray b, int count) {
    double sumRe = start.re();
    double sumIm = start.im();
    for (int k = 0; k < count; k++) {
      Limits.checkAt(k);
      double re = re(i + k);
      double im = im(i + k);
      boolean isReal = im == 0 && b.im(k) == 0;
      sumRe += isReal ? re * b.re(k) : re * b.re(k) - im * b.im(k);
      sumIm += isReal ? 0 : re * b.im(k) + im * b.re(k);
    }
    return new Complex(sumRe, sumIm);
  }

  /** Returns the square of the absolute value of a number that is divided by a power of two. */
  double square(int i, int exponent) {
    double re = Math.scalb(re(i), -exponent);
    double im = Math.scalb(im(i), -exponent);
    return re * re + im * im;
  }

  /** Rotates two numbers: {@code one = cosine * one + sine * other}. */
  void rotate(int one, int other, double cosine, double sine) {
    double re = re(one);
    double im = im(one);
    set(one, cosine * re + sine * re(other), cosine * im + sine * im(other));
    set(other, cosine * re(other) + -sine * re, cosine * im(other) + -sine * im);
  }

  /** Returns the conjugates of the first elements. */
  ComplexArray conjugates(int count) {
    ComplexArray conjugates = new ComplexArray(count);
    for (int i = 0; i < count; i++) {
      Limits.checkAt(i);
      conjugates.set(i, re(i), -im(i));
    }
    return conjugates;
  }

  /** Sets a number to an element of a float or complex literal. */
  public void load(int i, Literal from, int position) {
    set(i, complexAt(from, position));
  }

  /** Returns the larger magnitude of the real and the imaginary part of a number; NaN if one is. */
  double largestPart(int i) {
    return Math.max(Math.abs(re(i)), Math.abs(im(i)));
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
