package org.hlo4j.interpreter.compiled.lanes;

import com.google.common.collect.ImmutableList;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;

/** The value of an instruction in local variables. */
sealed interface Item {
  /** What is no tuple. */
  sealed interface Leaf extends Item {}

  /** The one element of a scalar, or of an array with no other. */
  record Scalar(ElementType type, Value value) implements Leaf {}

  /**
   * An array in memory, as it was at one time: it is overwritten in place.
   *
   * @param shape its shape
   * @param local the local variable that holds the primitive array, which tells it from others
   * @param version which of its states, see {@link ScalarArrays}
   */
  record Cells(Shape.Array shape, int local, int version) implements Leaf {}

  /** A tuple. */
  record Group(ImmutableList<Item> items) implements Item {}

  /** The leaves, from left to right. */
  default Stream<Leaf> leaves() {
    return switch (this) {
      case Leaf leaf -> Stream.of(leaf);
      case Group group -> group.items().stream().flatMap(Item::leaves);
    };
  }

  /** The same with other leaves. */
  default Item map(UnaryOperator<Scalar> scalars, UnaryOperator<Cells> cells) {
    return switch (this) {
      case Scalar scalar -> scalars.apply(scalar);
      case Cells array -> cells.apply(array);
      case Group group ->
          new Group(
              group.items().stream()
                  .map(item -> item.map(scalars, cells))
                  .collect(ImmutableList.toImmutableList()));
    };
  }

  /** This as a scalar; refused if it is anything else. */
  default Scalar scalar() {
    if (this instanceof Scalar scalar) {
      return scalar;
    }
    throw new UnsupportedOperationException("no scalar: " + this);
  }

  /** The arrays of a shape, from left to right; refused if there is one without lanes in it. */
  static Stream<Shape.Array> arrays(Shape shape) {
    return switch (shape) {
      case Shape.Array array when !array.elementType().isComplex() && !array.isDynamic() ->
          Stream.of(array);
      case Shape.Tuple tuple -> tuple.elements().stream().flatMap(Item::arrays);
      case Shape.Array _, Shape.Token _, Shape.Opaque _ ->
          throw new UnsupportedOperationException("no array of real numbers: " + shape);
    };
  }

  /** Whether an array has one element only. */
  static boolean isScalar(Shape.Array array) {
    return array.elementCount() == 1;
  }
}
