package org.hlo4j.stablehlo.dialect;

import com.google.common.collect.Lists;
import com.google.common.primitives.Longs;
import java.util.ArrayList;
import java.util.List;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Type;
import org.hlo4j.stablehlo.mlir.Types;

/** Matrices of 64-bit integers as attributes. */
public final class Matrices {
  private Matrices() {}

  /**
   * Returns a matrix as an attribute.
   *
   * @param values the integers, row by row
   * @param rows how many rows
   * @param width how many integers a row has
   * @return the attribute
   */
  public static Attribute.Dense of(List<Long> values, long rows, long width) {
    Type.Tensor type = Type.Tensor.of(Types.I64, List.of(rows, width));
    if (values.size() > 1 && values.stream().distinct().count() == 1) {
      Literal one = Literal.of((long) values.get(0));
      return new Attribute.Dense(type, true, () -> one);
    }
    return listed(type, values);
  }

  /**
   * Returns pairs as an attribute, which has two columns even without rows.
   *
   * @param values the integers, pair by pair
   * @return the attribute
   */
  public static Attribute.Dense ofPairs(List<Long> values) {
    return of(values, values.size() / 2, 2);
  }

  /**
   * Returns a matrix as an attribute; shorter rows are padded with -1.
   *
   * @param rows its rows
   * @return the attribute
   */
  public static Attribute.Dense ofRows(List<Dims> rows) {
    int width = rows.stream().mapToInt(Dims::count).max().orElse(0);
    List<Long> values = new ArrayList<>();
    for (Dims row : rows) {
      row.concat(Dims.filled(width - row.count(), -1)).stream().forEach(values::add);
    }
    return of(values, rows.size(), width);
  }

  /** Returns a vector as an attribute; equal numbers are a splat. */
  static Attribute.Dense ofVector(Dims numbers) {
    List<Long> values = numbers.stream().boxed().toList();
    Type.Tensor type = Type.Tensor.of(Types.I64, List.of((long) values.size()));
    if (!values.isEmpty() && values.stream().distinct().count() == 1) {
      Literal one = Literal.of((long) values.get(0));
      return new Attribute.Dense(type, true, () -> one);
    }
    return listed(type, values);
  }

  /** Returns pairs, each a row. */
  static Attribute.Dense pairs(List<Dims> pairs) {
    return ofPairs(pairs.stream().flatMap(pair -> pair.stream().boxed()).toList());
  }

  /** Returns a vector of indices as an attribute. */
  static Attribute.Dense ofIndices(List<Long> values) {
    return listed(Type.Tensor.of(Type.Simple.INDEX, List.of((long) values.size())), values);
  }

  private static Attribute.Dense listed(Type.Tensor type, List<Long> values) {
    Shape shape = Shape.of(ElementType.S64, Longs.toArray(type.sizes()));
    Literal all = Literal.of(shape, Longs.toArray(values));
    return new Attribute.Dense(type, false, () -> all);
  }

  static String print(Attribute.Dense dense) {
    int width = (int) (long) dense.type().sizes().get(1);
    return Lists.partition(AttributeDefinition.flat(dense), Math.max(width, 1)).toString();
  }
}
