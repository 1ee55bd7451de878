package org.hlo4j.interpreter.compiled.whileloop;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.interpreter.compiled.arrays.Storages;
import org.hlo4j.interpreter.compiled.codegen.NoCodeException;
import org.hlo4j.interpreter.compiled.codegen.Value;

/** The value of an instruction in generated code. */
sealed interface Operand {
  /** A value that is not a tuple. */
  sealed interface Leaf extends Operand {
    /** Returns the local variables of the arrays in memory that the value is read from. */
    default ImmutableSet<Integer> reads() {
      return ImmutableSet.of();
    }
  }

  /** The value of a scalar, or of an array with a single element. */
  record Scalar(ElementType type, Value value) implements Leaf {}

  /** A small array whose elements are in local variables, in row-major order. */
  record InLocals(Shape.Array shape, ImmutableList<Value> values) implements Leaf {}

  /**
   * A version of an array in memory, which is overwritten in place.
   *
   * @param shape its shape
   * @param local the local variable that holds the primitive array, and identifies it
   * @param version the version of its contents, see {@link ScalarArrays}
   */
  record InMemory(Shape.Array shape, int local, int version) implements Leaf {
    @Override
    public ImmutableSet<Integer> reads() {
      return ImmutableSet.of(local);
    }

    /** Returns whether a value is a version of the same array in memory. */
    boolean sharesBufferWith(Leaf leaf) {
      return leaf instanceof InMemory buffer && buffer.local == local;
    }
  }

  /**
   * An array that is not stored: each element is computed where it is read.
   *
   * @param shape its shape
   * @param cost about how many operations an element takes
   * @param reads the local variables of the arrays in memory that it is computed from
   * @param formula writes the code of an element
   */
  record Deferred(Shape.Array shape, int cost, ImmutableSet<Integer> reads, Formula formula)
      implements Leaf {}

  /** The code writer of an element of a deferred array. */
  interface Formula {
    /** Returns the element at an index, which has an {@code int} for each dimension. */
    Value at(ImmutableList<Value> index);
  }

  /** A tuple. */
  record Tuple(ImmutableList<Operand> items) implements Operand {}

  /** Returns the leaves, from left to right. */
  default Stream<Leaf> leaves() {
    return switch (this) {
      case Leaf leaf -> Stream.of(leaf);
      case Tuple tuple -> tuple.items().stream().flatMap(Operand::leaves);
    };
  }

  /** Returns the same value with its leaves replaced. */
  default Operand map(UnaryOperator<Leaf> leaves) {
    return switch (this) {
      case Leaf leaf -> leaves.apply(leaf);
      case Tuple tuple ->
          new Tuple(
              tuple.items().stream()
                  .map(item -> item.map(leaves))
                  .collect(ImmutableList.toImmutableList()));
    };
  }

  /** Returns this value as a leaf. Throws {@link NoCodeException} if it is a tuple. */
  default Leaf leaf() {
    if (this instanceof Leaf leaf) {
      return leaf;
    }
    throw new NoCodeException("no array: " + this);
  }

  /** Returns this value as a scalar. Throws {@link NoCodeException} if it is anything else. */
  default Scalar scalar() {
    if (this instanceof Scalar scalar) {
      return scalar;
    }
    throw new NoCodeException("no scalar: " + this);
  }

  /** Returns an array whose elements are local variables: a {@link Scalar} if there is only one. */
  static Leaf inLocals(Shape.Array shape, ImmutableList<Value> values) {
    return isScalar(shape)
        ? new Scalar(shape.elementType(), values.get(0))
        : new InLocals(shape, values);
  }

  /**
   * Returns the shapes of the operands of an instruction. Throws {@link NoCodeException} like
   * {@link #array}.
   */
  static ImmutableList<Shape.Array> operandShapes(HloInstruction instruction) {
    return instruction.operands().stream()
        .map(operand -> array(operand.shape()))
        .collect(ImmutableList.toImmutableList());
  }

  /**
   * Returns the arrays of a shape, from left to right. Throws {@link NoCodeException} if there is
   * anything in it whose elements do not fit in lanes, such as complex or dynamic arrays.
   */
  static Stream<Shape.Array> arrays(Shape shape) {
    return switch (shape) {
      case Shape.Array array when !array.elementType().isComplex() && Storages.canHold(array) ->
          Stream.of(array);
      case Shape.Tuple tuple -> tuple.elements().stream().flatMap(Operand::arrays);
      case Shape.Array _, Shape.Buffer _, Shape.Token _, Shape.Opaque _ ->
          throw new NoCodeException("no array of real numbers: " + shape);
    };
  }

  /**
   * Returns a shape as the one array that it is. Throws {@link NoCodeException} like {@link
   * #arrays}, and if the shape is a tuple.
   */
  static Shape.Array array(Shape shape) {
    if (shape instanceof Shape.Array) {
      return arrays(shape).findFirst().orElseThrow();
    }
    throw new NoCodeException("no array: " + shape);
  }

  /** Returns whether an array has exactly one element. */
  static boolean isScalar(Shape.Array array) {
    return array.elementCount() == 1;
  }
}
