package org.hlo4j.hlo;

import static org.hlo4j.hlo.HloException.require;

import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.List;

/** A boxed scalar or a nested Java array, on its way to become a literal. */
final class NestedArray {
  private final Object value;
  private final Class<?> leafType;
  private final Dims sizes;

  NestedArray(Object value) {
    require(value != null, "", "literal: got null, want a number or an array");
    this.value = value;
    this.leafType = leafType(value);
    this.sizes = sizes(value);
  }

  private static Class<?> leafType(Object value) {
    Class<?> type = value.getClass();
    while (type.isArray()) {
      type = type.getComponentType();
    }
    return type;
  }

  private static Dims sizes(Object value) {
    List<Integer> sizes = new ArrayList<>();
    Object level = value;
    for (Class<?> type = value.getClass(); type.isArray(); type = type.getComponentType()) {
      int size = level == null ? 0 : Array.getLength(level);
      sizes.add(size);
      level = size == 0 || !type.getComponentType().isArray() ? null : Array.get(level, 0);
    }
    return Dims.copyOf(sizes);
  }

  Literal toLiteral() {
    return toLiteral(naturalType());
  }

  Literal toLiteral(ElementType type) {
    Dims dims = type.isComplex() ? pairSizes(type) : sizes;
    LiteralBuilder builder = new LiteralBuilder(Shape.of(type, dims));
    int count = fill(builder, type.componentType(), value, 0, 0);
    if (count != sizes.product()) {
      throw new AssertionError(count + " elements in " + sizes);
    }
    return builder.build();
  }

  private ElementType naturalType() {
    return switch (leafType.getSimpleName()) {
      case "boolean", "Boolean" -> ElementType.PRED;
      case "byte", "Byte" -> ElementType.S8;
      case "short", "Short" -> ElementType.S16;
      case "int", "Integer" -> ElementType.S32;
      case "long", "Long" -> ElementType.S64;
      case "float", "Float" -> ElementType.F32;
      case "double", "Double" -> ElementType.F64;
      default ->
          throw new HloException(
              "",
              "literal: got elements of "
                  + leafType.getTypeName()
                  + ", want boolean, byte, short, int, long, float or double");
    };
  }

  private Dims pairSizes(ElementType type) {
    int last = sizes.count() - 1;
    require(
        last >= 0 && sizes.get(last) == 2,
        "",
        "literal: innermost arrays for %s got sizes %s, want pairs of real and imaginary part",
        type,
        sizes);
    return sizes.subList(0, last);
  }

  /** Stores all below {@code level} from {@code start} on, and says where the next one goes. */
  private int fill(LiteralBuilder builder, ElementType type, Object level, int depth, int start) {
    if (depth == sizes.count()) {
      store(builder, type, start, level);
      return start + 1;
    }
    require(level != null, "", "literal: got null at depth %s, want an array", depth);
    require(
        Array.getLength(level) == sizes.get(depth),
        "",
        "literal: ragged array, got %s elements at depth %s where the first has %s",
        Array.getLength(level),
        depth,
        sizes.get(depth));
    int next = start;
    for (int i = 0; i < Array.getLength(level); i++) {
      next = fill(builder, type, Array.get(level, i), depth + 1, next);
    }
    return next;
  }

  private static void store(LiteralBuilder builder, ElementType type, int position, Object leaf) {
    switch (type.kind()) {
      case PRED -> {
        require(leaf instanceof Boolean, "", "literal: got %s for pred, want a boolean", leaf);
        builder.setBits(position, (Boolean) leaf ? 1 : 0);
      }
      case SIGNED, UNSIGNED -> builder.setBits(position, exact(type, leaf));
      case FLOAT -> builder.setBits(position, type.encode(toDouble(leaf)));
      case COMPLEX -> throw new AssertionError(type);
    }
  }

  private static long exact(ElementType type, Object leaf) {
    boolean integral = !(leaf instanceof Boolean) && toDouble(leaf) == Math.rint(toDouble(leaf));
    require(integral, "", "literal: got %s for %s, want an integer", leaf, type);
    long number = ((Number) leaf).longValue();
    // 2^63 as a double would become 2^63 - 1, which as a double is 2^63.
    boolean exact =
        leaf instanceof Long || (toDouble(leaf) == (double) number && toDouble(leaf) < 0x1p63);
    boolean wholeU64 = type == ElementType.U64 && leaf instanceof Long;
    require(
        exact && (type.wrap(number) == number) && (wholeU64 || number >= 0 || type.minLong() < 0),
        "",
        "literal: got %s for %s, want a value from %s to %s",
        leaf,
        type,
        type.minLong(),
        Long.toUnsignedString(type.maxLong()));
    return number;
  }

  static double toDouble(Object leaf) {
    require(leaf instanceof Number, "", "literal: got %s, want a number", leaf);
    return ((Number) leaf).doubleValue();
  }
}
