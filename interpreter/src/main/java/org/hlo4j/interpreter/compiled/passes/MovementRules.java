package org.hlo4j.interpreter.compiled.passes;

import static org.hlo4j.interpreter.compiled.passes.Simplification.array;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.LongStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Concatenate;
import org.hlo4j.hlo.op.DynamicSlice;
import org.hlo4j.hlo.op.Iota;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Pad;
import org.hlo4j.hlo.op.PadConfig;
import org.hlo4j.hlo.op.Reshape;
import org.hlo4j.hlo.op.Reverse;
import org.hlo4j.hlo.op.Slice;
import org.hlo4j.hlo.op.SliceRanges;
import org.hlo4j.hlo.op.Transpose;
import org.jspecify.annotations.Nullable;

/** Simplification of movement ops: removes those that move nothing, and replaces two by one. */
final class MovementRules implements Simplification.Rule {
  @Override
  public @Nullable HloInstruction apply(HloInstruction instruction, Rewriter rewriter) {
    Op op = instruction.op();
    return switch (op) {
      case Transpose transpose -> transposed(transpose, instruction, rewriter);
      case Reshape reshape -> reshaped(instruction, rewriter);
      case Broadcast broadcast -> broadcast(broadcast, instruction, rewriter);
      case Slice slice -> sliced(slice, instruction, rewriter);
      case Reverse reverse -> reversed(reverse, instruction, rewriter);
      case DynamicSlice slice -> dynamicSliced(slice, instruction, rewriter);
      case Pad pad -> padded(pad, instruction);
      case Concatenate concatenate -> concatenated(instruction);
      default -> null;
    };
  }

  private static boolean keepsShape(HloInstruction instruction) {
    return array(instruction).sizes().equals(array(instruction, 0).sizes());
  }

  /** Returns the dimensions of an array whose size is not 1. */
  static Dims wide(Shape.Array array) {
    return Dims.of(
        LongStream.range(0, array.rank()).filter(d -> array.size((int) d) != 1).toArray());
  }

  // transpose

  /** Returns the permutation of the dimensions by a transpose; null for any other op. */
  static @Nullable Dims permutation(HloInstruction instruction) {
    return instruction.op() instanceof Transpose transpose ? transpose.dimensions() : null;
  }

  /**
   * Returns the same movement of arrays whose dimensions are stored in another order; null if it is
   * none that keeps its dimensions.
   */
  static @Nullable Op permuted(Op op, Dims order) {
    Dims to = order.inverse();
    return switch (op) {
      case Concatenate concatenate -> new Concatenate(to.at(concatenate.dimensions()));
      case Pad pad ->
          new Pad(
              new PadConfig(
                  pad.padding().edgePaddingLow().at(order),
                  pad.padding().edgePaddingHigh().at(order),
                  pad.padding().interiorPadding().at(order)));
      case Reverse reverse -> new Reverse(to.at(reverse.dimensions()));
      case Slice slice ->
          Slice.of(
              slice.slice().startIndices().at(order),
              slice.slice().limitIndices().at(order),
              slice.slice().strides().at(order));
      default -> null;
    };
  }

  /**
   * Returns the broadcast that a value would be with its dimensions in another order; null if it is
   * no broadcast.
   */
  static @Nullable Op broadcast(HloInstruction value, Dims order) {
    return value.op() instanceof Broadcast op
        ? new Broadcast(
            array(value).withLayout(null).withSizes(array(value).sizes().at(order)),
            order.inverse().at(op.dimensions()))
        : null;
  }

