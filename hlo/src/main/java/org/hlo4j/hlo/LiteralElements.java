package org.hlo4j.hlo;

import static org.hlo4j.hlo.HloException.require;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;

/** The accessors of the elements of a {@link Literal} that is an array. */
abstract sealed class LiteralElements permits Literal {
  final Shape shape;
  final Object storage;

  LiteralElements(Shape shape, Object storage) {
    this.shape = shape instanceof Shape.Array array ? array.withStaticSizes() : shape;
    this.storage = storage;
  }

  /** {@return the shape, without layout} */
  public Shape shape() {
    return shape;
  }

  /**
   * {@return the shape of an array}
   *
   * @throws HloException if this is a tuple or a token
   */
  public Shape.Array arrayShape() {
    if (shape instanceof Shape.Array array) {
      return array;
    }
    throw new HloException("", "literal: got " + shape + ", want an array");
  }

  /**
   * {@return the type of an array's elements}
   *
   * @throws HloException if this is a tuple or a token
   */
  public ElementType elementType() {
    return arrayShape().elementType();
  }

  /**
   * {@return how many elements an array has}
   *
   * @throws HloException if this is a tuple or a token
   */
  public int elementCount() {
    return (int) arrayShape().elementCount();
  }

  /**
   * {@return the row-major position of an index}
   *
   * @param index as many numbers as dimensions
   * @throws HloException if the index is not one of this array
   */
  public int linear(long... index) {
    Shape.Array array = arrayShape();
    Dims position = Dims.of(index);
    require(
        index.length == array.rank() && position.inBounds(array.sizes()),
        "",
        "literal: got index %s, want one of %s",
        position,
        array);
    long linear = 0;
    for (int i = 0; i < index.length; i++) {
      linear = linear * array.size(i) + index[i];
    }
    return (int) linear;
  }

  /**
   * {@return an element of a pred array}
   *
   * @param linear the row-major position
   */
  public boolean booleanAt(int linear) {
    return longAt(linear) != 0;
  }

  /**
   * {@return an element of a pred or integer array, as carrier: u64 as its bit pattern}
   *
   * @param linear the row-major position
   * @throws HloException if the elements are neither pred nor integers
   */
  public long longAt(int linear) {
    ElementType type = elementType();
    if (!type.isIntegral() && type != ElementType.PRED) {
      throw new HloException(
          "", "literal: got " + shape + ", want integers or pred; floats are read by doubleAt");
    }
    if (storage instanceof int[] ints && linear >= 0 && linear < ints.length) {
      return type.wrap(ints[linear]);
    }
    if (storage instanceof long[] longs && linear >= 0 && linear < longs.length) {
      return longs[linear];
    }
    return type.wrap(bitsAt(linear));
  }

  /**
   * {@return an element of a floating-point array, exactly}
   *
   * @param linear the row-major position
   * @throws HloException if the elements are not floats
   */
  public double doubleAt(int linear) {
    ElementType type = elementType();
    if (!type.isFloating()) {
      throw new HloException(
          "",
          "literal: got "
              + shape
              + ", want floats; integers are read by longAt, complex numbers by realAt");
    }
    if (storage instanceof float[] floats && linear >= 0 && linear < floats.length) {
      return floats[linear];
    }
    if (storage instanceof double[] doubles && linear >= 0 && linear < doubles.length) {
      return doubles[linear];
    }
    return type.decode(bitsAt(linear));
  }

  /**
   * {@return the real part of an element of a complex array, exactly}
   *
   * @param linear the row-major position
   * @throws HloException if the elements are not complex
   */
  public double realAt(int linear) {
    return partAt(linear, 0);
  }

  /**
   * {@return the imaginary part of an element of a complex array, exactly}
   *
   * @param linear the row-major position
   * @throws HloException if the elements are not complex
   */
  public double imaginaryAt(int linear) {
    return partAt(linear, 1);
  }

  private double partAt(int linear, int part) {
    ElementType type = elementType();
    require(
        type.isComplex(),
        "",
        "literal: got %s, want complex numbers; floats are read by doubleAt, integers by longAt",
        shape);
    return type.componentType().decode(bitsAt(firstComponent(linear) + part));
  }

  /** Returns the component that is the real part of an element of a complex array. */
  final int firstComponent(int linear) {
    return Storage.firstComponent(Storage.known(storage, shape), linear, shape);
  }

  /**
   * Returns the bits of one component.
   *
   * @param component the row-major position; for complex types twice that, plus 1 for the imaginary
   *     part
   * @return the bit pattern, zero-extended
   */
  public long bitsAt(int component) {
    try {
      return componentMask() & Storage.bits(Storage.known(storage, shape), component);
    } catch (ArrayIndexOutOfBoundsException none) {
      throw Storage.outside(component, shape);
    }
  }

