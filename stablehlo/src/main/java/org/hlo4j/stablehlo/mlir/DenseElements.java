package org.hlo4j.stablehlo.mlir;

import java.util.stream.IntStream;
import org.hlo4j.hlo.Literal;

/** Equality of the elements of constants. */
public final class DenseElements {
  private DenseElements() {}

  /**
   * Returns whether elements are equal bit by bit; a scalar is repeated to the size of the other.
   */
  static boolean equal(Literal one, Literal other) {
    int parts = one.elementType().componentCount();
    int count = parts * one.elementCount();
    int otherCount = parts * other.elementCount();
    boolean comparable =
        one.elementType() == other.elementType()
            && (count == otherCount || count == parts || otherCount == parts);
    for (int i = 0; comparable && i < Math.max(count, otherCount); i++) {
      comparable =
          one.bitsAt(count == parts ? i % parts : i)
              == other.bitsAt(otherCount == parts ? i % parts : i);
    }
    return comparable;
  }

  /**
   * {@return whether there are elements, and all are equal, so that one may stand for all}
   *
   * @param elements the elements
   */
  public static boolean isUniform(Literal elements) {
    int parts = elements.elementType().componentCount();
    return elements.elementCount() > 0
        && IntStream.range(parts, parts * elements.elementCount())
            .allMatch(i -> elements.bitsAt(i) == elements.bitsAt(i - parts));
  }

  /** Returns a hash that does not depend on how often an element is repeated. */
  static int firstHash(Literal elements) {
    return elements.elementCount() == 0 ? 0 : Long.hashCode(elements.bitsAt(0));
  }
}