  private static @Nullable HloInstruction transposed(
      Transpose op, HloInstruction instruction, Rewriter rewriter) {
    HloInstruction operand = instruction.operands().get(0);
    if (op.dimensions().isStrictlyIncreasing()) {
      return operand;
    }
    if (operand.op() instanceof Transpose inner) {
      return rewriter.newReplacement(
          instruction,
          new Transpose(inner.dimensions().at(op.dimensions())),
          operand.operands().get(0));
    }
    if (operand.op() instanceof Broadcast inner) {
      Dims at = op.dimensions().inverse().at(inner.dimensions());
      return rewriter.newReplacement(
          instruction, new Broadcast(array(instruction), at), operand.operands().get(0));
    }
    if (operand.op() instanceof Concatenate inner && isOfSingles(inner, operand)) {
      return stackedElsewhere(op, instruction, inner, operand, rewriter);
    }
    Dims order = op.dimensions();
    Dims moved = Dims.of(order.stream().filter(d -> array(operand).size((int) d) != 1).toArray());
    return moved.isStrictlyIncreasing()
        ? rewriter.newReplacement(instruction, new Reshape(array(instruction)), operand)
        : null;
  }

  private static boolean isOfSingles(Concatenate concatenate, HloInstruction instruction) {
    return instruction.operands().stream()
        .allMatch(operand -> array(operand).size(concatenate.dimension()) == 1);
  }

  /**
   * Moves a transpose into a concatenation of operands of size 1: each operand is transposed, and
   * the operands are concatenated along the transposed dimension.
   */
  private static HloInstruction stackedElsewhere(
      Transpose op,
      HloInstruction instruction,
      Concatenate stacked,
      HloInstruction stack,
      Rewriter rewriter) {
    List<HloInstruction> operands =
        stack.operands().stream().map(operand -> rewriter.add(op, operand)).toList();
    int dimension = op.dimensions().indexOf(stacked.dimension());
    return rewriter.newReplacement(instruction, Concatenate.along(dimension), operands);
  }

  // reshape

  private static @Nullable HloInstruction reshaped(HloInstruction instruction, Rewriter rewriter) {
    HloInstruction operand = instruction.operands().get(0);
    if (keepsShape(instruction)) {
      return operand;
    }
    if (operand.op() instanceof Reshape) {
      return rewriter.newReplacement(instruction, instruction.op(), operand.operands().get(0));
    }
    if (operand.op() instanceof Broadcast inner) {
      return reshapedBroadcast(inner, instruction, operand, rewriter);
    }
    return null;
  }

  /**
   * Returns a reshape of a broadcast as one broadcast: for a scalar, or if only dimensions of size
   * 1 are added or dropped that the operand does not have.
   */
  private static @Nullable HloInstruction reshapedBroadcast(
      Broadcast inner, HloInstruction instruction, HloInstruction operand, Rewriter rewriter) {
    Dims from = wide(array(operand));
    Dims to = wide(array(instruction));
    boolean isSimple = array(operand).sizes().at(from).equals(array(instruction).sizes().at(to));
    if (!inner.dimensions().isEmpty() && !isSimple) {
      return null;
    }
    long[] dimensions = new long[inner.dimensions().count()];
    for (int i = 0; i < dimensions.length; i++) {
      int at = from.indexOf(inner.dimensions().get(i));
      if (at < 0) {
        return null;
      }
      dimensions[i] = to.get(at);
    }
    return rewriter.newReplacement(
        instruction,
        new Broadcast(array(instruction), Dims.of(dimensions)),
        operand.operands().get(0));
  }

  // broadcast

  private static @Nullable HloInstruction broadcast(
      Broadcast op, HloInstruction instruction, Rewriter rewriter) {
    HloInstruction operand = instruction.operands().get(0);
    boolean isOrdered = op.dimensions().isStrictlyIncreasing();
    if (keepsShape(instruction) && isOrdered) {
      return operand;
    }
    if (operand.op() instanceof Broadcast inner) {
      return rewriter.newReplacement(
          instruction,
          new Broadcast(array(instruction), op.dimensions().at(inner.dimensions())),
          operand.operands().get(0));
    }
    if (op.dimensions().count() == op.shape().rank()) {
      return rewriter.newReplacement(
          instruction, new Transpose(op.dimensions().inverse()), operand);
    }
    if (!isOrdered) {
      Dims order =
          Dims.of(op.dimensions().stream().sorted().map(op.dimensions()::indexOf).toArray());
      return rewriter.newReplacement(
          instruction,
          new Broadcast(array(instruction), op.dimensions().at(order)),
          rewriter.transpose(operand, order));
    }
    if (array(instruction).elementCount() == array(operand).elementCount()) {
      return rewriter.newReplacement(instruction, new Reshape(array(instruction)), operand);
    }
    return operand.op() instanceof Reshape
        ? unreshaped(op, instruction, operand.operands().get(0), rewriter)
        : null;
  }

