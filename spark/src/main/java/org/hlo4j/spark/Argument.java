package org.hlo4j.spark;

import java.io.Serializable;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.hlo4j.stablehlo.jax.JaxArray;

/**
 * The part of an argument, or of a result, that belongs to one row.
 *
 * @param index of the argument, or of the result
 * @param path its path, such as {@code args[0]}
 * @param text its type and sizes, such as {@code float32[b,8]}
 * @param row its shape without the first size, which counts rows
 */
record Argument(int index, String path, String text, Shape.Array row) implements Serializable {
  static Argument of(int index, JaxArray array) {
    Shape.Array all = array.symbolicShape();
    return new Argument(
        index, array.path(), array.toString(), all.select(Dims.range(1, all.rank())));
  }

  ElementType type() {
    return row.elementType();
  }

  /** Returns whether all rows have the same sizes. */
  boolean isStatic() {
    return !row.hasUnbounded();
  }

  /** Returns how many elements a row has; -1 if rows may differ. */
  long elementCount() {
    return isStatic() ? row.elementCount() : -1;
  }

  /** Returns whether an array may have these sizes where some of the wanted ones are open. */
  static boolean admits(Shape.Array wanted, Shape.Array given) {
    return wanted.rank() == given.rank()
        && IntStream.range(0, wanted.rank())
            .allMatch(i -> wanted.isUnbounded(i) || wanted.size(i) == given.size(i));
  }

  /** Returns which types of columns suit. */
  String wantedColumn() {
    String numbers =
        switch (type().kind()) {
          case PRED -> "BOOLEAN";
          case SIGNED, UNSIGNED -> "integers";
          case FLOAT -> "numbers";
          case COMPLEX -> "no complex numbers";
        };
    return switch (row.rank()) {
      case 0 -> numbers;
      case 1 -> "arrays of " + numbers;
      default -> row.rank() + " nested arrays of " + numbers + (isStatic() ? ", or flat ones" : "");
    };
  }

  /** Returns which values suit. */
  String wantedValue() {
    return switch (row.rank()) {
      case 0 -> "a number of " + type();
      case 1 -> (isStatic() ? row.size(0) + " " : "") + "numbers of " + type();
      default -> "arrays of sizes " + sizes(row) + " of " + type();
    };
  }

  static String sizes(Shape.Array shape) {
    return IntStream.range(0, shape.rank())
        .mapToObj(shape::sizeText)
        .collect(Collectors.joining(", ", "[", "]"));
  }

  @Override
  public String toString() {
    return path.isEmpty() ? text : path + " " + text;
  }
}
