package org.hlo4j.interpreter.compiled.arrays;

import com.google.common.collect.Streams;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Array;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;

/**
 * The primitive arrays that store the elements of literals: allocation, filling, and access to the
 * bits of their elements.
 */
public final class Storages {
  /** The size of a cache line in bytes. */
  private static final int LINE = 64;

  private static final int VARIED = 101;
  private static final int VARIED_STEP = 37;
  private static final double VARIED_SCALE = 8;

  private Storages() {}

  /**
   * {@return whether a shape is an array of static sizes that fits a Java array} All sizes are then
   * ints, even those of an array without elements.
   */
  public static boolean canHold(Shape shape) {
    return shape instanceof Shape.Array array
        && !array.isDynamic()
        && array.elementCount() <= maxElements(array.elementType())
        && array.sizes().stream().allMatch(size -> size <= Integer.MAX_VALUE);
  }

  /** A complex number is two components. */
  private static int maxElements(ElementType type) {
    return type.isComplex() ? LiteralBuilder.MAX_COMPONENTS / 2 : LiteralBuilder.MAX_COMPONENTS;
  }

  /** {@return a new array of {@code count} elements of a type that is not complex} */
  public static Object allocate(ElementType type, int count) {
    return switch (type.bits()) {
      case 64 -> type.isFloating() ? new double[count] : new long[count];
      case 32 -> type.isFloating() ? new float[count] : new int[count];
      case 16 -> new short[count];
      default -> new byte[count];
    };
  }

  /** {@return a new array of numbers of both signs in an irregular order} */
  public static Object irregularValues(ElementType type, int count) {
    Object storage = allocate(type, count);
    for (int i = 0; i < count; i++) {
      int number = i * VARIED_STEP % VARIED - VARIED / 2;
      fill(storage, i, i + 1, type, type == ElementType.PRED ? i & 1 : number / VARIED_SCALE);
    }
    return storage;
  }

  /** {@return the primitive type of the elements of such an array} */
  public static Class<?> component(ElementType type) {
    return allocate(type, 0).getClass().getComponentType();
  }

  /**
   * Sets the elements {@code from} to {@code to}, exclusive, to a number, wrapped or rounded to the
   * type.
   */
  public static void fill(Object storage, int from, int to, ElementType type, Number number) {
    long bits =
        type.isFloating() ? type.encode(number.doubleValue()) : type.wrap(number.longValue());
    fillBits(storage, from, to, bits);
  }

  /** Sets the bits of the elements {@code from} to {@code to}, exclusive. */
  public static void fillBits(Object storage, int from, int to, long bits) {
    switch (storage) {
      case double[] cells -> Arrays.fill(cells, from, to, Double.longBitsToDouble(bits));
      case float[] cells -> Arrays.fill(cells, from, to, Float.intBitsToFloat((int) bits));
      case long[] cells -> Arrays.fill(cells, from, to, bits);
      case int[] cells -> Arrays.fill(cells, from, to, (int) bits);
      case short[] cells -> Arrays.fill(cells, from, to, (short) bits);
      case byte[] cells -> Arrays.fill(cells, from, to, (byte) bits);
      default -> throw unknown(storage);
    }
  }

  /**
   * {@return an element of an array of integers as a signed number} An unsigned number beyond the
   * signed ones, which is not an index of any array, yields {@link Long#MAX_VALUE}.
   */
  public static long index(ElementType type, Object storage, int position) {
    long number = type.wrap(bits(storage, position));
    boolean beyond = number < 0 && type.kind() == ElementType.Kind.UNSIGNED;
    return beyond ? Long.MAX_VALUE : number;
  }

  /** Replaces each NaN by the one quiet NaN of the type. Integers do not change. */
  public static void quietNaNs(ElementType type, Object storage) {
    switch (storage) {
      case float[] cells -> {
        for (int i = 0; i < cells.length; i++) {
          cells[i] = Float.isNaN(cells[i]) ? Float.NaN : cells[i];
        }
      }
      case double[] cells -> {
        for (int i = 0; i < cells.length; i++) {
          cells[i] = Double.isNaN(cells[i]) ? Double.NaN : cells[i];
        }
      }
      case Object cells when type.isFloating() -> {
        for (int i = 0; i < Array.getLength(cells); i++) {
          if (Double.isNaN(type.decode(bits(cells, i) & (1L << type.bits()) - 1))) {
            setBits(cells, i, type.encode(Double.NaN));
          }
        }
      }
      case Object integers -> {}
    }
  }

