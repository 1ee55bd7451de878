package org.hlo4j.spark;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import java.io.Serializable;
import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.spark.ml.attribute.AttributeGroup;
import org.apache.spark.ml.linalg.Vector;
import org.apache.spark.ml.linalg.VectorUDT;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException.Kind;

/**
 * How a column becomes an argument.
 *
 * @param argument the argument
 * @param column the name of the column
 * @param ordinal where it is in a row
 * @param type its type
 * @param numbers the numbers in it
 */
record Feed(Argument argument, String column, int ordinal, DataType type, Numbers numbers)
    implements Serializable {

  /**
   * What a row has for an argument.
   *
   * @param sizes of the row's part of the argument
   * @param elements an array of Java's
   */
  record Value(ImmutableList<Long> sizes, Object elements) {}

  /** Returns the feed of a column, refused if its type or its known length does not suit. */
  static Feed of(Argument argument, String column, StructField field, int ordinal) {
    DataType type = field.dataType();
    DataType leaf = leaf(type);
    boolean isBytes = type.equals(DataTypes.BinaryType);
    Optional<Numbers> numbers =
        isBytes
            ? Optional.of(Numbers.BYTE).filter(_ -> argument.type() == ElementType.U8)
            : Numbers.of(leaf).filter(each -> each.suits(argument.type()));
    int depth = depth(type);
    require(
        numbers.isPresent()
            && (depth == argument.sizes().size() || (depth == 1 && argument.isStatic())),
        Kind.ARGUMENT,
        "column %s: got %s, want %s for %s",
        column,
        type.sql(),
        argument.wantedColumn(),
        argument);
    if (type instanceof VectorUDT) {
      int size = AttributeGroup.fromStructField(field).size();
      require(
          size < 0 || !argument.isStatic() || size == argument.elementCount(),
          Kind.ARGUMENT,
          "column %s: got vectors of %s, want %s for %s",
          column,
          size,
          argument.elementCount(),
          argument);
    }
    return new Feed(argument, column, ordinal, type, numbers.orElseThrow());
  }

  private static DataType leaf(DataType type) {
    return switch (type) {
      case ArrayType array -> leaf(array.elementType());
      case VectorUDT _ -> DataTypes.DoubleType;
      default -> type;
    };
  }

  private static int depth(DataType type) {
    return switch (type) {
      case ArrayType array -> 1 + depth(array.elementType());
      case VectorUDT _ -> 1;
      default -> type.equals(DataTypes.BinaryType) ? 1 : 0;
    };
  }

  /** Returns what a row has for the argument. */
  Value read(InternalRow row) throws InvalidRow {
    if (row.isNullAt(ordinal)) {
      throw invalid("null");
    }
    List<Long> sizes = new ArrayList<>();
    Object elements =
        switch (type) {
          case ArrayType array -> elements(row.getArray(ordinal), array, 0, sizes);
          case VectorUDT udt -> vector(udt.deserialize(row.getStruct(ordinal, 4)), sizes);
          default -> one(row, sizes);
        };
    boolean isFlat = sizes.size() == 1 && argument.isStatic();
    if (isFlat ? sizes.get(0) != argument.elementCount() : !argument.admits(sizes)) {
      throw invalid(text(sizes));
    }
    if (numbers.isIntegral() && argument.type().isIntegral() && !isBytes()) {
      int misfit = Elements.misfit(elements, argument.type());
      if (misfit >= 0) {
        throw invalid(String.valueOf(Array.get(elements, misfit)));
      }
    }
    return new Value(isFlat ? argument.sizes() : ImmutableList.copyOf(sizes), elements);
  }

  private boolean isBytes() {
    return type.equals(DataTypes.BinaryType);
  }

  private Object one(InternalRow row, List<Long> sizes) {
    if (!isBytes()) {
      return numbers.one(row, ordinal);
    }
    byte[] bytes = row.getBinary(ordinal);
    sizes.add((long) bytes.length);
    return bytes;
  }

  private static Object vector(Vector vector, List<Long> sizes) {
    sizes.add((long) vector.size());
    return vector.toArray();
  }

  /** Reads an array, and the arrays in it one after the other; their sizes are the same. */
  private Object elements(ArrayData array, ArrayType type, int depth, List<Long> sizes)
      throws InvalidRow {
    int length = array.numElements();
    if (sizes.size() == depth) {
      sizes.add((long) length);
    } else if (sizes.get(depth) != length) {
      throw invalid("arrays of " + sizes.get(depth) + " and of " + length);
    }
    requireNoNull(array, type);
    if (!(type.elementType() instanceof ArrayType inner)) {
      return numbers.array(array);
    }
    List<Object> parts = new ArrayList<>();
    for (int i = 0; i < length; i++) {
      parts.add(elements(array.getArray(i), inner, depth + 1, sizes));
    }
    for (int i = depth + 1; length == 0 && i < argument.sizes().size(); i++) {
      sizes.add(Math.max(0, argument.sizes().get(i)));
    }
    return joined(parts);
  }

  private void requireNoNull(ArrayData array, ArrayType type) throws InvalidRow {
    for (int i = 0; type.containsNull() && i < array.numElements(); i++) {
      if (array.isNullAt(i)) {
        throw invalid("null in an array");
      }
    }
  }

  private Object joined(List<Object> parts) {
    int total = parts.stream().mapToInt(Array::getLength).sum();
    Object all = numbers.newArray(total);
    int next = 0;
    for (Object part : parts) {
      System.arraycopy(part, 0, all, next, Array.getLength(part));
      next += Array.getLength(part);
    }
    return all;
  }

  private InvalidRow invalid(String got) {
    return new InvalidRow(
        "column "
            + column
            + ": got "
            + got
            + ", want "
            + argument.wantedValue()
            + " for "
            + argument);
  }

  private static String text(List<Long> sizes) {
    return switch (sizes.size()) {
      case 0 -> "a number";
      case 1 -> sizes.get(0) + " numbers";
      default -> "arrays of sizes " + sizes;
    };
  }
}
