package org.hlo4j.spark;

import static org.hlo4j.hlo.HloException.require;

import java.io.Serializable;
import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.spark.ml.attribute.AttributeGroup;
import org.apache.spark.ml.linalg.VectorUDT;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructField;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException.Kind;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.jspecify.annotations.Nullable;

/**
 * How a column becomes an argument.
 *
 * @param argument the argument
 * @param column the name of the column
 * @param ordinal where it is in a row
 * @param type its type
 * @param numbers the numbers in it
 * @param isChecked whether a number may not fit the argument
 */
record Feed(
    Argument argument,
    String column,
    int ordinal,
    DataType type,
    Numbers numbers,
    boolean isChecked)
    implements Serializable {

  /** Returns the feed of a column, refused if its type or its known length does not suit. */
  static Feed of(Argument argument, String column, StructField field, int ordinal) {
    DataType type = field.dataType();
    boolean isBinary = leaf(type) instanceof BinaryType;
    int rank = rank(type);
    Optional<Numbers> numbers =
        Numbers.ofLeaf(leaf(type))
            .filter(
                each -> isBinary ? argument.type() == ElementType.U8 : each.suits(argument.type()));
    require(
        numbers.isPresent()
            && (rank == argument.row().rank() || (rank == 1 && argument.isStatic())),
        Kind.ARGUMENT,
        "column %s: got %s, want %s for %s",
        column,
        type.sql(),
        argument.wantedColumn(),
        argument);
    int size = type instanceof VectorUDT ? AttributeGroup.fromStructField(field).size() : -1;
    require(
        size < 0 || !argument.isStatic() || size == argument.elementCount(),
        Kind.ARGUMENT,
        "column %s: got vectors of %s, want %s for %s",
        column,
        size,
        argument.elementCount(),
        argument);
    boolean isChecked =
        argument.type().isIntegral()
            && !isBinary
            && !numbers.orElseThrow().element().isWithin(argument.type());
    return new Feed(argument, column, ordinal, type, numbers.orElseThrow(), isChecked);
  }

  private static DataType leaf(DataType type) {
    return type instanceof ArrayType array ? leaf(array.elementType()) : type;
  }

  private static int rank(DataType type) {
    return switch (type) {
      case ArrayType array -> 1 + rank(array.elementType());
      case VectorUDT _, BinaryType _ -> 1;
      default -> 0;
    };
  }

  /** Returns what a row has for the argument, as the column's numbers. */
  Literal read(InternalRow row) throws InvalidRow {
    Literal given = literal(row.isNullAt(ordinal) ? null : row.get(ordinal, type), type);
    Shape.Array wanted = argument.row();
    boolean isFlat = given.arrayShape().rank() == 1 && argument.isStatic();
    if (isFlat
        ? given.elementCount() != argument.elementCount()
        : !Argument.admits(wanted, given.arrayShape())) {
      throw invalid(text(given.arrayShape()));
    }
    if (isChecked) {
      requireFit(given);
    }
    return isFlat ? given.withShape(wanted.withElementType(numbers.element())) : given;
  }

  private Literal literal(@Nullable Object value, DataType of) throws InvalidRow {
    return switch (of) {
      case Object _ when value == null -> throw invalid("null");
      case ArrayType array -> array((ArrayData) value, array);
      case VectorUDT udt -> flat(udt.deserialize(value).toArray());
      case BinaryType _ -> flat(value);
      default ->
          flat(numbers.storage(new GenericArrayData(new Object[] {value})))
              .withShape(Shape.of(numbers.element()));
    };
  }

  private Literal flat(Object storage) {
    return Literal.unsafeOf(Shape.of(numbers.element(), Array.getLength(storage)), storage);
  }

  private Literal array(ArrayData array, ArrayType of) throws InvalidRow {
    int length = array.numElements();
    for (int i = 0; of.containsNull() && i < length; i++) {
      if (array.isNullAt(i)) {
        throw invalid("null in an array");
      }
    }
    DataType inner = of.elementType();
    if (Numbers.of(inner).isPresent()) {
      return flat(numbers.storage(array));
    }
    List<Literal> parts = new ArrayList<>();
    for (int i = 0; i < length; i++) {
      parts.add(literal(array.get(i, inner), inner));
      if (!parts.get(i).shape().equals(parts.get(0).shape())) {
        String first = text(parts.get(0).arrayShape());
        throw invalid("arrays of " + first + " and of " + text(parts.get(i).arrayShape()));
      }
    }
    return length == 0
        ? Literal.zeros(Shape.of(numbers.element(), new long[rank(of)]))
        : numbers.stacked(parts, length);
  }

  private void requireFit(Literal given) throws InvalidRow {
    ElementType wanted = argument.type();
    for (int i = 0; i < given.elementCount(); i++) {
      long value = given.longAt(i);
      boolean isBelow = value < 0 && wanted.kind() == ElementType.Kind.UNSIGNED;
      if (isBelow || wanted.wrap(value) != value) {
        throw invalid(String.valueOf(value));
      }
    }
  }

  private InvalidRow invalid(String got) {
    return new InvalidRow(
        String.format(
            "column %s: got %s, want %s for %s", column, got, argument.wantedValue(), argument));
  }

  private static String text(Shape.Array given) {
    return switch (given.rank()) {
      case 0 -> "a number";
      case 1 -> given.size(0) + " numbers";
      default -> "arrays of sizes " + Argument.sizes(given);
    };
  }
}
