package org.hlo4j.spark;

import static org.hlo4j.hlo.HloException.require;

import java.io.Serializable;
import java.lang.reflect.Array;
import java.util.Optional;
import org.apache.spark.ml.linalg.SQLDataTypes;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.hlo4j.hlo.HloException.Kind;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;

/**
 * How a result becomes a column.
 *
 * @param result the result
 * @param column the name of the column
 * @param numbers the numbers in it
 * @param isVector whether they are in vectors of {@code ml.linalg}
 */
record Fetch(Argument result, String column, Numbers numbers, boolean isVector)
    implements Serializable {
  private static final byte DENSE = 1;

  static Fetch of(Argument result, String column, boolean isVector) {
    Optional<Numbers> numbers = Numbers.of(result.type());
    require(
        numbers.isPresent(),
        Kind.UNSUPPORTED,
        "fetch: column %s: got %s, want a type that Spark has",
        column,
        result);
    require(
        !isVector || (result.type().isFloating() && result.sizes().size() == 1),
        Kind.ARGUMENT,
        "vectors: column %s: got %s, want floats with one size after the first",
        column,
        result);
    return new Fetch(result, column, isVector ? Numbers.DOUBLE : numbers.orElseThrow(), isVector);
  }

  /** Returns the type of the column. */
  DataType type() {
    if (isVector) {
      return SQLDataTypes.VectorType();
    }
    DataType type = numbers.type();
    for (int i = 0; i < result.sizes().size(); i++) {
      type = DataTypes.createArrayType(type, false);
    }
    return type;
  }

  /** Returns the value of a row. */
  Object value(Literal all, int row) {
    Shape.Array shape = all.arrayShape();
    int length = 1;
    for (int i = 1; i < shape.rank(); i++) {
      length *= (int) shape.size(i);
    }
    if (isVector) {
      Object values = numbers.arrayData(numbers.slice(all, row * length, length));
      return new GenericInternalRow(new Object[] {DENSE, null, null, values});
    }
    return value(all, row * length, length, 1);
  }

  private Object value(Literal all, int start, int length, int dimension) {
    Shape.Array shape = all.arrayShape();
    if (dimension == shape.rank()) {
      return Array.get(numbers.slice(all, start, 1), 0);
    }
    if (dimension == shape.rank() - 1) {
      return numbers.arrayData(numbers.slice(all, start, length));
    }
    Object[] parts = new Object[(int) shape.size(dimension)];
    for (int i = 0; i < parts.length; i++) {
      int part = length / parts.length;
      parts[i] = value(all, start + i * part, part, dimension + 1);
    }
    return new GenericArrayData(parts);
  }
}
