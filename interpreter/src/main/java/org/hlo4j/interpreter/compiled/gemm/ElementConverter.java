package org.hlo4j.interpreter.compiled.gemm;

import java.util.Arrays;
import java.util.function.Consumer;
import java.util.function.IntToDoubleFunction;
import java.util.function.IntToLongFunction;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Parallel;

/** Conversions of elements of any type to an accumulator type, and back by rounding or wrapping. */
final class ElementConverter {

  private ElementConverter() {}

  /**
   * {@return the elements of an operand in the accumulator type: its own storage if that has the
   * type, otherwise a copy}
   */
  static Object toAccumulatorType(
      Literal operand, AccumulatorType accumulatorType, KernelContext context) {
    Object storage = operand.unsafeStorage();
    ElementType type = operand.elementType();
    if (isSame(type, accumulatorType)) {
      return storage;
    }
    int count = operand.elementCount();
    Object wide = MatrixCopies.of(accumulatorType).allocate(count);
    Parallel.forRange(
        context, count, Machine.COPY_GRAIN, (start, end) -> widen(storage, type, wide, start, end));
    return wide;
  }

  /**
   * {@return a literal with the result of a computation} The computation stores its result in an
   * array of the accumulator type, which is then converted to the element type of the shape.
   */
  static Literal computeAndNarrow(
      Shape.Array shape,
      AccumulatorType accumulatorType,
      KernelContext context,
      Consumer<Object> computation) {
    Object result = context.allocate(shape);
    ElementType type = shape.elementType();
    if (isSame(type, accumulatorType)) {
      computation.accept(result);
      return Literal.unsafeOf(shape, result);
    }
    int count = (int) shape.elementCount();
    Object wide = MatrixCopies.of(accumulatorType).allocate(count);
    computation.accept(wide);
    Parallel.forRange(
        context, count, Machine.COPY_GRAIN, (start, end) -> narrow(wide, result, type, start, end));
    return Literal.unsafeOf(shape, result);
  }

  /** {@return whether the storage of a type is an array of the accumulator type} */
  static boolean isSame(ElementType type, AccumulatorType accumulatorType) {
    return switch (accumulatorType) {
      case F32 -> type == ElementType.F32;
      case F64 -> type == ElementType.F64;
      case I32 -> type == ElementType.S32 || type == ElementType.U32;
      case I64 -> type == ElementType.S64 || type == ElementType.U64;
    };
  }

  /**
   * Converts {@code to[i] = from[i]}: floats exactly, integers modulo the range of the accumulator
   * type.
   */
  private static void widen(Object from, ElementType type, Object to, int first, int end) {
    if (to instanceof float[] || to instanceof double[]) {
      round(values(from, type), to, type, first, end);
    } else {
      wrap(integers(from, type), to, type, first, end);
    }
  }

  private static IntToDoubleFunction values(Object from, ElementType type) {
    if (!type.isFloating()) {
      IntToLongFunction integers = integers(from, type);
      return i -> integers.applyAsLong(i);
    }
    return switch (from) {
      case float[] floats -> i -> floats[i];
      case double[] doubles -> i -> doubles[i];
      case short[] halves -> i -> type.decode(halves[i] & 0xffff);
      case byte[] bytes -> {
        double[] decoded = new double[256];
        Arrays.setAll(decoded, bits -> bits < 1 << type.bits() ? type.decode(bits) : 0);
        yield i -> decoded[bytes[i] & 0xff];
      }
      default -> throw new AssertionError(from.getClass());
    };
  }

  private static IntToLongFunction integers(Object from, ElementType type) {
    boolean signed = type.kind() == ElementType.Kind.SIGNED;
    long mask = signed ? -1 : -1L >>> (Long.SIZE - Math.max(type.bits(), Byte.SIZE));
    return switch (from) {
      case long[] longs -> i -> longs[i];
      case int[] ints -> i -> ints[i] & mask;
      case short[] shorts -> i -> shorts[i] & mask;
      case byte[] bytes -> i -> bytes[i] & mask;
      default -> throw new AssertionError(from.getClass());
    };
  }

  /** Converts {@code to[i] = from[i]}, rounded once or wrapped. */
  private static void narrow(Object from, Object to, ElementType type, int first, int end) {
    if (type.isFloating()) {
      round(values(from, type), to, type, first, end);
    } else {
      wrap(integers(from, ElementType.S64), to, type, first, end);
    }
  }

  private static void round(
      IntToDoubleFunction values, Object to, ElementType type, int first, int end) {
    switch (to) {
      case double[] doubles -> {
        for (int i = first; i < end; i++) {
          doubles[i] = values.applyAsDouble(i);
        }
      }
      case float[] floats -> {
        for (int i = first; i < end; i++) {
          floats[i] = (float) values.applyAsDouble(i);
        }
      }
      case short[] halves -> {
        for (int i = first; i < end; i++) {
          halves[i] = (short) type.encode(values.applyAsDouble(i));
        }
      }
      case byte[] bytes -> {
        for (int i = first; i < end; i++) {
          bytes[i] = (byte) type.encode(values.applyAsDouble(i));
        }
      }
      default -> throw new AssertionError(to.getClass());
    }
  }

  private static void wrap(
      IntToLongFunction integers, Object to, ElementType type, int first, int end) {
    switch (to) {
      case long[] longs -> {
        for (int i = first; i < end; i++) {
          longs[i] = integers.applyAsLong(i);
        }
      }
      case int[] ints -> {
        for (int i = first; i < end; i++) {
          ints[i] = (int) integers.applyAsLong(i);
        }
      }
      case short[] shorts -> {
        for (int i = first; i < end; i++) {
          shorts[i] = (short) integers.applyAsLong(i);
        }
      }
      case byte[] bytes -> {
        for (int i = first; i < end; i++) {
          bytes[i] = (byte) type.wrap(integers.applyAsLong(i));
        }
      }
      default -> throw new AssertionError(to.getClass());
    }
  }
}
