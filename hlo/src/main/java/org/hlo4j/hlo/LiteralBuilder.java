package org.hlo4j.hlo;

import static org.hlo4j.hlo.HloException.require;
import static org.hlo4j.hlo.arguments.Arguments.requireNonNull;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Array;
import java.nio.ByteBuffer;

/**
 * A builder of an array literal. Elements are set one by one, in any order. {@link #build} refuses
 * to build while there are elements that were never set, so that a value too few is noticed; {@link
 * #zeros} and {@link #full} begin with a value everywhere.
 *
 * <p>Positions are <i>linear</i>: row-major, from 0. For evaluators, readers and parsers; programs
 * whose values are in Java arrays use the factories of {@link Literal}.
 */
public final class LiteralBuilder {
  /** How many components one array can have: elements, or for complex types half of them. */
  public static final int MAX_COMPONENTS = Integer.MAX_VALUE - 8;

  private final Shape.Array shape;
  private final ElementType type;
  private final Object storage;
  private final int components;
  private final SetComponents known;
  private boolean built;

  /**
   * Creates a builder of which each element has to be set.
   *
   * @param shape the shape of the literal to be; dynamic dimensions have their bounds
   * @throws HloException if the array cannot be held: more than 2^31 elements, or than the heap has
   *     room for
   */
  public LiteralBuilder(Shape.Array shape) {
    this(shape, false);
  }

  private LiteralBuilder(Shape.Array shape, boolean areAllSet) {
    this.shape = requireNonNull(shape, "shape");
    this.type = shape.elementType();
    this.storage = newStorage(shape);
    this.components = Array.getLength(storage);
    this.known = new SetComponents(components, areAllSet);
  }

  /**
   * Returns a builder of an array whose elements are zero, as in {@link Literal#zeros}, unless they
   * are set.
   *
   * @param shape the shape of the literal to be; dynamic dimensions have their bounds
   * @return the builder
   * @throws HloException as the constructor
   */
  public static LiteralBuilder zeros(Shape.Array shape) {
    return new LiteralBuilder(shape, true);
  }

  /**
   * Returns a builder of an array whose elements have a value, as in {@link Literal#full}, unless
   * they are set.
   *
   * @param shape the shape of the literal to be; dynamic dimensions have their bounds
   * @param value the value; a {@code Boolean} or a {@code Number}
   * @return the builder
   * @throws HloException as the constructor, or if the value does not fit the element type
   */
  public static LiteralBuilder full(Shape.Array shape, Object value) {
    requireNonNull(shape, "shape");
    Literal scalar = Literal.full(Shape.of(shape.elementType()), value);
    LiteralBuilder builder = new LiteralBuilder(shape);
    for (int i = 0; i < shape.elementCount(); i++) {
      builder.copy(i, scalar, 0);
    }
    return builder;
  }

  /**
   * Returns a primitive array of zeros for {@link Literal#unsafeOf}.
   *
   * @param shape the shape of the literal to be
   * @return {@code byte[] short[] int[] long[] float[]} or {@code double[]}
   * @throws HloException if the array cannot be held: more than 2^31 elements, or than the heap has
   *     room for
   */
  public static Object newStorage(Shape.Array shape) {
    requireNonNull(shape, "shape");
    long components = shape.elementCount() * (shape.elementType().isComplex() ? 2L : 1L);
    require(
        components >= 0 && components <= MAX_COMPONENTS,
        "",
        "literal: %s has %s elements, want at most %s",
        shape,
        shape.elementCount(),
        MAX_COMPONENTS);
    try {
      return newStorage(shape.elementType().componentType(), (int) components);
    } catch (OutOfMemoryError full) {
      throw new HloException(
          "",
          "literal: the heap has no room for the "
              + components
              + " elements of "
              + shape
              + ", want a larger -Xmx");
    }
  }

  /**
   * Returns whether a primitive array is of the type and length that {@link
   * #newStorage(Shape.Array)} gives.
   *
   * @param storage a primitive array
   * @param shape the shape of the literal to be
   * @return whether it is
   */
  public static boolean isStorage(Object storage, Shape.Array shape) {
    requireNonNull(shape, "shape");
    requireNonNull(storage, "storage");
    return Storage.suits(storage, shape);
  }

  /**
   * Returns the bytes of a primitive array, which are those of the array itself.
   *
   * @param storage as {@link #newStorage} gives it
   * @return its elements in the byte order of the machine
   * @throws HloException if it is no array of elements
   */
  public static MemorySegment segment(Object storage) {
    return Storage.segment(requireNonNull(storage, "storage"));
  }

  private static Object newStorage(ElementType component, int count) {
    if (component.isFloating() && component.bits() >= 32) {
      return component == ElementType.F64 ? new double[count] : new float[count];
    }
    return switch (component.bits()) {
      case 64 -> new long[count];
      case 32 -> new int[count];
      case 16 -> new short[count];
      default -> new byte[count];
    };
  }

