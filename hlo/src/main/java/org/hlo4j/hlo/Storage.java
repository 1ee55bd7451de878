package org.hlo4j.hlo;

import java.lang.foreign.MemorySegment;
import java.lang.reflect.Array;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** The primitive arrays that hold the elements of a {@link Literal}, by storage width. */
final class Storage {
  private Storage() {}

  /** Returns the array that holds the elements, refused if they were left out. */
  static Object known(Object storage, Shape shape) {
    if (storage.getClass().isArray()) {
      return storage;
    }
    throw new HloException(
        "",
        "literal: got "
            + shape
            + " whose elements were left out, written {...}, want them: XLA writes them with"
            + " print_large_constants");
  }

  /** Returns whether an array is of the type and length that holds the elements of a shape. */
  static boolean suits(Object storage, Shape.Array shape) {
    return room(storage, shape) == components(shape);
  }

  /**
   * Returns whether an array is of the type that holds the elements of a shape, and long enough.
   */
  static boolean holds(Object storage, Shape.Array shape) {
    return room(storage, shape) >= components(shape);
  }

  /**
   * Returns the number of components of the array of a shape: its elements, or twice as many for
   * complex numbers.
   */
  static long components(Shape.Array shape) {
    return shape.elementCount() * (shape.elementType().isComplex() ? 2L : 1L);
  }

  /** Returns the component that is the real part of an element of a complex array. */
  static int firstComponent(Object storage, int linear, Shape shape) {
    if (linear < 0 || linear >= Array.getLength(storage) / 2) {
      throw outside(linear, shape);
    }
    return 2 * linear;
  }

  /** Returns how long an array is, -1 if it is of a type that does not hold such elements. */
  private static int room(Object storage, Shape.Array shape) {
    ElementType component = shape.elementType().componentType();
    boolean wideFloat = component.isFloating() && component.bits() >= 32;
    return switch (storage) {
      case byte[] bytes when component.bits() <= 8 -> bytes.length;
      case short[] shorts when component.bits() == 16 -> shorts.length;
      case int[] ints when component.bits() == 32 && !wideFloat -> ints.length;
      case long[] longs when component.bits() == 64 && !wideFloat -> longs.length;
      case float[] floats when component == ElementType.F32 -> floats.length;
      case double[] doubles when component == ElementType.F64 -> doubles.length;
      default -> -1;
    };
  }

  /** Returns the number of bytes of storage for a component of a type. */
  static int bytesOf(ElementType type) {
    return Math.max(Byte.SIZE, type.componentType().bits()) / Byte.SIZE;
  }

  /** Returns the bytes of an array, in the byte order of the machine. */
  static MemorySegment segment(Object storage) {
    return switch (storage) {
      case byte[] bytes -> MemorySegment.ofArray(bytes);
      case short[] shorts -> MemorySegment.ofArray(shorts);
      case int[] ints -> MemorySegment.ofArray(ints);
      case long[] longs -> MemorySegment.ofArray(longs);
      case float[] floats -> MemorySegment.ofArray(floats);
      case double[] doubles -> MemorySegment.ofArray(doubles);
      default ->
          throw new HloException(
              "",
              "storage: got "
                  + storage.getClass().getSimpleName()
                  + ", want byte[], short[], int[], long[], float[] or double[]");
    };
  }

  /** Returns the bits of a component; those above its storage width are zero. */
  static long bits(Object storage, int component) {
    return switch (storage) {
      case byte[] bytes -> bytes[component] & 0xffL;
      case short[] shorts -> shorts[component] & 0xffffL;
      case int[] ints -> ints[component] & 0xffffffffL;
      case long[] longs -> longs[component];
      case float[] floats -> Float.floatToRawIntBits(floats[component]) & 0xffffffffL;
      case double[] doubles -> Double.doubleToRawLongBits(doubles[component]);
      default -> throw new IllegalArgumentException("no array of elements: " + storage);
    };
  }

  /** Sets a component by its bits; those above its storage width are left out. */
  static void setBits(Object storage, int component, long bits) {
    switch (storage) {
      case byte[] bytes -> bytes[component] = (byte) bits;
      case short[] shorts -> shorts[component] = (short) bits;
      case int[] ints -> ints[component] = (int) bits;
      case long[] longs -> longs[component] = bits;
      case float[] floats -> floats[component] = Float.intBitsToFloat((int) bits);
      case double[] doubles -> doubles[component] = Double.longBitsToDouble(bits);
      default -> throw new IllegalArgumentException("no array of elements: " + storage);
    }
  }

  /** Sets components by their bits: all that a buffer has, in its byte order, as wide as here. */
  static void setBits(Object storage, int component, ByteBuffer bits) {
    switch (storage) {
      case byte[] bytes -> bits.duplicate().get(bytes, component, bits.remaining());
      case short[] shorts ->
          bits.asShortBuffer().get(shorts, component, bits.remaining() / Short.BYTES);
      case int[] ints -> bits.asIntBuffer().get(ints, component, bits.remaining() / Integer.BYTES);
      case long[] longs -> bits.asLongBuffer().get(longs, component, bits.remaining() / Long.BYTES);
      case float[] floats ->
          bits.asFloatBuffer().get(floats, component, bits.remaining() / Float.BYTES);
      case double[] doubles ->
          bits.asDoubleBuffer().get(doubles, component, bits.remaining() / Double.BYTES);
      default -> throw new IllegalArgumentException("no array of elements: " + storage);
    }
  }

  /** The bits of as many components as a buffer has room for, in its byte order. */
  static void bits(Object storage, int component, ByteBuffer into) {
    int room = into.remaining();
    switch (storage) {
      case byte[] bytes -> into.duplicate().put(bytes, component, room);
      case short[] shorts -> into.asShortBuffer().put(shorts, component, room / Short.BYTES);
      case int[] ints -> into.asIntBuffer().put(ints, component, room / Integer.BYTES);
      case long[] longs -> into.asLongBuffer().put(longs, component, room / Long.BYTES);
      case float[] floats -> into.asFloatBuffer().put(floats, component, room / Float.BYTES);
      case double[] doubles -> into.asDoubleBuffer().put(doubles, component, room / Double.BYTES);
      default -> throw new IllegalArgumentException("no array of elements: " + storage);
    }
  }

  /** That an array of a shape has no such component. */
  static HloException outside(int component, Shape shape) {
    return new HloException("", "literal: got position " + component + ", want one of " + shape);
  }

  /** Returns whether two hold the same elements. All NaNs are equal, and so are tokens. */
  static boolean equal(Object first, Object second) {
    return switch (first) {
      case byte[] bytes -> second instanceof byte[] that && Arrays.equals(bytes, that);
      case short[] shorts -> second instanceof short[] that && Arrays.equals(shorts, that);
      case int[] ints -> second instanceof int[] that && Arrays.equals(ints, that);
      case long[] longs -> second instanceof long[] that && Arrays.equals(longs, that);
      case float[] floats -> second instanceof float[] that && Arrays.equals(floats, that);
      case double[] doubles -> second instanceof double[] that && Arrays.equals(doubles, that);
      default -> first.equals(second);
    };
  }

  /** Returns a hash that agrees with {@link #equal}. */
  static int hash(Object storage) {
    return switch (storage) {
      case byte[] bytes -> Arrays.hashCode(bytes);
      case short[] shorts -> Arrays.hashCode(shorts);
      case int[] ints -> Arrays.hashCode(ints);
      case long[] longs -> Arrays.hashCode(longs);
      case float[] floats -> Arrays.hashCode(floats);
      case double[] doubles -> Arrays.hashCode(doubles);
      default -> storage.hashCode();
    };
  }
}
