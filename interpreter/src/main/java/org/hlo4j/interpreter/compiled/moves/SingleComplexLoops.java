package org.hlo4j.interpreter.compiled.moves;

import java.util.Optional;
import org.hlo4j.hlo.op.Elementwise;

/** Loops over arrays of c64, each result computed in double, or as if it were, and rounded once. */
final class SingleComplexLoops {
  /** A loop over elements. */
  interface Loop {
    /**
     * {@code to[i] = f(a[i], b[i])} for i from first to before end, complex or real as f has it.
     */
    void run(float[] a, float[] b, float[] to, int first, int end);
  }

  private SingleComplexLoops() {}

  /** The loop of an op; none if it is not one of the simple ones. */
  static Optional<Loop> of(Elementwise.Kind kind) {
    return Optional.ofNullable(
        switch (kind) {
          case ADD -> SingleComplexLoops::add;
          case SUBTRACT -> SingleComplexLoops::subtract;
          case MULTIPLY -> SingleComplexLoops::multiply;
          case NEGATE -> SingleComplexLoops::negate;
          case REAL -> (a, b, to, first, end) -> part(a, 0, to, first, end);
          case IMAG -> (a, b, to, first, end) -> part(a, 1, to, first, end);
          case MAKE_COMPLEX -> SingleComplexLoops::join;
          case ABS -> SingleComplexLoops::abs;
          case Elementwise.Kind other -> null;
        });
  }

  private static void add(float[] a, float[] b, float[] to, int first, int end) {
    for (int i = 2 * first; i < 2 * end; i++) {
      to[i] = a[i] + b[i];
    }
  }

  private static void subtract(float[] a, float[] b, float[] to, int first, int end) {
    for (int i = 2 * first; i < 2 * end; i++) {
      to[i] = a[i] - b[i];
    }
  }

  private static void negate(float[] a, float[] unused, float[] to, int first, int end) {
    for (int i = 2 * first; i < 2 * end; i++) {
      to[i] = -a[i];
    }
  }

  private static void multiply(float[] a, float[] b, float[] to, int first, int end) {
    for (int i = 2 * first; i < 2 * end; i += 2) {
      double re = a[i];
      double im = a[i + 1];
      double otherRe = b[i];
      double otherIm = b[i + 1];
      to[i] = (float) (re * otherRe - im * otherIm);
      to[i + 1] = (float) (re * otherIm + im * otherRe);
    }
  }

  private static void part(float[] a, int part, float[] to, int first, int end) {
    for (int i = first; i < end; i++) {
      to[i] = a[2 * i + part];
    }
  }

  private static void join(float[] re, float[] im, float[] to, int first, int end) {
    for (int i = first; i < end; i++) {
      to[2 * i] = re[i];
      to[2 * i + 1] = im[i];
    }
  }

  /** Infinite if a part is, even if the other is NaN. */
  private static void abs(float[] a, float[] unused, float[] to, int first, int end) {
    for (int i = first; i < end; i++) {
      double re = a[2 * i];
      double im = a[2 * i + 1];
      boolean infinite = Double.isInfinite(re) || Double.isInfinite(im);
      to[i] = infinite ? Float.POSITIVE_INFINITY : (float) Math.sqrt(re * re + im * im);
    }
  }
}
