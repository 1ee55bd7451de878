package org.hlo4j.interpreter.reference;

import java.util.List;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.engine.Limits;

/** Equal parts of arrays along a dimension, copied in rows that are contiguous in both arrays. */
final class ArrayParts {
  private ArrayParts() {}

  /** Returns one of the equal parts of an array. */
  static Literal part(Literal array, int dimension, int place, int parts) {
    long size = array.arrayShape().size(dimension) / parts;
    return gathered(List.of(array), dimension, size, place, parts);
  }

  /** Concatenates arrays of one shape. */
  static Literal concatenated(List<Literal> arrays, int dimension) {
    long size = arrays.get(0).arrayShape().size(dimension) * arrays.size();
    return gathered(arrays, dimension, size, 0, 1);
  }

  /** Concatenates the parts at one place of arrays of one shape, which have a part for each. */
  static Literal concatenatedParts(List<Literal> arrays, int dimension, int place) {
    long size = arrays.get(0).arrayShape().size(dimension);
    return gathered(arrays, dimension, size, place, arrays.size());
  }

  /**
   * Returns the parts at one place of each array, one after the other.
   *
   * @param size the size of the dimension in the result
   */
  private static Literal gathered(
      List<Literal> arrays, int dimension, long size, int place, int parts) {
    Shape.Array from = arrays.get(0).arrayShape();
    Shape.Array whole = from.withSizes(from.sizes().with(dimension, size));
    if (whole.elementCount() == 0) { // of which there may be more rows than one can count
      return Literal.zeros(whole);
    }
    Object result = LiteralBuilder.newStorage(whole);
    int outer = (int) from.sizes().subList(0, dimension).product();
    int row =
        (int) (size / arrays.size() * from.sizes().subList(dimension + 1, from.rank()).product())
            * from.elementType().componentCount();
    for (int o = 0; o < outer; o++) {
      for (int i = 0; i < arrays.size(); i++) {
        int next = o * arrays.size() + i;
        Limits.checkAt(next);
        Object source = arrays.get(i).unsafeStorage();
        System.arraycopy(source, (o * parts + place) * row, result, next * row, row);
      }
    }
    return Literal.unsafeOf(whole, result);
  }
}
