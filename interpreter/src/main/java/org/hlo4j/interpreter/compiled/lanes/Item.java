package org.hlo4j.interpreter.compiled.lanes;

import com.google.common.collect.ImmutableList;
import java.util.stream.Stream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;

/** The value of an instruction in local variables: a scalar, or the items of a tuple. */
sealed interface Item {
  /** A scalar of a type. */
  record Scalar(ElementType type, Value value) implements Item {}

  /** A tuple. */
  record Group(ImmutableList<Item> items) implements Item {}

  /** The scalars, from left to right. */
  default Stream<Scalar> scalars() {
    return switch (this) {
      case Scalar scalar -> Stream.of(scalar);
      case Group group -> group.items().stream().flatMap(Item::scalars);
    };
  }

  /** The scalars of a shape, from left to right; refused if there is anything else in it. */
  static Stream<Shape.Array> scalars(Shape shape) {
    return switch (shape) {
      case Shape.Array array when array.isScalar() && !array.elementType().isComplex() ->
          Stream.of(array);
      case Shape.Tuple tuple -> tuple.elements().stream().flatMap(Item::scalars);
      case Shape.Array _, Shape.Token _, Shape.Opaque _ ->
          throw new UnsupportedOperationException("no scalar: " + shape);
    };
  }

  /**
   * Checks that a shape is one of scalars.
   *
   * @throws UnsupportedOperationException if there is anything else in it
   */
  static void requireScalars(Shape shape) {
    scalars(shape).forEach(scalar -> {});
  }
}
