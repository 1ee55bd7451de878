package org.hlo4j.hlo;

import static org.hlo4j.hlo.HloException.require;

import java.util.stream.IntStream;

/** All elements of a {@link Literal} at once, as arrays of Java. */
final class Elements {
  private Elements() {}

  static boolean[] toBooleans(Literal literal) {
    boolean[] values = new boolean[literal.elementCount()];
    for (int i = 0; i < values.length; i++) {
      values[i] = literal.booleanAt(i);
    }
    return values;
  }

  static long[] toLongs(Literal literal) {
    return IntStream.range(0, literal.elementCount()).mapToLong(literal::longAt).toArray();
  }

  static double[] toDoubles(Literal literal) {
    ElementType part = literal.elementType().componentType();
    int count = literal.elementCount() * (literal.elementType().isComplex() ? 2 : 1);
    return IntStream.range(0, count).mapToDouble(i -> part.decode(literal.bitsAt(i))).toArray();
  }

  static float[] toFloats(Literal literal) {
    require(
        literal.elementType().isFloating() && literal.elementType().bits() <= 32,
        "",
        "literal: got %s, want floats of at most 32 bits",
        literal.shape());
    if (literal.unsafeStorage() instanceof float[] floats) {
      return floats.clone();
    }
    float[] values = new float[literal.elementCount()];
    for (int i = 0; i < values.length; i++) {
      values[i] = (float) literal.doubleAt(i);
    }
    return values;
  }

  /** What two literals are compared by; for narrow floats, which have several NaNs, the values. */
  static Object content(Literal literal, Object storage) {
    boolean narrow =
        literal.shape() instanceof Shape.Array array
            && !literal.isElided()
            && array.elementType().isFloating()
            && array.elementType().bits() < 32;
    return narrow ? toDoubles(literal) : storage;
  }
}
