package org.hlo4j.hlo;

import static org.hlo4j.hlo.HloException.require;

import java.lang.reflect.Array;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The conversion between literals and boxed scalars or nested Java arrays. */
final class NestedArray {
  private final Object value;
  private final Class<?> leafType;
  private final Dims sizes;

  NestedArray(Object value) {
    require(value != null, "", "literal: the value is null, want a number or an array");
    this.value = NestedLists.toArray(value);
    this.leafType = leafType(this.value);
    this.sizes = sizes(this.value);
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
    return toLiteral(JavaType.ofElements(leafType).elementType());
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
    require(level != null, "", "literal: an array at depth %s is null", depth);
    require(
        Array.getLength(level) == sizes.get(depth),
        "",
        "literal: ragged array, got %s elements at depth %s where the first has %s",
        Array.getLength(level),
        depth,
        sizes.get(depth));
    if (depth == sizes.count() - 1) {
      fill(builder, type, level, start);
      return start + Array.getLength(level);
    }
    int next = start;
    for (int i = 0; i < Array.getLength(level); i++) {
      next = fill(builder, type, Array.get(level, i), depth + 1, next);
    }
    return next;
  }

  /** Stores the values of an array from a component on. */
  static void fill(LiteralBuilder builder, ElementType type, Object array, int start) {
    Class<?> leaf = array.getClass().getComponentType();
    boolean isStorage =
        leaf.isPrimitive()
            && type != ElementType.PRED
            && JavaType.of(leaf).filter(java -> java.isStorageOf(type)).isPresent();
    if (isStorage) {
      builder.copy(start, array);
      return;
    }
    switch (array) {
      case double[] values when type.isFloating() -> builder.setComponents(start, values);
      case float[] values when type.isFloating() -> {
        for (int i = 0; i < values.length; i++) {
          builder.setComponent(start + i, values[i]);
        }
      }
      default -> {
        for (int i = 0; i < Array.getLength(array); i++) {
          store(builder, type, start + i, Array.get(array, i));
        }
      }
    }
  }

  private static void store(LiteralBuilder builder, ElementType type, int position, Object leaf) {
    switch (type.kind()) {
      case PRED -> {
        require(leaf instanceof Boolean, "", "literal: got %s for pred, want a boolean", leaf);
        builder.setBits(position, (Boolean) leaf ? 1 : 0);
      }
      case SIGNED, UNSIGNED -> builder.setBits(position, exact(type, leaf));
      case FLOAT -> builder.setBits(position, type.encode(toDouble(leaf, type)));
      case COMPLEX -> throw new AssertionError(type);
    }
  }

  /** Returns the bits of an integer that the type holds; of u64 a {@code long} gives the bits. */
  private static long exact(ElementType type, Object leaf) {
    require(leaf != null, "", "literal: got null for %s, want an integer", type);
    boolean isBits = leaf instanceof Long && type == ElementType.U64;
    long bits = leaf instanceof Number number ? number.longValue() : 0;
    boolean isExact = leaf instanceof Number number && ElementConversion.isExactLong(number);
    if (isBits || (isExact && type.wrap(bits) == bits && (bits >= 0 || type.minLong() < 0))) {
      return bits;
    }
    Optional<BigInteger> integer =
        leaf instanceof Number number ? ElementConversion.toInteger(number) : Optional.empty();
    require(integer.isPresent(), "", "literal: got %s for %s, want an integer", leaf, type);
    BigInteger least = BigInteger.valueOf(type.minLong());
    BigInteger most = new BigInteger(Long.toUnsignedString(type.maxLong()));
    require(
        integer.filter(each -> each.equals(each.max(least).min(most))).isPresent(),
        "",
        "literal: got %s for %s, want a value from %s to %s",
        leaf,
        type,
        least,
        most);
    return integer.get().longValue();
  }

  /** Returns a double that rounds to the nearest value of the type. */
  static double toDouble(Object leaf, ElementType type) {
    require(leaf instanceof Number, "", "literal: got %s, want a number", leaf);
    return ElementConversion.toDouble((Number) leaf, type);
  }

  /** Returns the elements of a literal as arrays of a type of Java. */
  static Object of(Literal literal, JavaType type) {
    Dims shape = literal.arrayShape().sizes();
    Dims sizes = literal.elementType().isComplex() ? shape.concat(Dims.of(2)) : shape;
    require(
        sizes.count() <= Shape.MAX_RANK,
        "",
        "literal: toArray got rank %s, want at most %s, as Java has",
        sizes.count(),
        Shape.MAX_RANK);
    try {
      return sizes.isEmpty() ? type.scalar(literal, 0) : nested(literal, type, sizes, 0, 0);
    } catch (OutOfMemoryError | ArithmeticException full) {
      throw new HloException(
          HloException.Kind.LIMIT,
          "literal: the heap has no room for the arrays of "
              + literal.shape()
              + ", want a larger -Xmx");
    }
  }

  private static Object nested(Literal literal, JavaType type, Dims sizes, int depth, int start) {
    int size = Math.toIntExact(sizes.get(depth));
    if (depth == sizes.count() - 1) {
      return type.array(literal, start, size);
    }
    Class<?> inner = arrayType(type.primitive(), sizes.count() - depth - 1);
    Object array = Array.newInstance(inner, size);
    if (size == 0) {
      return array; // what is inside need not be countable
    }
    int step = (int) sizes.subList(depth + 1, sizes.count()).product();
    for (int i = 0; i < size; i++) {
      Array.set(array, i, nested(literal, type, sizes, depth + 1, start + i * step));
    }
    return array;
  }

  private static Class<?> arrayType(Class<?> leaf, int rank) {
    Class<?> type = leaf;
    for (int i = 0; i < rank; i++) {
      type = type.arrayType();
    }
    return type;
  }

  /** Returns the elements of a literal as an array, or a boxed scalar, of a class. */
  @SuppressWarnings("unchecked") // a boxed value represents one of a primitive class
  static <T> T of(Literal literal, Class<T> type) {
    require(type != null, "", "literal: the class of toArray is null");
    Class<?> leaf = type;
    while (leaf.isArray()) {
      leaf = leaf.getComponentType();
    }
    ElementType element = literal.elementType();
    JavaType java =
        JavaType.of(leaf)
            .filter(known -> known.holds(element))
            .orElseGet(() -> JavaType.narrowest(element));
    int rank = literal.arrayShape().rank() + (element.isComplex() ? 1 : 0);
    Class<?> want =
        rank == 0 ? java.box() : arrayType(java.primitive(), Math.min(rank, Shape.MAX_RANK));
    require(
        want == type || (rank == 0 && java.primitive() == type),
        "",
        "literal: toArray got %s, want %s for %s",
        type.getSimpleName(),
        want.getSimpleName(),
        literal.shape());
    return (T) of(literal, java);
  }
}
