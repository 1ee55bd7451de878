package org.hlo4j.stablehlo.exporter;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.hlo4j.hlo.HloException.Kind.UNSUPPORTED;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Layout;
import org.hlo4j.hlo.Shape;
import org.hlo4j.stablehlo.dialect.StructTable;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Type;
import org.hlo4j.stablehlo.mlir.Types;

/**
 * The conversion of HLO shapes to StableHLO types. A tuple is flattened to its leaves, in order.
 */
final class ShapeTypes {
  private ShapeTypes() {}

  /** Returns the type of a value; a tuple stays a tuple. */
  static Type of(Shape shape) {
    return switch (shape) {
      case Shape.Array array -> tensor(array);
      case Shape.Tuple tuple ->
          new Type.Tuple(tuple.elements().stream().map(ShapeTypes::of).collect(toImmutableList()));
      case Shape.Buffer buffer ->
          new Type.MemRef(tensor(buffer.array()).sizes(), Types.of(buffer.array().elementType()));
      case Shape.Token _ -> Type.TOKEN;
      case Shape.Opaque opaque ->
          throw new HloException(UNSUPPORTED, "shape got %s, which has no type", opaque);
    };
  }

  /** Returns the type of an array; bounds of dynamic sizes become its encoding. */
  static Type.Tensor tensor(Shape.Array array) {
    ImmutableList<Long> sizes =
        IntStream.range(0, array.rank())
            .mapToObj(d -> array.isDynamic(d) ? Type.DYNAMIC : array.size(d))
            .collect(toImmutableList());
    ImmutableList<Long> bounds =
        IntStream.range(0, array.rank())
            .mapToObj(d -> array.isDynamic(d) ? array.size(d) : Type.DYNAMIC)
            .collect(toImmutableList());
    boolean bounded = bounds.stream().anyMatch(bound -> bound != Type.DYNAMIC);
    Attribute encoding =
        StructTable.struct("bounds", Map.of("bounds", Attribute.DenseArray.i64(bounds)));
    return new Type.Tensor(
        sizes, Types.of(array.elementType()), bounded ? Optional.of(encoding) : Optional.empty());
  }

  /** Returns the layout of an array, row-major if it has none; other values have no dimensions. */
  static Layout layout(Shape shape) {
    return switch (shape) {
      case Shape.Array array -> array.layout().orElse(Layout.rowMajor(array.rank()));
      case Shape.Buffer buffer -> layout(buffer.array());
      case Shape.Token _, Shape.Opaque _, Shape.Tuple _ -> Layout.rowMajor(0);
    };
  }

  /** Returns whether the last dimension of an array varies fastest. */
  static boolean isRowMajor(Shape shape) {
    Dims order = layout(shape).minorToMajor();
    return order.equals(Layout.rowMajor(order.count()).minorToMajor());
  }

  /** Returns the refusal of a shape with elements of a type that StableHLO lacks, s1 or u1. */
  static Optional<HloException> missing(Shape shape) {
    return switch (shape) {
      case Shape.Array array ->
          array.elementType().isIntegral() && array.elementType().bits() == 1
              ? Optional.of(OpExport.unsupported("of " + array.elementType()))
              : Optional.empty();
      case Shape.Tuple tuple ->
          tuple.elements().stream().flatMap(each -> missing(each).stream()).findFirst();
      case Shape.Buffer buffer -> missing(buffer.array());
      case Shape.Token _, Shape.Opaque _ -> Optional.empty();
    };
  }

  /** Returns the types of the leaves. */
  static ImmutableList<Type> leaves(Shape shape) {
    return shape instanceof Shape.Tuple tuple
        ? tuple.elements().stream()
            .flatMap(element -> leaves(element).stream())
            .collect(toImmutableList())
        : ImmutableList.of(of(shape));
  }

  /** Returns how many leaves are before each of some values, and at the end how many there are. */
  static int[] starts(List<Shape> shapes) {
    int[] starts = new int[shapes.size() + 1];
    for (int i = 0; i < shapes.size(); i++) {
      starts[i + 1] = starts[i] + count(shapes.get(i));
    }
    return starts;
  }

  /** Returns the number of leaves. */
  static int count(Shape shape) {
    return shape instanceof Shape.Tuple tuple ? tuple.leafCount() : 1;
  }
}