  /**
   * Sets an element of a pred or integer array; the value is wrapped to the type.
   *
   * @param linear the row-major position
   * @param value the value, for pred whether it is not zero
   */
  public void setLong(int linear, long value) {
    if (storage instanceof int[] ints && isOpenAt(linear)) {
      ints[linear] = (int) value;
      known.set(linear);
    } else {
      storeBits(linear, type.wrap(value));
    }
  }

  /**
   * Sets an element of a pred or integer array, as {@link #setLong} does.
   *
   * @param linear the row-major position
   * @param value the value, for pred whether it is not zero; of u64 it is sign-extended
   */
  public void setInt(int linear, int value) {
    setLong(linear, value);
  }

  /**
   * Sets an element of a pred array.
   *
   * @param linear the row-major position
   * @param value the value
   */
  public void setBoolean(int linear, boolean value) {
    setLong(linear, value ? 1 : 0);
  }

  /**
   * Sets an element of a floating-point array; the value is rounded to the type.
   *
   * @param linear the row-major position
   * @param value the value
   */
  public void setDouble(int linear, double value) {
    if (type.isComplex()) {
      storeBits(linear, type.encode(value)); // refused
    }
    setComponent(linear, value);
  }

  /**
   * Sets an element of a floating-point array, as {@link #setDouble} does.
   *
   * @param linear the row-major position
   * @param value the value
   */
  public void setFloat(int linear, float value) {
    setDouble(linear, value);
  }

  /** Sets a component to a floating-point number, rounded to the type; any NaN becomes the one. */
  void setComponent(int component, double value) {
    if (storage instanceof float[] floats && isOpenAt(component)) {
      floats[component] = Float.intBitsToFloat(Float.floatToIntBits((float) value));
      known.set(component);
    } else if (storage instanceof double[] doubles && isOpenAt(component)) {
      doubles[component] = Double.longBitsToDouble(Double.doubleToLongBits(value));
      known.set(component);
    } else {
      storeBits(component, type.componentType().encode(value));
    }
  }

  /** What messages say of a row; written for those that are refused alone. */
  private record Row(int row, Shape.Array shape) {
    @Override
    public String toString() {
      return "row " + row + " of " + shape;
    }
  }

  /** Sets components from one on, as {@link #setComponent} does. */
  void setComponents(int component, double[] values) {
    if (storage instanceof float[] floats) {
      for (int i = 0; i < values.length; i++) {
        floats[component + i] = Float.intBitsToFloat(Float.floatToIntBits((float) values[i]));
      }
      known.set(component, component + values.length);
    } else {
      for (int i = 0; i < values.length; i++) {
        setComponent(component + i, values[i]);
      }
    }
  }

  private boolean isOpenAt(int component) {
    return !built && component >= 0 && component < components;
  }

  /**
   * Sets all elements of a row: those with one index in the first dimension, such as an example of
   * a batch.
   *
   * <pre>{@code
   * LiteralBuilder batch = new LiteralBuilder(Shape.of(F32, 2, 3));
   * batch.setRow(0, new float[] {1, 2, 3});
   * batch.setRow(1, new double[] {4, 5, 6});
   * }</pre>
   *
   * @param row the index in the first dimension
   * @param values the elements of the row, in row-major order, as many as it has: a flat Java
   *     array, a buffer or a memory segment, as {@link Literal#of(Shape, Object)} takes them
   * @throws HloException if there is no such row, there are more or fewer values, or one does not
   *     fit the element type
   */
  public void setRow(int row, Object values) {
    require(!built, "", "literal: set after build, want a new LiteralBuilder");
    require(shape.rank() > 0, "", "literal: setRow got a builder of %s, want one of rows", shape);
    require(row >= 0 && row < shape.size(0), "", "literal: got row %s, want one of %s", row, shape);
    int width = components / (int) shape.size(0);
    if (values instanceof float[] floats && floats.length == width && storage instanceof float[]) {
      copy(row * width, floats);
    } else {
      FlatValues.fill(this, shape, row * width, width, new Row(row, shape), values);
    }
  }

  /**
   * Sets an element of a complex array. The real and the imaginary part are rounded to the
   * component type.
   *
   * @param linear the row-major position
   * @param real the real part
   * @param imaginary the imaginary part
   */
  public void setComplex(int linear, double real, double imaginary) {
    require(type.isComplex(), "", "literal: got a complex value, want %s", type);
    ElementType part = type.componentType();
    int component = Storage.firstComponent(storage, linear, shape);
    storeBits(component, part.encode(real));
    storeBits(component + 1, part.encode(imaginary));
  }