  /** Drops a reshape before a broadcast that only adds dimensions of size 1. */
  private static @Nullable HloInstruction unreshaped(
      Broadcast op, HloInstruction instruction, HloInstruction source, Rewriter rewriter) {
    Shape.Array from = array(source);
    Shape.Array between = array(instruction, 0);
    Dims wide = wide(between);
    boolean hasOnlyWide = wide(from).count() == from.rank();
    return hasOnlyWide && between.sizes().at(wide).equals(from.sizes())
        ? rewriter.newReplacement(
            instruction, new Broadcast(array(instruction), op.dimensions().at(wide)), source)
        : null;
  }

  // slice, reverse, pad, concatenate

  private static @Nullable HloInstruction sliced(
      Slice op, HloInstruction instruction, Rewriter rewriter) {
    HloInstruction operand = instruction.operands().get(0);
    if (keepsShape(instruction)) {
      return operand;
    }
    return switch (operand.op()) {
      case Slice inner ->
          slicedTwice(op.slice(), instruction, inner.slice(), operand.operands().get(0), rewriter);
      case Concatenate inner ->
          slicedOperand(op, instruction, inner.dimension(), operand.operands(), rewriter);
      case Iota iota -> slicedNumbers(op.slice(), instruction, iota.iotaDimension(), rewriter);
      case Broadcast inner ->
          slicedSource(op.slice(), instruction, inner, operand.operands().get(0), rewriter);
      default -> null;
    };
  }

  /** Returns a slice of a slice as one slice. */
  private static @Nullable HloInstruction slicedTwice(
      SliceRanges second,
      HloInstruction instruction,
      SliceRanges first,
      HloInstruction source,
      Rewriter rewriter) {
    Dims starts = first.startIndices().plus(second.startIndices().times(first.strides()));
    Dims strides = first.strides().times(second.strides());
    Dims sizes = second.sizes();
    Dims ones = Dims.filled(sizes.count(), 1);
    Dims last = starts.plus(sizes.minus(ones).times(strides));
    return sizes.contains(0)
        ? null
        : rewriter.newReplacement(instruction, Slice.of(starts, last.plus(ones), strides), source);
  }

  /** Returns a slice of an iota as a constant, if only one number of it is left. */
  private static @Nullable HloInstruction slicedNumbers(
      SliceRanges slice, HloInstruction instruction, int dimension, Rewriter rewriter) {
    ElementType type = array(instruction).elementType();
    long number = slice.startIndices().get(dimension);
    boolean isOne =
        array(instruction).size(dimension) == 1 && type.isIntegral() && number <= type.maxLong();
    return isOne
        ? rewriter.newReplacement(
            instruction,
            new Broadcast(array(instruction), Dims.of()),
            rewriter.constant(Literal.full(Shape.of(type), number)))
        : null;
  }

  /** Returns a slice of a broadcast as a broadcast of a slice of the operand. */
  private static HloInstruction slicedSource(
      SliceRanges slice,
      HloInstruction instruction,
      Broadcast broadcast,
      HloInstruction source,
      Rewriter rewriter) {
    Dims at = broadcast.dimensions();
    boolean isWhole = array(instruction).sizes().at(at).equals(array(source).sizes());
    HloInstruction taken =
        isWhole
            ? source
            : rewriter.add(
                Slice.of(
                    slice.startIndices().at(at),
                    slice.limitIndices().at(at),
                    slice.strides().at(at)),
                source);
    return rewriter.newReplacement(instruction, new Broadcast(array(instruction), at), taken);
  }

