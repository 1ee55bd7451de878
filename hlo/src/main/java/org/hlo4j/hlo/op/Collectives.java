package org.hlo4j.hlo.op;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;

/** Shape rules that the collectives share. */
final class Collectives {
  private Collectives() {}

  /** Returns the result of one operand, or the tuple of the results of several. */
  static Shape joined(ImmutableList<Shape> results) {
    return results.size() == 1 ? results.get(0) : new Shape.Tuple(results);
  }

  /** Returns the result of a collective whose results have the shapes of its operands. */
  static Shape ofOperands(Operands in) {
    return joined(in.shapes().stream().map(Shape::withoutLayout).collect(toImmutableList()));
  }

  /** Returns the results of the declared shape: itself, or the elements of a tuple. */
  static ImmutableList<Shape> parts(Shape shape, int operands) {
    ImmutableList<Shape> parts =
        shape instanceof Shape.Tuple tuple && operands != 1
            ? tuple.elements()
            : ImmutableList.of(shape);
    require(
        parts.size() == operands,
        "",
        "result got %s, want one for each of %s operands",
        shape,
        operands);
    return parts;
  }

  /** Operands, results and u32 contexts of a collective under way. */
  static ImmutableList<Shape> started(Shape shape, String role) {
    Shape context = Shape.of(ElementType.U32);
    require(
        shape instanceof Shape.Tuple tuple
            && tuple.elements().size() >= 2
            && tuple.elements().stream().skip(2).allMatch(context::compatible),
        "",
        "%s got %s, want (operands, results, contexts of u32[])",
        role,
        shape);
    return ((Shape.Tuple) shape).elements();
  }

  /** Checks the declared shape of the start of a collective. */
  static void checkStarted(Shape shape, Shape operands, Shape result) {
    ImmutableList<Shape> parts = started(shape, "shape");
    requirePart(0, parts.get(0), operands);
    requirePart(1, parts.get(1), result);
  }

  private static void requirePart(int index, Shape got, Shape want) {
    require(
        got.compatible(want),
        "",
        "element %s of the result got %s, want %s",
        index,
        got.withoutLayout(),
        want.withoutLayout());
  }

  /** Returns the one dimension an op works along. */
  static int onlyDimension(Dims dimensions, Shape.Array operand, String label) {
    DimensionList.requireOne(label, dimensions, operand);
    return dimensions.getInt(0);
  }

  /**
   * Checks that one shape has as many parts along a dimension as a group has members, and equals a
   * part in all others; sizes that are not known may be any.
   */
  static void checkParts(
      ReplicaGroups groups,
      Shape.Array part,
      Shape whole,
      int dimension,
      String label,
      GroupMode mode) {
    boolean areAlike =
        whole instanceof Shape.Array array
            && array.elementType() == part.elementType()
            && array.rank() == part.rank()
            && IntStream.range(0, part.rank())
                .allMatch(i -> i == dimension || mayBeEqual(array, part, i));
    boolean isKnown =
        areAlike && !part.isUnbounded(dimension) && !((Shape.Array) whole).isUnbounded(dimension);
    long of = isKnown ? ((Shape.Array) whole).size(dimension) : 0;
    long size = isKnown ? part.size(dimension) : 0;
    require(
        areAlike && (size == 0 ? of == 0 : of % size == 0 && of > 0),
        label,
        "got %s and %s, want shapes that differ by a factor along dimension %s",
        part,
        whole,
        dimension);
    if (size > 0) {
      groups.requireShards(label, of / size, mode);
    }
  }

  private static boolean mayBeEqual(Shape.Array one, Shape.Array other, int dimension) {
    return one.size(dimension) == other.size(dimension)
        || one.isUnbounded(dimension)
        || other.isUnbounded(dimension);
  }

  /**
   * Returns the declared result for operands of these sizes: along the dimension larger or smaller
   * by the same factor, else of the same sizes.
   */
  static Shape atSizes(Shape shape, int dimension, Operands declared, Operands actual) {
    List<Shape> results = new ArrayList<>();
    for (Shape part : parts(shape, actual.shapes().size())) {
      int i = results.size();
      long bound = declared.array(i, "operand " + i).size(dimension);
      long result = ((Shape.Array) part).size(dimension);
      Shape.Array operand = actual.array(i, "operand " + i);
      long size = operand.size(dimension);
      boolean shrinks = result < bound;
      require(
          !shrinks || (result > 0 && size % (bound / result) == 0),
          "",
          "size of dimension %s of %s, want a multiple of the parts of %s",
          dimension,
          operand,
          shape.withoutLayout());
      long sized = shrinks ? size / (bound / result) : bound == 0 ? 0 : size * (result / bound);
      results.add(operand.withSizes(operand.sizes().with(dimension, sized)));
    }
    return joined(ImmutableList.copyOf(results));
  }

  /**
   * Checks the reducer of a collective: from two scalars of each operand's type to one, or of a
   * wider type, in which is reduced then.
   */
  static void checkReducer(Operands in, String label) {
    Callee reducer = new Callee("to_apply", in.called().get(0));
    for (int i = 0; i < in.shapes().size(); i++) {
      Shape scalar = accumulator(reducer, in.array(i, "operand " + i).elementType());
      reducer.requireParameters(label, ImmutableList.of(scalar, scalar));
      reducer.requireResult(label, scalar);
    }
  }

  private static Shape accumulator(Callee reducer, ElementType type) {
    boolean isWider =
        reducer.signature().result() instanceof Shape.Array result
            && type.isWithin(result.elementType());
    return Shape.of(isWider ? ((Shape.Array) reducer.signature().result()).elementType() : type);
  }
}
