package org.hlo4j.stablehlo.dialect;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.stream.LongStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.DenseElements;
import org.hlo4j.stablehlo.mlir.Type;
import org.hlo4j.stablehlo.mlir.Types;

/** Factory methods of attributes for values of HLO. */
public final class AttributeFactory {
  private AttributeFactory() {}

  /**
   * {@return a flat list of integers}
   *
   * @param numbers the integers
   */
  public static Attribute ints(Dims numbers) {
    return Attribute.DenseArray.i64(list(numbers));
  }

  /**
   * {@return integers as a list}
   *
   * @param numbers the integers
   */
  public static ImmutableList<Long> list(Dims numbers) {
    return numbers.stream().boxed().collect(toImmutableList());
  }

  /**
   * {@return a list of attributes}
   *
   * @param elements the attributes
   */
  public static Attribute.Array array(List<? extends Attribute> elements) {
    return new Attribute.Array(ImmutableList.copyOf(elements));
  }

  /**
   * {@return a constant, a splat if all elements are equal}
   *
   * @param literal its elements
   */
  public static Attribute.Dense dense(Literal literal) {
    boolean splat = literal.arrayShape().rank() > 0 && DenseElements.isUniform(literal);
    Type element = Types.of(literal.elementType());
    return new Attribute.Dense(
        Type.Tensor.of(element, list(literal.arrayShape().sizes())),
        splat,
        () -> splat ? literal.taken(Shape.of(literal.elementType()), i -> 0) : literal);
  }

  /**
   * {@return the constant of a type that has no elements}
   *
   * @param type the type
   */
  public static Attribute.Dense empty(Type.Tensor type) {
    ElementType element = Types.elementType(type.element()).orElseThrow();
    return dense(Literal.zeros(Shape.of(element, Dims.copyOf(type.sizes()))));
  }

  /**
   * {@return a vector of integers}
   *
   * @param numbers the integers
   */
  public static Attribute.Dense vector(Dims numbers) {
    return dense(integers(numbers.stream(), numbers.count()));
  }

  /**
   * {@return a vector of indices, such as a layout}
   *
   * @param numbers the indices
   */
  public static Attribute.Dense indices(Dims numbers) {
    Literal elements = integers(numbers.stream(), numbers.count());
    return new Attribute.Dense(
        Type.Tensor.of(Type.Simple.INDEX, List.of((long) numbers.count())), false, () -> elements);
  }

  /**
   * {@return a matrix of integers; shorter rows are padded with -1}
   *
   * @param rows its rows
   */
  public static Attribute.Dense rows(List<Dims> rows) {
    int width = rows.stream().mapToInt(Dims::count).max().orElse(0);
    return dense(
        integers(
            rows.stream()
                .map(row -> row.concat(Dims.filled(width - row.count(), -1)))
                .flatMapToLong(Dims::stream),
            rows.size(),
            width));
  }

  /**
   * {@return pairs as a matrix, which has two columns even without rows}
   *
   * @param numbers the numbers, pair by pair
   */
  public static Attribute.Dense pairs(Dims numbers) {
    return dense(integers(numbers.stream(), numbers.count() / 2, 2));
  }

  private static Literal integers(LongStream numbers, long... sizes) {
    return Literal.of(Shape.of(ElementType.S64, sizes), numbers.toArray());
  }
}
