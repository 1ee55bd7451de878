package org.hlo4j.hlo;

import static com.google.common.collect.Sets.toImmutableEnumSet;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import java.lang.reflect.Array;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** The Java types in which the elements of a {@link Literal} can be passed and read. */
enum JavaType {
  BOOLEAN(boolean.class, Boolean.class, ElementType.PRED, "Booleans"),
  BYTE(byte.class, Byte.class, ElementType.S8, "Ints"),
  SHORT(short.class, Short.class, ElementType.S16, "Ints"),
  INT(int.class, Integer.class, ElementType.S32, "Ints"),
  LONG(long.class, Long.class, ElementType.S64, "Longs"),
  FLOAT(float.class, Float.class, ElementType.F32, "Floats"),
  DOUBLE(double.class, Double.class, ElementType.F64, "Doubles");

  private static final ImmutableMap<Class<?>, JavaType> BY_CLASS =
      Arrays.stream(values())
          .flatMap(java -> Stream.of(Map.entry(java.primitive, java), Map.entry(java.box, java)))
          .collect(ImmutableMap.toImmutableMap(Map.Entry::getKey, Map.Entry::getValue));

  private final Class<?> primitive;
  private final Class<?> box;
  private final ElementType elementType;
  private final String read;
  private final ImmutableSet<ElementType> held;

  JavaType(Class<?> primitive, Class<?> box, ElementType elementType, String read) {
    this.primitive = primitive;
    this.box = box;
    this.elementType = elementType;
    this.read = read;
    this.held =
        Arrays.stream(ElementType.values())
            .filter(type -> holdsPart(type.componentType()))
            .collect(toImmutableEnumSet());
  }

  private boolean holdsPart(ElementType part) {
    if (part == elementType || primitive == boolean.class) {
      return part == elementType;
    } else if (!elementType.isFloating()) {
      boolean isBits = part == ElementType.U64 && elementType == ElementType.S64;
      return part == ElementType.PRED || part.isWithin(elementType) || isBits;
    }
    return part.isFloating()
        ? part.isWithin(elementType)
        : part.bits() <= elementType.mantissaBits() + 1;
  }

  static Optional<JavaType> of(Class<?> type) {
    return Optional.ofNullable(BY_CLASS.get(type));
  }

  /** Returns the Java type of elements, refused if there is none. */
  static JavaType ofElements(Class<?> type) {
    return of(type)
        .orElseThrow(() ->
            new HloException(
                "",
                "literal: got elements of "
                    + published(type).getTypeName()
                    + ", want boolean, byte, short, int, long, float or double"));
  }

  /**
   * Returns the name of a class for the user; for a class that is not public, that of its first
   * useful interface.
   */
  private static Class<?> published(Class<?> type) {
    if (type.isPrimitive() || Modifier.isPublic(type.getModifiers())) {
      return type;
    }
    return Stream.<Class<?>>iterate(type, known -> known != null, Class::getSuperclass)
        .flatMap(known -> Arrays.stream(known.getInterfaces()))
        .filter(known -> Modifier.isPublic(known.getModifiers()) && known.getMethods().length > 0)
        .findFirst()
        .orElse(type);
  }

  /**
   * Returns the first that holds all values of an element type, or of the parts of a complex one.
   */
  static JavaType narrowest(ElementType type) {
    return Arrays.stream(values()).filter(java -> java.holds(type)).findFirst().orElseThrow();
  }

  /** Returns the element type of the same values. */
  ElementType elementType() {
    return elementType;
  }

  Class<?> primitive() {
    return primitive;
  }

  Class<?> box() {
    return box;
  }

  /** Returns whether each value of an element type is one of this type; u64 counts as its bits. */
  boolean holds(ElementType type) {
    return held.contains(type);
  }

  /**
   * Refuses an element type that has values this type does not hold, and names a call that does.
   */
  void requireHolds(ElementType type, String call, String prefix, Shape shape) {
    if (!holds(type)) {
      String converted =
          type.isComplex() ? "" : " or convertElementType(" + elementType.name() + ")";
      throw new HloException(
          "",
          "literal: "
              + call
              + " got "
              + shape
              + ", want elements that are exact in "
              + primitive
              + "; use "
              + call(prefix, narrowest(type))
              + converted);
    }
  }

  private static String call(String prefix, JavaType type) {
    String call = prefix + type.read;
    return prefix.equals("get") ? call.substring(0, call.length() - 1) : call;
  }

  /** Returns whether an array of this type holds components of a type in just their storage. */
  boolean isStorageOf(ElementType part) {
    return part == elementType || (this == LONG && part == ElementType.U64);
  }

  /** Returns components of a literal, from index {@code from} on, as a new array of this type. */
  Object array(Literal literal, int from, int count) {
    Object array = Array.newInstance(primitive, count);
    if (this != BOOLEAN && isStorageOf(literal.elementType().componentType())) {
      System.arraycopy(literal.unsafeStorage(), from, array, 0, count);
      return array;
    }
    for (int i = 0; i < count; i++) {
      set(array, i, literal, from + i);
    }
    return array;
  }

  /** Returns an element of a literal, boxed. */
  Object scalar(Literal literal, int linear) {
    return Array.get(array(literal, linear, 1), 0);
  }

  private void set(Object array, int i, Literal literal, int component) {
    switch (this) {
      case BOOLEAN -> ((boolean[]) array)[i] = integer(literal, component) != 0;
      case BYTE -> ((byte[]) array)[i] = (byte) integer(literal, component);
      case SHORT -> ((short[]) array)[i] = (short) integer(literal, component);
      case INT -> ((int[]) array)[i] = (int) integer(literal, component);
      case LONG -> ((long[]) array)[i] = integer(literal, component);
      case FLOAT -> ((float[]) array)[i] = (float) number(literal, component);
      case DOUBLE -> ((double[]) array)[i] = number(literal, component);
    }
  }

  private static long integer(Literal literal, int component) {
    return literal.elementType().wrap(literal.bitsAt(component));
  }

  static double number(Literal literal, int component) {
    ElementType part = literal.elementType().componentType();
    long bits = literal.bitsAt(component);
    return part.isFloating() ? part.decode(bits) : part.wrap(bits);
  }
}