  /**
   * Sets one component by its bits.
   *
   * @param component the row-major position; for complex types twice that, plus 1 for the imaginary
   *     part
   * @param bits the bit pattern in the low bits
   */
  public void setBits(int component, long bits) {
    ElementType part = type.componentType();
    storeBits(component, part.isFloating() ? bits & mask(part) : part.wrap(bits));
  }

  /**
   * Sets many components by their bits, as many as a buffer has.
   *
   * @param component the row-major position of the first, as in {@link #setBits(int, long)}
   * @param bits the bit patterns in the byte order of the buffer, each as wide as its type, or a
   *     byte if that is narrower; the position of the buffer stays
   */
  public void setBits(int component, ByteBuffer bits) {
    requireNonNull(bits, "bits");
    if (type.componentType().bits() < Byte.SIZE) {
      for (int i = 0; i < bits.remaining(); i++) {
        setBits(component + i, bits.get(bits.position() + i));
      }
      return;
    }
    require(!built, "", "literal: set after build, want a new LiteralBuilder");
    try {
      Storage.setBits(storage, component, bits);
    } catch (IndexOutOfBoundsException beyond) {
      throw Storage.outside(component, shape);
    }
    known.set(component, component + bits.remaining() / Storage.bytesOf(type));
  }

  /** Sets components from one on by their bits: as many as a memory segment has. */
  void setBits(int component, MemorySegment bits) {
    if (type.componentType().bits() < Byte.SIZE) {
      for (int i = 0; i < bits.byteSize(); i++) {
        setBits(component + i, bits.get(ValueLayout.JAVA_BYTE, i));
      }
      return;
    }
    int width = Storage.bytesOf(type);
    Storage.segment(storage).asSlice((long) component * width, bits.byteSize()).copyFrom(bits);
    known.set(component, component + (int) (bits.byteSize() / width));
  }

  /** Sets components from one on, by an array of the type that holds them here. */
  void copy(int component, Object array) {
    int count = Array.getLength(array);
    System.arraycopy(array, 0, storage, component, count);
    known.set(component, component + count);
  }

  private static long mask(ElementType part) {
    return -1L >>> (64 - part.bits());
  }

  private void storeBits(int component, long bits) {
    require(!built, "", "literal: set after build, want a new LiteralBuilder");
    try {
      Storage.setBits(storage, component, bits);
    } catch (ArrayIndexOutOfBoundsException none) {
      throw Storage.outside(component, shape);
    }
    known.set(component);
  }

  /**
   * Copies an element of a literal of the same element type, bit by bit.
   *
   * @param linear the row-major position here
   * @param from the literal to copy from
   * @param fromLinear the row-major position there
   */
  public void copy(int linear, Literal from, int fromLinear) {
    requireNonNull(from, "from");
    if (type.isComplex()) {
      int component = Storage.firstComponent(storage, linear, shape);
      int source = from.firstComponent(fromLinear);
      setBits(component, from.bitsAt(source));
      setBits(component + 1, from.bitsAt(source + 1));
    } else {
      setBits(linear, from.bitsAt(fromLinear));
    }
  }

  /**
   * Sets an element to one of a literal of any element type, converted by value as HLO's {@code
   * convert} does.
   *
   * @param linear the row-major position here
   * @param from the literal to convert from
   * @param fromLinear the row-major position there
   */
  public void convert(int linear, Literal from, int fromLinear) {
    requireNonNull(from, "from");
    ElementConversion.convert(this, linear, type, from, fromLinear);
  }

  /**
   * Sets an element to a floating-point number, converted by value as HLO's {@code convert} does.
   *
   * @param linear the row-major position
   * @param value the number
   */
  public void convert(int linear, double value) {
    ElementConversion.fromDouble(this, linear, type, value);
  }

  /**
   * Returns the current value of an element.
   *
   * @param linear the row-major position
   * @return the scalar
   * @throws HloException if it was never set
   */
  public Literal scalarAt(int linear) {
    Literal soFar = new Literal((Shape.Array) shape.withoutLayout(), storage);
    LiteralBuilder scalar = new LiteralBuilder(Shape.of(type));
    scalar.copy(0, soFar, linear);
    require(
        known.isSet(linear * componentsOfAnElement()),
        "",
        "literal: got position %s of %s, which nothing set, want one that was set",
        linear,
        shape);
    return scalar.build();
  }

  private int componentsOfAnElement() {
    return type.componentCount();
  }

  /**
   * Returns the literal. The builder cannot be used any more.
   *
   * @return the literal, holding the elements without a copy
   * @throws HloException if an element was never set, and the builder does not come from {@link
   *     #zeros} or {@link #full}
   */
  public Literal build() {
    require(!built, "", "literal: built twice, want a new LiteralBuilder");
    if (known.firstNotSet() < components) {
      throw known.incomplete(shape);
    }
    built = true;
    return new Literal((Shape.Array) shape.withoutLayout(), storage);
  }
}