  /**
   * Writes the bits of many components, as many as a buffer has room for.
   *
   * @param component the row-major position of the first, as in {@link #bitsAt(int)}
   * @param into gets the bit patterns in its byte order, each as wide as its type, or a byte if
   *     that is narrower; its position stays
   */
  public void bitsAt(int component, ByteBuffer into) {
    if (elementType().componentType().bits() < Byte.SIZE) {
      for (int i = 0; i < into.remaining(); i++) {
        into.put(into.position() + i, (byte) bitsAt(component + i));
      }
      return;
    }
    try {
      Storage.bits(Storage.known(storage, shape), component, into);
    } catch (IndexOutOfBoundsException beyond) {
      throw Storage.outside(component, shape);
    }
  }

  private long componentMask() {
    return -1L >>> (Long.SIZE - elementType().componentType().bits());
  }

  /** Returns the position of an element that is to be read as a Java type. */
  private int position(JavaType as, String call, long[] index) {
    as.requireHolds(elementType(), call, "get", shape);
    require(
        !elementType().isComplex(),
        "",
        "literal: %s got %s, want no complex numbers; use realAt and imaginaryAt",
        call,
        shape);
    return linear(index);
  }

  /**
   * {@return the value of a pred scalar or of an element}
   *
   * @param index as many numbers as dimensions
   * @throws HloException if the elements are not of type pred
   */
  public boolean getBoolean(long... index) {
    return booleanAt(position(JavaType.BOOLEAN, "getBoolean", index));
  }

  /**
   * {@return the value of a scalar or of an element: an integer of at most 32 bits, u32 left out,
   * or pred as 0 or 1}
   *
   * @param index as many numbers as dimensions
   * @throws HloException if the elements are of another type
   */
  public int getInt(long... index) {
    return (int) longAt(position(JavaType.INT, "getInt", index));
  }

  /**
   * {@return the value of a scalar or of an element: an integer, u64 as its bit pattern, or pred as
   * 0 or 1}
   *
   * @param index as many numbers as dimensions
   * @throws HloException if the elements are of another type
   */
  public long getLong(long... index) {
    return longAt(position(JavaType.LONG, "getLong", index));
  }

  /**
   * {@return the value of a scalar or of an element, exactly: f32 or a narrower float, an integer
   * of at most 16 bits, or pred as 0 or 1}
   *
   * @param index as many numbers as dimensions
   * @throws HloException if the elements are of another type
   */
  public float getFloat(long... index) {
    return (float) JavaType.number((Literal) this, position(JavaType.FLOAT, "getFloat", index));
  }

  /**
   * {@return the value of a scalar or of an element, exactly: any float, an integer of at most 32
   * bits, or pred as 0 or 1}
   *
   * @param index as many numbers as dimensions
   * @throws HloException if the elements are of another type
   */
  public double getDouble(long... index) {
    return JavaType.number((Literal) this, position(JavaType.DOUBLE, "getDouble", index));
  }

  private Object flat(JavaType as, String call) {
    as.requireHolds(elementType(), call, "to", shape);
    return as.array((Literal) this, 0, (int) Storage.components(arrayShape()));
  }

  /**
   * Returns the elements of a pred array, row-major.
   *
   * @return a new array
   * @throws HloException if the elements are of another type
   */
  public boolean[] toBooleans() {
    return (boolean[]) flat(JavaType.BOOLEAN, "toBooleans");
  }

  /**
   * Returns the elements of an array of integers of at most 32 bits, u32 left out, row-major; pred
   * as 0 and 1.
   *
   * @return a new array
   * @throws HloException if the elements are of another type
   */
  public int[] toInts() {
    return (int[]) flat(JavaType.INT, "toInts");
  }

  /**
   * Returns the elements of an array of integers, row-major; u64 as bit patterns, pred as 0 and 1.
   *
   * @return a new array
   * @throws HloException if the elements are of another type
   */
  public long[] toLongs() {
    return (long[]) flat(JavaType.LONG, "toLongs");
  }

  /**
   * Returns the elements of an array of f32 or narrower floats, or of integers of at most 16 bits,
   * row-major and exactly; pred as 0 and 1; for c64, real and imaginary parts interleaved.
   *
   * @return a new array
   * @throws HloException if the elements are of another type
   */
  public float[] toFloats() {
    return (float[]) flat(JavaType.FLOAT, "toFloats");
  }

  /**
   * Returns the elements of an array of floats, or of integers of at most 32 bits, row-major and
   * exactly; pred as 0 and 1; for complex numbers, real and imaginary parts interleaved.
   *
   * @return a new array
   * @throws HloException if the elements are of another type
   */
  public double[] toDoubles() {
    return (double[]) flat(JavaType.DOUBLE, "toDoubles");
  }

