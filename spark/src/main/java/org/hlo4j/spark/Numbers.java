package org.hlo4j.spark;

import java.lang.reflect.Array;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.Function;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeArrayData;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;

/** Spark's types of numbers, and how their arrays become Java's and those of literals. */
@SuppressWarnings("ImmutableEnumChecker") // Spark's types and these functions have no state
enum Numbers {
  BOOLEAN(
      DataTypes.BooleanType,
      boolean.class,
      ArrayData::toBooleanArray,
      values -> UnsafeArrayData.fromPrimitiveArray((boolean[]) values)),
  BYTE(
      DataTypes.ByteType,
      byte.class,
      ArrayData::toByteArray,
      values -> UnsafeArrayData.fromPrimitiveArray((byte[]) values)),
  SHORT(
      DataTypes.ShortType,
      short.class,
      ArrayData::toShortArray,
      values -> UnsafeArrayData.fromPrimitiveArray((short[]) values)),
  INT(
      DataTypes.IntegerType,
      int.class,
      ArrayData::toIntArray,
      values -> UnsafeArrayData.fromPrimitiveArray((int[]) values)),
  LONG(
      DataTypes.LongType,
      long.class,
      ArrayData::toLongArray,
      values -> UnsafeArrayData.fromPrimitiveArray((long[]) values)),
  FLOAT(
      DataTypes.FloatType,
      float.class,
      ArrayData::toFloatArray,
      values -> UnsafeArrayData.fromPrimitiveArray((float[]) values)),
  DOUBLE(
      DataTypes.DoubleType,
      double.class,
      ArrayData::toDoubleArray,
      values -> UnsafeArrayData.fromPrimitiveArray((double[]) values));

  private final DataType type;
  private final Class<?> component;
  private final Function<ArrayData, Object> fromSpark;
  private final Function<Object, ArrayData> toSpark;

  Numbers(
      DataType type,
      Class<?> component,
      Function<ArrayData, Object> fromSpark,
      Function<Object, ArrayData> toSpark) {
    this.type = type;
    this.component = component;
    this.fromSpark = fromSpark;
    this.toSpark = toSpark;
  }

  /** Returns the numbers of a type of Spark's. */
  static Optional<Numbers> of(DataType type) {
    return Arrays.stream(values()).filter(numbers -> numbers.type.equals(type)).findFirst();
  }

  /** Returns the narrowest numbers that hold all values of an element type. */
  static Optional<Numbers> of(ElementType type) {
    return switch (type) {
      case PRED -> Optional.of(BOOLEAN);
      case S1, S2, S4, S8, U1, U2, U4 -> Optional.of(BYTE);
      case S16, U8 -> Optional.of(SHORT);
      case S32, U16 -> Optional.of(INT);
      case S64, U32 -> Optional.of(LONG);
      case F64 -> Optional.of(DOUBLE);
      case U64, C64, C128 -> Optional.empty();
      case F4E2M1FN,
          F8E3M4,
          F8E4M3,
          F8E4M3FN,
          F8E4M3B11FNUZ,
          F8E4M3FNUZ,
          F8E5M2,
          F8E5M2FNUZ,
          F8E8M0FNU,
          BF16,
          F16,
          F32 ->
          Optional.of(FLOAT);
    };
  }

  DataType type() {
    return type;
  }

  /** Returns whether elements of a type are made of these: integers are not made of floats. */
  boolean suits(ElementType element) {
    return switch (element.kind()) {
      case PRED -> this == BOOLEAN;
      case SIGNED, UNSIGNED -> element.bits() >= 8 && isIntegral();
      case FLOAT -> element.bits() >= 8 && this != BOOLEAN;
      case COMPLEX -> false;
    };
  }

  boolean isIntegral() {
    return this == BYTE || this == SHORT || this == INT || this == LONG;
  }

  /** Returns Java's array of Spark's, which has no null. */
  Object array(ArrayData values) {
    return fromSpark.apply(values);
  }

  /** Returns Spark's array of Java's. */
  ArrayData arrayData(Object values) {
    return toSpark.apply(values);
  }

  /** Returns an array of Java's. */
  Object newArray(int length) {
    return Array.newInstance(component, length);
  }

  /** Returns an array of the number in a row, which is not null. */
  Object one(InternalRow row, int ordinal) {
    Object one = newArray(1);
    Array.set(one, 0, row.get(ordinal, type));
    return one;
  }

  /** Returns elements of a literal, which is of a type whose numbers these are. */
  Object slice(Literal from, int start, int length) {
    Object into = newArray(length);
    Object storage = from.unsafeStorage();
    if (storage.getClass() == into.getClass()
        && from.elementType().kind() != ElementType.Kind.UNSIGNED) {
      System.arraycopy(storage, start, into, 0, length);
      return into;
    }
    for (int i = 0; i < length; i++) {
      switch (into) {
        case boolean[] to -> to[i] = from.booleanAt(start + i);
        case float[] to -> to[i] = (float) from.doubleAt(start + i);
        case double[] to -> to[i] = from.doubleAt(start + i);
        case byte[] to -> to[i] = (byte) from.longAt(start + i);
        case short[] to -> to[i] = (short) from.longAt(start + i);
        case int[] to -> to[i] = (int) from.longAt(start + i);
        case long[] to -> to[i] = from.longAt(start + i);
        default -> throw new AssertionError(this);
      }
    }
    return into;
  }
}
