package org.hlo4j.interpreter.compiled.moves;

import java.lang.reflect.Array;
import org.hlo4j.hlo.Shape;

/**
 * Numbers that lines are read from or written to: the real part of number n at {@code n * step}.
 *
 * @param re the array of real parts
 * @param im that of imaginary parts; of real numbers an empty one
 * @param step how far apart neighbours lie
 * @param shift how far behind the real part the imaginary one lies
 * @param lineLength how many numbers a line of the last dimension has
 */
record ComplexNumbers(Object re, Object im, int step, int shift, int lineLength) {
  private static final double[] NONE = {};

  /** The numbers of a literal. */
  static ComplexNumbers of(Shape.Array shape, Object storage) {
    boolean complex = shape.elementType().isComplex();
    int line = shape.sizes().getInt(shape.rank() - 1);
    return complex
        ? new ComplexNumbers(storage, storage, 2, 1, line)
        : new ComplexNumbers(storage, NONE, 1, 0, line);
  }

  /** Room for so many in double, the parts apart. */
  static ComplexNumbers work(int count, int lineLength) {
    return new ComplexNumbers(new double[count], new double[count], 1, 0, lineLength);
  }

  boolean isComplex() {
    return Array.getLength(im) > 0;
  }
}