  /**
   * Returns the elements as a nested Java array, such as {@code float[][]}, of a scalar as a boxed
   * value. They are of the first type of {@code boolean byte short int long float double} that
   * holds all values of the element type: pred gives {@code boolean}, u8 {@code short}, bf16 {@code
   * float}; u64 gives {@code long} bit patterns, and the innermost arrays of complex numbers are
   * pairs. {@link Literal#of(ElementType, Object)} makes the same literal of it again.
   *
   * @return a new array
   * @throws HloException if this is not an array, or of more than 255 dimensions
   */
  public Object toArray() {
    return NestedArray.of((Literal) this, JavaType.narrowest(elementType()));
  }

  /**
   * Returns the elements as a nested Java array of a type of choice.
   *
   * @param type such as {@code float[][].class}, for a scalar {@code Float.class}; of as many
   *     dimensions as the literal (of complex numbers one more), and elements that hold all values
   *     of the element type
   * @param <T> the type
   * @return a new array
   * @throws HloException if the type is another; it names one that fits
   */
  public <T> T toArray(Class<T> type) {
    return NestedArray.of((Literal) this, type);
  }

  /**
   * Returns the bits of the elements without a copy: row-major, each as wide as its type, or a byte
   * if that is narrower, in the byte order of the machine. For complex numbers, real and imaginary
   * parts are interleaved.
   *
   * @return a read-only view, on the heap
   * @throws HloException if this is not an array
   */
  public MemorySegment asMemorySegment() {
    long bytes = Storage.components(arrayShape()) * Storage.bytesOf(elementType());
    return Storage.segment(unsafeStorage()).asSlice(0, bytes).asReadOnly();
  }

  /**
   * Returns the bits of elements of at most 8 bits, a byte each, without a copy.
   *
   * @return a read-only view
   * @throws HloException if the elements are wider
   */
  public ByteBuffer asByteBuffer() {
    byte[] bytes = viewed(byte[].class, "asByteBuffer");
    return ByteBuffer.wrap(bytes, 0, elementCount()).slice().asReadOnlyBuffer();
  }

  /**
   * Returns the elements of an s32 or u32 array without a copy, u32 as bit patterns.
   *
   * @return a read-only view
   * @throws HloException if the elements are of another type
   */
  public IntBuffer asIntBuffer() {
    int[] ints = viewed(int[].class, "asIntBuffer");
    return IntBuffer.wrap(ints, 0, elementCount()).slice().asReadOnlyBuffer();
  }

  /**
   * Returns the elements of an s64 or u64 array without a copy, u64 as bit patterns.
   *
   * @return a read-only view
   * @throws HloException if the elements are of another type
   */
  public LongBuffer asLongBuffer() {
    long[] longs = viewed(long[].class, "asLongBuffer");
    return LongBuffer.wrap(longs, 0, elementCount()).slice().asReadOnlyBuffer();
  }

  /**
   * Returns the elements of an f32 array without a copy; for c64, real and imaginary parts
   * interleaved.
   *
   * @return a read-only view
   * @throws HloException if the elements are of another type
   */
  public FloatBuffer asFloatBuffer() {
    float[] floats = viewed(float[].class, "asFloatBuffer");
    return FloatBuffer.wrap(floats, 0, (int) Storage.components(arrayShape()))
        .slice()
        .asReadOnlyBuffer();
  }

  /**
   * Returns the elements of an f64 array without a copy; for c128, real and imaginary parts
   * interleaved.
   *
   * @return a read-only view
   * @throws HloException if the elements are of another type
   */
  public DoubleBuffer asDoubleBuffer() {
    double[] doubles = viewed(double[].class, "asDoubleBuffer");
    return DoubleBuffer.wrap(doubles, 0, (int) Storage.components(arrayShape()))
        .slice()
        .asReadOnlyBuffer();
  }

  private <T> T viewed(Class<T> type, String call) {
    Object array = unsafeStorage();
    require(
        type.isInstance(array),
        "",
        "literal: %s got %s, want elements stored as %s, not %s; use asMemorySegment",
        call,
        shape,
        type.getComponentType(),
        array.getClass().getComponentType());
    return type.cast(array);
  }

  /**
   * Returns the primitive array that holds the elements, itself and not a copy. It is for reading:
   * what is written to it changes the literal for all who have it, so only the owner of a literal
   * made by {@link Literal#unsafeOf} may write, and then as said there. It may be longer than the
   * literal has elements if {@code unsafeOf} got such an array.
   *
   * @return {@code byte[]} of 8 bits and fewer, one element a byte, {@code short[] int[] long[]},
   *     or {@code float[] double[]} of f32 and f64 and of the parts of complex numbers
   * @throws HloException if this is not an array, or its elements were left out
   */
  public Object unsafeStorage() {
    arrayShape();
    return Storage.known(storage, shape);
  }

  /**
   * Returns the array by which two literals are compared; for narrow floats, which have several
   * NaNs, it holds the values.
   */
  final Object content() {
    boolean narrow =
        storage.getClass().isArray()
            && elementType().isFloating()
            && elementType().bits() < Float.SIZE;
    return narrow ? toFloats() : storage;
  }
}
