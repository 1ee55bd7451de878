package org.hlo4j.hlo;

import static org.hlo4j.hlo.HloException.require;

import java.lang.foreign.MemorySegment;
import java.lang.reflect.Array;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;

/**
 * The conversion of flat values, which are a Java array, a buffer or a memory segment, to the
 * elements of a literal of a given shape, or to some of them in a row.
 */
final class FlatValues {
  private final LiteralBuilder builder;
  private final ElementType type;
  private final int start;
  private final int count;

  /** What is set, for messages. */
  private final Object target;

  private FlatValues(
      LiteralBuilder builder, ElementType type, int start, int count, Object target) {
    this.builder = builder;
    this.type = type;
    this.start = start;
    this.count = count;
    this.target = target;
  }

  static Literal literal(Shape shape, Object values) {
    require(shape instanceof Shape.Array, "", "literal: got %s, want an array", shape);
    Shape.Array array = (Shape.Array) shape;
    LiteralBuilder builder = new LiteralBuilder(array);
    fill(builder, array, 0, (int) Storage.components(array), array, values);
    return builder.build();
  }

  /** Sets components from one on to values, of which there must be as many. */
  static void fill(
      LiteralBuilder builder,
      Shape.Array shape,
      int start,
      int count,
      Object target,
      Object values) {
    require(
        values != null,
        "",
        "literal: the values are null, want an array or a buffer for %s",
        target);
    new FlatValues(builder, shape.elementType(), start, count, target).fill(values);
  }

  private void fill(Object values) {
    try {
      switch (values) {
        case ByteBuffer bits -> {
          requireCount(bits.remaining(), count * (long) bytes(), "bytes");
          builder.setBits(start, bits);
        }
        case MemorySegment bits -> {
          requireCount(bits.byteSize(), count * (long) bytes(), "bytes");
          builder.setBits(start, bits);
        }
        case Buffer buffer -> fillFromArray(array(buffer));
        case Iterable<?> list -> fillFromArray(NestedLists.toArray(list));
        default -> fillFromArray(values);
      }
    } catch (IllegalStateException | WrongThreadException closed) {
      throw new HloException("", "literal: memory cannot be read: " + closed.getMessage());
    }
  }

  private int bytes() {
    return Storage.bytesOf(type);
  }

  private void requireCount(long got, long want, String what) {
    require(got == want, "", "literal: got %s %s, want %s for %s", got, what, want, target);
  }

  /** Returns the values of a buffer; its position stays. */
  private Object array(Buffer buffer) {
    requireCount(buffer.remaining(), count, "values");
    switch (buffer) {
      case FloatBuffer floats -> {
        float[] array = new float[count];
        floats.get(floats.position(), array);
        return array;
      }
      case DoubleBuffer doubles -> {
        double[] array = new double[count];
        doubles.get(doubles.position(), array);
        return array;
      }
      case ShortBuffer shorts -> {
        short[] array = new short[count];
        shorts.get(shorts.position(), array);
        return array;
      }
      case IntBuffer ints -> {
        int[] array = new int[count];
        ints.get(ints.position(), array);
        return array;
      }
      case LongBuffer longs -> {
        long[] array = new long[count];
        longs.get(longs.position(), array);
        return array;
      }
      case CharBuffer chars -> throw refused(chars);
      case ByteBuffer bytes -> throw new AssertionError(bytes);
    }
  }

  private void fillFromArray(Object values) {
    Class<?> leaf = values.getClass().getComponentType();
    if (leaf == null || leaf.isArray()) {
      throw refused(values);
    }
    JavaType given = JavaType.ofElements(leaf);
    boolean isPred = type == ElementType.PRED;
    require(
        isPred == (given == JavaType.BOOLEAN),
        "",
        "literal: got %s for %s, want %s",
        values.getClass().getSimpleName(),
        target,
        isPred ? "boolean[]" : "numbers");
    requireCount(Array.getLength(values), count, "values");
    NestedArray.fill(builder, type.componentType(), values, start);
  }

  private HloException refused(Object values) {
    return new HloException(
        "",
        "literal: got "
            + values.getClass().getSimpleName()
            + " for "
            + target
            + ", want a flat array or list of numbers or booleans, a buffer or a memory segment;"
            + " nested arrays are read by Literal.of(array)");
  }
}
