package org.hlo4j.spark;

import java.lang.reflect.Array;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.apache.spark.ml.linalg.VectorUDT;
import org.apache.spark.sql.catalyst.expressions.UnsafeArrayData;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;

/** Spark's types of numbers, and the element types whose literals hold them. */
@SuppressWarnings("ImmutableEnumChecker") // Spark's types and these functions have no state
enum Numbers {
  BOOLEAN(DataTypes.BooleanType, ElementType.PRED, Numbers::bytes),
  BYTE(DataTypes.ByteType, ElementType.S8, ArrayData::toByteArray),
  SHORT(DataTypes.ShortType, ElementType.S16, ArrayData::toShortArray),
  INT(DataTypes.IntegerType, ElementType.S32, ArrayData::toIntArray),
  LONG(DataTypes.LongType, ElementType.S64, ArrayData::toLongArray),
  FLOAT(DataTypes.FloatType, ElementType.F32, ArrayData::toFloatArray),
  DOUBLE(DataTypes.DoubleType, ElementType.F64, ArrayData::toDoubleArray);

  private final DataType type;
  private final ElementType element;
  private final Function<ArrayData, Object> storage;

  Numbers(DataType type, ElementType element, Function<ArrayData, Object> storage) {
    this.type = type;
    this.element = element;
    this.storage = storage;
  }

  private static byte[] bytes(ArrayData values) {
    return UnsafeArrayData.fromPrimitiveArray(values.toBooleanArray()).toByteArray();
  }

  /** Returns the numbers of a type of Spark's. */
  static Optional<Numbers> of(DataType type) {
    return Arrays.stream(values()).filter(each -> each.type.equals(type)).findFirst();
  }

  /** Returns the numbers in arrays that end with values of a type of Spark's. */
  static Optional<Numbers> ofLeaf(DataType leaf) {
    return switch (leaf) {
      case VectorUDT _ -> Optional.of(DOUBLE);
      case BinaryType _ -> Optional.of(BYTE);
      default -> of(leaf);
    };
  }

  /** Returns the narrowest numbers that hold all values of an element type. */
  static Optional<Numbers> of(ElementType type) {
    return Arrays.stream(values()).filter(each -> type.isWithin(each.element)).findFirst();
  }

  DataType type() {
    return type;
  }

  ElementType element() {
    return element;
  }

  /** Returns whether elements of a type are made of these: integers are not made of floats. */
  boolean suits(ElementType wanted) {
    return switch (wanted.kind()) {
      case PRED -> this == BOOLEAN;
      case SIGNED, UNSIGNED -> element.isIntegral();
      case FLOAT -> this != BOOLEAN;
      case COMPLEX -> false;
    };
  }

  /** Returns the storage of a literal of Spark's array, which has no null. */
  Object storage(ArrayData values) {
    return storage.apply(values);
  }

  /**
   * Returns literals of these numbers, of one shape, as the rows of another.
   *
   * @param rows the literals
   * @param count how many rows it has; if there are too few, copies of the last one follow
   */
  Literal stacked(List<Literal> rows, int count) {
    Shape.Array row = rows.get(0).arrayShape();
    Shape.Array shape = Shape.of(element, row.sizes().inserted(0, count));
    Object storage = LiteralBuilder.newStorage(shape);
    int length = rows.get(0).elementCount();
    for (int i = 0; i < count; i++) {
      Literal from = rows.get(Math.min(i, rows.size() - 1));
      System.arraycopy(from.unsafeStorage(), 0, storage, i * length, length);
    }
    return Literal.unsafeOf(shape, storage);
  }

  /** Returns Spark's array of elements of a literal of these numbers. */
  ArrayData slice(Literal from, int start, int length) {
    Object into = LiteralBuilder.newStorage(Shape.of(element, length));
    System.arraycopy(from.unsafeStorage(), start, into, 0, length);
    return ArrayData.toArrayData(into); // to Spark, booleans are bytes as well
  }

  /** Returns Spark's number of an element of a literal of these numbers. */
  Object one(Literal from, int position) {
    return this == BOOLEAN ? from.booleanAt(position) : Array.get(from.unsafeStorage(), position);
  }
}