  /**
   * Returns a slice of a concatenation as a slice of one operand, if it lies in a single operand.
   */
  private static @Nullable HloInstruction slicedOperand(
      Slice op,
      HloInstruction instruction,
      int dimension,
      List<HloInstruction> operands,
      Rewriter rewriter) {
    SliceRanges slice = op.slice();
    long start = slice.startIndices().get(dimension);
    long limit = slice.limitIndices().get(dimension);
    for (HloInstruction operand : operands) {
      long size = array(operand).size(dimension);
      if (start < size) {
        return limit > size
            ? null
            : rewriter.newReplacement(
                instruction,
                Slice.of(
                    slice.startIndices().with(dimension, start),
                    slice.limitIndices().with(dimension, limit),
                    slice.strides()),
                operand);
      }
      start -= size;
      limit -= size;
    }
    return null;
  }

  private static @Nullable HloInstruction reversed(
      Reverse op, HloInstruction instruction, Rewriter rewriter) {
    HloInstruction operand = instruction.operands().get(0);
    Dims reversed =
        Dims.of(op.dimensions().stream().filter(d -> array(operand).size((int) d) > 1).toArray());
    if (reversed.isEmpty()) {
      return operand;
    }
    if (operand.op() instanceof Broadcast inner
        && reversed.stream().noneMatch(inner.dimensions()::contains)) {
      return operand;
    }
    if (operand.op() instanceof Reverse inner) {
      Dims once =
          Dims.of(
              LongStream.range(0, array(operand).rank())
                  .filter(d -> reversed.contains(d) != inner.dimensions().contains(d))
                  .toArray());
      return rewriter.newReplacement(instruction, new Reverse(once), operand.operands().get(0));
    }
    return null;
  }

  /** Returns a dynamic slice with constant start indices as a slice. */
  private static @Nullable HloInstruction dynamicSliced(
      DynamicSlice op, HloInstruction instruction, Rewriter rewriter) {
    Shape.Array from = array(instruction, 0);
    if (keepsShape(instruction)) {
      return instruction.operands().get(0);
    }
    Dims starts = Dims.filled(from.rank(), 0);
    for (int d = 0; d < from.rank(); d++) {
      long most = from.size(d) - op.dynamicSliceSizes().get(d);
      if (most == 0) {
        continue;
      }
      OptionalLong start = start(instruction, d);
      if (start.isEmpty()) {
        return null;
      }
      starts = starts.with(d, Math.clamp(start.getAsLong(), 0, most));
    }
    Dims limits = starts.plus(op.dynamicSliceSizes());
    return rewriter.newReplacement(
        instruction,
        Slice.of(starts, limits, Dims.filled(from.rank(), 1)),
        instruction.operands().get(0));
  }

  /** Returns a constant start index, which is a scalar of its own or an element of a vector. */
  private static OptionalLong start(HloInstruction slice, int dimension) {
    boolean isVector = array(slice, 1).rank() == 1;
    Optional<Literal> indices =
        UniformValues.constant(slice.operands().get(isVector ? 1 : dimension + 1));
    return indices.isEmpty() || indices.get().elementType() == ElementType.U64
        ? OptionalLong.empty()
        : OptionalLong.of(indices.get().longAt(isVector ? dimension : 0));
  }

  private static @Nullable HloInstruction padded(Pad op, HloInstruction instruction) {
    Dims none = Dims.filled(array(instruction).rank(), 0);
    PadConfig padding = op.padding();
    boolean movesNothing =
        padding.edgePaddingLow().equals(none) && padding.edgePaddingHigh().equals(none);
    return movesNothing && keepsShape(instruction) ? instruction.operands().get(0) : null;
  }

  private static @Nullable HloInstruction concatenated(HloInstruction instruction) {
    return instruction.operands().size() == 1 ? instruction.operands().get(0) : null;
  }
}
