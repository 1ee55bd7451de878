package org.hlo4j.spark;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import java.io.Serializable;
import java.util.List;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.stablehlo.jax.JaxArray;

/**
 * The part of an argument, or of a result, that belongs to one row.
 *
 * @param index of the argument, or of the result
 * @param path its path, such as {@code args[0]}
 * @param text its type and sizes, such as {@code float32[b,8]}
 * @param type its element type
 * @param sizes those after the first one, which counts rows; {@link #OPEN} where rows may differ
 */
record Argument(int index, String path, String text, ElementType type, ImmutableList<Long> sizes)
    implements Serializable {
  static final long OPEN = -1;

  static Argument of(int index, JaxArray array) {
    ImmutableList<Long> sizes =
        array.openShape().sizes().stream()
            .skip(1)
            .boxed()
            .map(size -> size < 0 ? OPEN : size)
            .collect(toImmutableList());
    return new Argument(index, array.path(), array.toString(), array.elementType(), sizes);
  }

  /** Returns whether all rows have the same sizes. */
  boolean isStatic() {
    return !sizes.contains(OPEN);
  }

  /** Returns how many elements a row has, if {@link #isStatic}. */
  long elementCount() {
    return sizes.stream().reduce(1L, Math::multiplyExact);
  }

  /** Returns whether a row may have these sizes. */
  boolean admits(List<Long> row) {
    if (row.size() != sizes.size()) {
      return false;
    }
    for (int i = 0; i < row.size(); i++) {
      if (sizes.get(i) != OPEN && !sizes.get(i).equals(row.get(i))) {
        return false;
      }
    }
    return true;
  }

  /** Returns which types of columns suit. */
  String wantedColumn() {
    String numbers =
        switch (type.kind()) {
          case PRED -> "BOOLEAN";
          case SIGNED, UNSIGNED -> "integers";
          case FLOAT -> "numbers";
          case COMPLEX -> "no complex numbers";
        };
    return switch (sizes.size()) {
      case 0 -> numbers;
      case 1 -> "arrays of " + numbers;
      default ->
          sizes.size() + " nested arrays of " + numbers + (isStatic() ? ", or flat ones" : "");
    };
  }

  /** Returns which values suit. */
  String wantedValue() {
    return switch (sizes.size()) {
      case 0 -> "a number of " + type;
      case 1 -> isStatic() ? sizes.get(0) + " numbers of " + type : "numbers of " + type;
      default -> "arrays of sizes " + sizes.toString().replace("-1", "?") + " of " + type;
    };
  }

  @Override
  public String toString() {
    return path.isEmpty() ? text : path + " " + text;
  }
}
