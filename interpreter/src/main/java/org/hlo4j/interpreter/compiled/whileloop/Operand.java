package org.hlo4j.interpreter.compiled.whileloop;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.interpreter.compiled.codegen.NoCodeException;
import org.hlo4j.interpreter.compiled.codegen.Value;

/** The value of an instruction in generated code. */
sealed interface Operand {
  /** What is no tuple. */
  sealed interface Leaf extends Operand {
    /** The local variables of the arrays in memory that it is read from. */
    default ImmutableSet<Integer> reads() {
      return ImmutableSet.of();
    }
  }

  /** The one element of a scalar, or of an array with no other. */
  record Scalar(ElementType type, Value value) implements Leaf {}

  /** A small array, each element in a local variable, in row-major order. */
  record InLocals(Shape.Array shape, ImmutableList<Value> values) implements Leaf {}

  /**
   * An array in memory, as it was at one time: it is overwritten in place.
   *
   * @param shape its shape
   * @param local the local variable that holds the primitive array, which tells it from others
   * @param version which of its states, see {@link ScalarArrays}
   */
  record InMemory(Shape.Array shape, int local, int version) implements Leaf {
    @Override
    public ImmutableSet<Integer> reads() {
      return ImmutableSet.of(local);
    }

    /** Whether an array lies in the same place. */
    boolean isPlaceOf(Leaf leaf) {
      return leaf instanceof InMemory cells && cells.local == local;
    }
  }

  /**
   * An array that lies nowhere: each element is computed where it is wanted.
   *
   * @param shape its shape
   * @param cost about how many operations an element takes
   * @param reads the local variables of the arrays in memory that it is computed from
   * @param formula writes the code of an element
   */
  record Deferred(Shape.Array shape, int cost, ImmutableSet<Integer> reads, Formula formula)
      implements Leaf {}

  /** Writes the code of an element of an array. */
  interface Formula {
    /** The element at an index: a number for each dimension, of {@code int}. */
    Value at(ImmutableList<Value> index);
  }

  /** A tuple. */
  record Group(ImmutableList<Operand> items) implements Operand {}

  /** The leaves, from left to right. */
  default Stream<Leaf> leaves() {
    return switch (this) {
      case Leaf leaf -> Stream.of(leaf);
      case Group group -> group.items().stream().flatMap(Operand::leaves);
    };
  }

  /** The same with other leaves. */
  default Operand map(UnaryOperator<Leaf> leaves) {
    return switch (this) {
      case Leaf leaf -> leaves.apply(leaf);
      case Group group ->
          new Group(
              group.items().stream()
                  .map(item -> item.map(leaves))
                  .collect(ImmutableList.toImmutableList()));
    };
  }

  /** This as what is no tuple; refused if it is one. */
  default Leaf leaf() {
    if (this instanceof Leaf leaf) {
      return leaf;
    }
    throw new NoCodeException("no array: " + this);
  }

  /** This as a scalar; refused if it is anything else. */
  default Scalar scalar() {
    if (this instanceof Scalar scalar) {
      return scalar;
    }
    throw new NoCodeException("no scalar: " + this);
  }

  /** An array whose elements are local variables: a scalar if there is but one. */
  static Leaf inLocals(Shape.Array shape, ImmutableList<Value> values) {
    return isScalar(shape)
        ? new Scalar(shape.elementType(), values.get(0))
        : new InLocals(shape, values);
  }

  /** The shapes of what an instruction takes; refused as below. */
  static ImmutableList<Shape.Array> operandShapes(HloInstruction instruction) {
    return instruction.operands().stream()
        .map(operand -> array(operand.shape()))
        .collect(ImmutableList.toImmutableList());
  }

  /** The arrays of a shape, from left to right; refused if there is one without lanes in it. */
  static Stream<Shape.Array> arrays(Shape shape) {
    return switch (shape) {
      case Shape.Array array when !array.elementType().isComplex() && !array.isDynamic() ->
          Stream.of(array);
      case Shape.Tuple tuple -> tuple.elements().stream().flatMap(Operand::arrays);
      case Shape.Array _, Shape.Buffer _, Shape.Token _, Shape.Opaque _ ->
          throw new NoCodeException("no array of real numbers: " + shape);
    };
  }

  /** The one array of a shape; refused as above. */
  static Shape.Array array(Shape shape) {
    if (shape instanceof Shape.Array) {
      return arrays(shape).findFirst().orElseThrow();
    }
    throw new NoCodeException("no array: " + shape);
  }

  /** Whether an array has one element only. */
  static boolean isScalar(Shape.Array array) {
    return array.elementCount() == 1;
  }
}
