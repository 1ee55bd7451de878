package org.hlo4j.check.shrink;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.hlo4j.check.Program;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Reshape;
import org.hlo4j.hlo.op.SliceRanges;
import org.hlo4j.hlo.op.Window;

/**
 * Gives all dimensions of one size another size, all through a program.
 *
 * @param from the size
 * @param to the size that it becomes
 */
record Resizing(long from, long to) {
  /** The attributes that are sizes. */
  private static final ImmutableSet<String> SIZES =
      ImmutableSet.of("sizes", "slice_sizes", "dynamic_slice_sizes", "fft_length");

  /**
   * Returns the sizes of the dimensions of a program that can become smaller, the largest first.
   */
  static ImmutableList<Long> sizes(Program program) {
    Set<Long> sizes = new TreeSet<>();
    program.module().instructions().forEach(each -> addSizes(each.shape(), sizes));
    sizes.removeIf(size -> size < 2);
    return ImmutableList.copyOf(sizes).reverse();
  }

  private static void addSizes(Shape shape, Set<Long> sizes) {
    switch (shape) {
      case Shape.Array array -> array.sizes().stream().forEach(sizes::add);
      case Shape.Tuple tuple -> tuple.elements().forEach(each -> addSizes(each, sizes));
      default -> {
        // It has no sizes.
      }
    }
  }

  /** Returns smaller sizes to try in place of one, the smallest first. */
  static ImmutableList<Long> smaller(long size) {
    return java.util.stream.Stream.of(1L, 2L, 3L, 4L, size / 4, size / 2, size - size / 4, size - 1)
        .filter(each -> each > 0 && each < size)
        .distinct()
        .sorted()
        .collect(toImmutableList());
  }

  /** Returns the change of every instruction. */
  ImmutableList<Edit> edits(Program program) {
    Map<String, Literal> arguments = Rewrite.arguments(program);
    return program
        .module()
        .instructions()
        .map(at -> Edit.of(at, change(program, arguments)))
        .collect(toImmutableList());
  }

  private Edit.Change change(Program program, Map<String, Literal> arguments) {
    return (draft, old, operands) -> {
      Literal argument = arguments.get(old.name());
      if (argument != null) {
        return draft.value(old, program.changed(argument, this::resized));
      }
      return draft.add(Rewrite.copy(plain(old), op(old.op(), operands), operands, old.called()));
    };
  }

  private static HloInstruction plain(HloInstruction old) {
    return old.withSharding(java.util.Optional.empty());
  }

  private Literal resized(Literal literal) {
    return literal.shape() instanceof Shape.Array array
        ? SimplerLiterals.resized(literal, (Shape.Array) resized(array))
        : literal.elements().isEmpty()
            ? literal
            : Literal.tuple(literal.elements().stream().map(this::resized).toList());
  }

  private Op op(Op op, List<HloInstruction> operands) {
    return switch (op) {
      case Constant constant -> new Constant(resized(constant.literal()));
      case Parameter parameter -> new Parameter(parameter.number(), resized(parameter.shape()));
      case Reshape reshape ->
          new Reshape(
              fitted(
                  (Shape.Array) resized(reshape.shape()),
                  ((Shape.Array) operands.get(0).shape()).elementCount()));
      default -> SimplerOps.with(op, this::attribute);
    };
  }

  /** Returns a shape with as many elements as wanted, if one dimension can be made to give it. */
  private static Shape.Array fitted(Shape.Array shape, long count) {
    for (int i = 0; i < shape.rank(); i++) {
      long others = shape.sizes().with(i, 1).product();
      if (shape.elementCount() != count && others > 0 && count % others == 0) {
        return Shape.of(shape.elementType(), shape.sizes().with(i, count / others));
      }
    }
    return shape;
  }

  private Object attribute(String name, Object value) {
    return switch (value) {
      case Shape shape -> resized(shape);
      case Dims dims when SIZES.contains(name) -> resized(dims);
      case Window window ->
          new Window(
              resized(window.sizes()),
              window.strides(),
              window.paddingLow(),
              window.paddingHigh(),
              window.baseDilation(),
              window.windowDilation(),
              window.reversal());
      case SliceRanges ranges -> ranges(ranges);
      default -> value;
    };
  }

  private SliceRanges ranges(SliceRanges ranges) {
    Dims limits = resized(ranges.limitIndices());
    return new SliceRanges(
        ranges.startIndices().clamp(Dims.filled(limits.count(), 0), limits),
        limits,
        ranges.strides());
  }

  private Shape resized(Shape shape) {
    return switch (shape) {
      case Shape.Array array ->
          array.sizes().contains(from)
              ? Shape.of(array.elementType(), resized(array.sizes()))
              : array;
      case Shape.Tuple tuple ->
          new Shape.Tuple(tuple.elements().stream().map(this::resized).collect(toImmutableList()));
      default -> shape;
    };
  }

  private Dims resized(Dims sizes) {
    return Dims.of(sizes.stream().map(size -> size == from ? to : size).toArray());
  }
}
