package org.hlo4j.spark;

import static org.hlo4j.hlo.HloException.require;

import java.io.Serializable;
import java.util.Optional;
import java.util.stream.IntStream;
import org.apache.spark.ml.linalg.SQLDataTypes;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.hlo4j.hlo.HloException.Kind;
import org.hlo4j.hlo.Literal;

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
        !isVector || (result.type().isFloating() && result.row().rank() == 1),
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
    for (int i = 0; i < result.row().rank(); i++) {
      type = DataTypes.createArrayType(type, false);
    }
    return type;
  }

  /** Returns the result of a batch as a literal of the column's numbers. */
  Literal converted(Literal given) {
    return given.convertElementType(numbers.element());
  }

  /** Returns the value of a row of a literal that was {@link #converted}. */
  Object value(Literal batch, int row) {
    Object value = part(batch, 1, row);
    return isVector ? new GenericInternalRow(new Object[] {DENSE, null, null, value}) : value;
  }

  /** Returns the part of a literal that has an index in the dimensions before one. */
  private Object part(Literal batch, int dimension, int index) {
    int rank = batch.arrayShape().rank();
    if (dimension == rank) {
      return numbers.one(batch, index);
    }
    int size = (int) batch.arrayShape().size(dimension);
    int start = index * size;
    return dimension == rank - 1
        ? numbers.slice(batch, start, size)
        : new GenericArrayData(
            IntStream.range(start, start + size)
                .mapToObj(i -> part(batch, dimension + 1, i))
                .toArray());
  }
}