  /** {@return an element of a {@code float[]} or a {@code double[]}} */
  public static double real(Object storage, int position) {
    return storage instanceof float[] floats ? floats[position] : ((double[]) storage)[position];
  }

  /** {@return the bits of an element, sign-extended} */
  public static long bits(Object storage, int position) {
    return switch (storage) {
      case int[] cells -> cells[position];
      case long[] cells -> cells[position];
      case float[] cells -> Float.floatToRawIntBits(cells[position]);
      case double[] cells -> Double.doubleToRawLongBits(cells[position]);
      case short[] cells -> cells[position];
      case byte[] cells -> cells[position];
      default -> throw unknown(storage);
    };
  }

  /**
   * Reads at least one element of each cache line from {@code from} on. Memory delivers sequential
   * reads sooner than scattered ones, so that this brings an array into the cache.
   *
   * @param from the first element
   * @param to the end of the elements, exclusive
   * @return the bits of the elements that are read, combined by a bitwise or
   */
  public static long prefetch(Object storage, int from, int to) {
    long bits = 0;
    if (storage instanceof float[] cells) {
      for (int i = from; i < to; i += LINE / Float.BYTES) {
        bits |= Float.floatToRawIntBits(cells[i]);
      }
    } else {
      for (int i = from; i < to; i += LINE / Long.BYTES) {
        bits |= bits(storage, i);
      }
    }
    return bits;
  }

  /** Sets the bits of an element to the low bits of a number. */
  public static void setBits(Object storage, int position, long bits) {
    switch (storage) {
      case int[] cells -> cells[position] = (int) bits;
      case long[] cells -> cells[position] = bits;
      case float[] cells -> cells[position] = Float.intBitsToFloat((int) bits);
      case double[] cells -> cells[position] = Double.longBitsToDouble(bits);
      case short[] cells -> cells[position] = (short) bits;
      case byte[] cells -> cells[position] = (byte) bits;
      default -> throw unknown(storage);
    }
  }

  /** Returns the result of an op with these storages: an array, or a tuple of several arrays. */
  public static Literal result(List<Shape.Array> shapes, List<Object> storages) {
    return shapes.size() == 1
        ? Literal.unsafeOf(shapes.get(0), storages.get(0))
        : Literal.tuple(
            Streams.zip(shapes.stream(), storages.stream(), Literal::unsafeOf).toList());
  }

  /** Returns whether two literals hold the same bits, NaNs included. */
  public static boolean sameBits(Literal a, Literal b) {
    return a.shape().equals(b.shape())
        && bytes(a.unsafeStorage()).mismatch(bytes(b.unsafeStorage())) < 0;
  }

  /** Returns the bytes of a literal's storage. */
  public static MemorySegment bytes(Object storage) {
    return switch (storage) {
      case byte[] array -> MemorySegment.ofArray(array);
      case short[] array -> MemorySegment.ofArray(array);
      case int[] array -> MemorySegment.ofArray(array);
      case long[] array -> MemorySegment.ofArray(array);
      case float[] array -> MemorySegment.ofArray(array);
      case double[] array -> MemorySegment.ofArray(array);
      default -> throw unknown(storage);
    };
  }

  private static AssertionError unknown(Object storage) {
    return new AssertionError("no storage: " + storage.getClass());
  }

  /** {@return the value that all elements of a literal have, bit for bit; empty if they differ} */
  public static Optional<Literal> uniform(Literal literal) {
    ElementType type = literal.elementType();
    int parts = type.componentCount();
    int components = literal.elementCount() * parts;
    if (components == 0) {
      return Optional.empty();
    }
    // equal to itself shifted by one element
    long bytes = bytes(literal.unsafeStorage()).byteSize();
    long step = bytes / literal.elementCount();
    MemorySegment all = bytes(literal.unsafeStorage());
    boolean same = all.asSlice(step).mismatch(all.asSlice(0, bytes - step)) < 0;
    if (!same) {
      return Optional.empty();
    }
    LiteralBuilder scalar = new LiteralBuilder(Shape.of(type));
    scalar.copy(0, literal, 0);
    return Optional.of(scalar.build());
  }
}
