package org.hlo4j.interpreter.reference;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.interpreter.engine.Effects;
import org.hlo4j.interpreter.engine.Execution;
import org.hlo4j.interpreter.engine.Limits;

/** The reduce op, and helpers for other ops that apply a reducer. */
final class Reductions {
  private Reductions() {}

  /** {@code result[i] = body(... body(body(init, input[i, 0]), input[i, 1]) ..., input[i, n])} */
  static Literal reduce(
      Reduce op, List<Literal> in, Shape shape, HloComputation body, Execution execution) {
    int count = in.size() / 2;
    List<Literal> inputs = in.subList(0, count);
    List<Literal> inits = in.subList(count, 2 * count);
    Dims sizes = inputs.get(0).arrayShape().sizes();
    int[] kept = Offsets.ofDimensions(op.kept(sizes.count()), sizes);
    int[] reduced = Offsets.ofDimensions(reducedInOrder(op), sizes);
    Shape.Array array = (Shape.Array) shapes(shape).get(0);
    if (count == 1 && reduced.length > 0 && isPlainSum(body, inputs.get(0))) {
      return result(List.of(sum(inputs.get(0), inits.get(0), array, kept, reduced)), shape);
    }
    boolean isComplex = inputs.get(0).elementType().isComplex();
    if (count == 1 && reduced.length > 0 && isComplex && isSum(body)) {
      return result(List.of(complexSum(inputs.get(0), inits.get(0), array, kept, reduced)), shape);
    }
    List<LiteralBuilder> results =
        shapes(shape).stream().map(part -> new LiteralBuilder((Shape.Array) part)).toList();
    for (int i = 0; i < kept.length; i++) {
      Limits.checkAt(i);
      List<Literal> accumulators = inits;
      for (int k : reduced) {
        accumulators = apply(body, accumulators, elements(inputs, kept[i] + k), execution);
      }
      for (int r = 0; r < count; r++) {
        results.get(r).copy(i, accumulators.get(r), 0);
      }
    }
    return result(results.stream().map(LiteralBuilder::build).toList(), shape);
  }

  /** Returns what a shape says: an array, or a tuple, which may be of one array. */
  static Literal result(List<Literal> literals, Shape shape) {
    return shape instanceof Shape.Tuple ? Literal.tuple(literals) : literals.get(0);
  }

  private static Dims reducedInOrder(Reduce op) {
    return Dims.of(op.dimensions().stream().sorted().toArray());
  }

  static List<Shape> shapes(Shape shape) {
    return shape instanceof Shape.Tuple tuple ? tuple.elements() : ImmutableList.of(shape);
  }

  /** Returns the elements of several arrays at one position, as scalars. */
  static List<Literal> elements(List<Literal> arrays, int position) {
    List<Literal> scalars = new ArrayList<>();
    for (Literal array : arrays) {
      LiteralBuilder scalar = new LiteralBuilder(Shape.of(array.elementType()));
      scalar.copy(0, array, position);
      scalars.add(scalar.build());
    }
    return scalars;
  }

  /** Applies the reducer once: from accumulators and elements to new accumulators. */
  static List<Literal> apply(
      HloComputation body,
      List<Literal> accumulators,
      List<Literal> elements,
      Execution execution) {
    List<Literal> arguments = new ArrayList<>(accumulators);
    arguments.addAll(elements);
    return results(execution.call(body, arguments));
  }

  /** Returns the elements of a tuple, or an array as the only one. */
  static List<Literal> results(Literal result) {
    return result.shape() instanceof Shape.Tuple ? result.elements() : List.of(result);
  }

  /** Returns whether the reducer adds its two parameters, which are floats. */
  static boolean isPlainSum(HloComputation body, Literal input) {
    return input.elementType().isFloating() && isSum(body);
  }

  /** Returns whether nothing is missed if the reducer is not called but known to add. */
  private static boolean isSum(HloComputation body) {
    return soleKind(body).filter(Elementwise.Kind.ADD::equals).isPresent();
  }

  /**
   * Returns whether a reducer gives the same in any order of the elements, in any grouping:
   * wrapping sums and products of integers, bits, the least and the greatest.
   */
  static boolean isInAnyOrder(HloComputation body, Literal input) {
    ElementType type = input.elementType();
    Optional<Elementwise.Kind> kind = type.isComplex() ? Optional.empty() : soleKind(body);
    return kind.isPresent()
        && switch (kind.get()) {
          case ADD, MULTIPLY -> !type.isFloating();
          case AND, OR, XOR, MINIMUM, MAXIMUM -> true;
          default -> false;
        };
  }

  /** Returns the op of a reducer that does nothing but apply it to its two parameters. */
  private static Optional<Elementwise.Kind> soleKind(HloComputation body) {
    HloInstruction root = body.root();
    boolean isTupleOfOne = root.op() instanceof Tuple && root.operands().size() == 1;
    HloInstruction value = isTupleOfOne ? root.operands().get(0) : root;
    return !new Effects().containsEffect(body)
            && value.op() instanceof Elementwise op
            && value.operands().stream().allMatch(part -> part.op() instanceof Parameter)
            && value.operands().stream().distinct().count() == 2
        ? Optional.of(op.kind())
        : Optional.empty();
  }

  /** Accumulates in double and rounds once, which is as exact as a sum in order can be. */
  private static Literal sum(
      Literal input, Literal init, Shape.Array shape, int[] kept, int[] reduced) {
    LiteralBuilder result = new LiteralBuilder(shape);
    IntStream.range(0, kept.length)
        .forEach(i -> {
          double sum = init.doubleAt(0);
          for (int k = 0; k < reduced.length; k++) {
            Limits.checkAt(i * reduced.length + k);
            sum += input.doubleAt(kept[i] + reduced[k]);
          }
          result.setDouble(i, sum);
        });
    return result.build();
  }

  /** Does the same for complex numbers, whose real and imaginary parts are summed independently. */
  private static Literal complexSum(
      Literal input, Literal init, Shape.Array shape, int[] kept, int[] reduced) {
    LiteralBuilder result = new LiteralBuilder(shape);
    for (int i = 0; i < kept.length; i++) {
      double real = init.realAt(0);
      double imaginary = init.imaginaryAt(0);
      for (int k = 0; k < reduced.length; k++) {
        Limits.checkAt(i * reduced.length + k);
        real += input.realAt(kept[i] + reduced[k]);
        imaginary += input.imaginaryAt(kept[i] + reduced[k]);
      }
      result.setComplex(i, real, imaginary);
    }
    return result.build();
  }
}
