package org.hlo4j.check.shrink;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.util.Comparator;
import java.util.stream.LongStream;
import org.hlo4j.check.Program;
import org.hlo4j.check.part.Computed;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Convolution;
import org.hlo4j.hlo.op.Movement;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.SliceRanges;
import org.hlo4j.hlo.op.Window;

/**
 * Gives all dimensions of one size a smaller one, all through a program. One of as many groups of
 * features is left where the size is divided by their number.
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
    return program
        .module()
        .instructions()
        .flatMap(each -> each.shape().arrays().stream())
        .flatMap(array -> array.sizes().stream().boxed())
        .filter(size -> size > 1)
        .distinct()
        .sorted(Comparator.reverseOrder())
        .collect(toImmutableList());
  }

  /** Returns smaller sizes to try in place of one, the smallest first. */
  static ImmutableList<Resizing> ofSize(long size, Program program) {
    LongStream groups =
        program
            .module()
            .instructions()
            .flatMapToLong(each ->
                each.op() instanceof Convolution op
                    ? LongStream.of(op.featureGroupCount(), op.batchGroupCount())
                    : LongStream.of());
    return LongStream.concat(
            LongStream.of(1, 2, 3, 4, size / 4, size / 2, size - size / 4, size - 1),
            groups.map(count -> size / count))
        .filter(each -> each > 0 && each < size)
        .distinct()
        .sorted()
        .mapToObj(each -> new Resizing(size, each))
        .collect(toImmutableList());
  }

  private Literal resized(Literal literal) {
    return Literal.ofArrays(
        resized(literal.shape()), literal.arrays().stream().map(this::first).iterator());
  }

  /** Returns the first elements in each dimension. */
  private Literal first(Literal of) {
    Op op = Movement.first(resized(of.arrayShape().sizes()));
    return Computed.of(op, ImmutableList.of(), ImmutableList.of(of));
  }

  /** Returns what takes the place of an attribute. */
  Object attribute(String name, Object value) {
    return switch (value) {
      case Shape shape -> resized(shape);
      case Literal literal -> resized(literal);
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
      case Long count when name.endsWith("group_count") && count * to == from -> 1L;
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
    return shape.mapArrays(array ->
        array.sizes().contains(from)
            ? Shape.of(array.elementType(), resized(array.sizes()))
            : array);
  }

  private Dims resized(Dims sizes) {
    return Dims.of(sizes.stream().map(size -> size == from ? to : size).toArray());
  }
}
