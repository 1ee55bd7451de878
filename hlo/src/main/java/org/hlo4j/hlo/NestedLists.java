package org.hlo4j.hlo;

import static org.hlo4j.hlo.HloException.require;

import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.List;

/** Lists of numbers, booleans or lists, as the nested arrays of the same values. */
final class NestedLists {
  private NestedLists() {}

  /** Returns the array of a list or another {@code Iterable}; any other value as it is. */
  static Object toArray(Object value) {
    try {
      return value instanceof Iterable<?> list ? toArray(list, 1) : value;
    } catch (OutOfMemoryError full) {
      throw new HloException(
          HloException.Kind.LIMIT,
          "literal: the heap has no room for the values of a list, want a larger -Xmx");
    }
  }

  private static Object toArray(Iterable<?> list, int depth) {
    require(
        depth <= Shape.MAX_RANK,
        "",
        "literal: got lists more than %s deep, want at most that",
        Shape.MAX_RANK);
    List<Object> values = new ArrayList<>();
    for (Object value : list) {
      require(value != null, "", "literal: a value in a list is null, want a number or a list");
      values.add(value instanceof Iterable<?> inner ? toArray(inner, depth + 1) : value);
    }
    Object array = Array.newInstance(commonType(values), values.size());
    for (int i = 0; i < values.size(); i++) {
      Array.set(array, i, values.get(i));
    }
    return array;
  }

  /** Returns the class of all values: {@code Number} of numbers of several classes. */
  private static Class<?> commonType(List<Object> values) {
    Class<?> type = values.isEmpty() ? Number.class : values.get(0).getClass();
    for (Object value : values) {
      if (value.getClass() != type) {
        require(
            value instanceof Number && Number.class.isAssignableFrom(type),
            "",
            "literal: got %s and %s in a list, want values of one type",
            type.getSimpleName(),
            value.getClass().getSimpleName());
        type = Number.class;
      }
    }
    return type;
  }
}
