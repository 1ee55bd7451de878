package org.hlo4j.interpreter.compiled.moves;

import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.interpreter.reference.Complex;
import org.hlo4j.interpreter.reference.ComplexFunction;

/** Loops over complex numbers in double, real and imaginary parts apart. */
final class ComplexLoops {
  /** A loop over some numbers. */
  interface Loop {
    /** {@code to[i] = f(a[i], b[i])} for i below count. */
    void run(Parts a, Parts b, Parts to, int count);
  }

  /**
   * Numbers, real and imaginary parts apart.
   *
   * @param re the real parts
   * @param im the imaginary parts, 0 of real numbers
   */
  @SuppressWarnings("ArrayRecordComponent") // nobody compares them
  record Parts(double[] re, double[] im) {
    Parts(int count) {
      this(new double[count], new double[count]);
    }
  }

  private ComplexLoops() {}

  /** The loop of an op. */
  static Loop of(Elementwise.Kind kind) {
    return switch (kind) {
      case ADD -> ComplexLoops::add;
      case SUBTRACT -> ComplexLoops::subtract;
      case MULTIPLY -> ComplexLoops::multiply;
      case NEGATE -> ComplexLoops::negate;
      case REAL -> (a, b, to, count) -> System.arraycopy(a.re, 0, to.re, 0, count);
      case IMAG -> (a, b, to, count) -> System.arraycopy(a.im, 0, to.re, 0, count);
      case MAKE_COMPLEX ->
          (a, b, to, count) -> {
            System.arraycopy(a.re, 0, to.re, 0, count);
            System.arraycopy(b.re, 0, to.im, 0, count);
          };
      case Elementwise.Kind other -> any(other);
    };
  }

  private static void add(Parts a, Parts b, Parts to, int count) {
    for (int i = 0; i < count; i++) {
      to.re[i] = a.re[i] + b.re[i];
      to.im[i] = a.im[i] + b.im[i];
    }
  }

  private static void subtract(Parts a, Parts b, Parts to, int count) {
    for (int i = 0; i < count; i++) {
      to.re[i] = a.re[i] - b.re[i];
      to.im[i] = a.im[i] - b.im[i];
    }
  }

  private static void multiply(Parts a, Parts b, Parts to, int count) {
    for (int i = 0; i < count; i++) {
      to.re[i] = a.re[i] * b.re[i] - a.im[i] * b.im[i];
      to.im[i] = a.re[i] * b.im[i] + a.im[i] * b.re[i];
    }
  }

  private static void negate(Parts a, Parts unused, Parts to, int count) {
    for (int i = 0; i < count; i++) {
      to.re[i] = -a.re[i];
      to.im[i] = -a.im[i];
    }
  }

  private static Loop any(Elementwise.Kind kind) {
    ComplexFunction function = new ComplexFunction(kind);
    return (a, b, to, count) -> {
      for (int i = 0; i < count; i++) {
        Complex value =
            function.apply(new Complex(a.re[i], a.im[i]), new Complex(b.re[i], b.im[i]));
        to.re[i] = value.re();
        to.im[i] = value.im();
      }
    };
  }
}
