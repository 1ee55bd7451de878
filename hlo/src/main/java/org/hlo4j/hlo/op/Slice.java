package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.HloException.require;
import static org.hlo4j.hlo.arguments.Arguments.requireNonNull;

import java.util.List;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;

/**
 * Extracts a box of an array, with strides: {@code result[i] = operand[startIndices + i *
 * strides]}.
 *
 * <pre>
 *   slice={[0:3:2], [1:3:1]}
 *     0 [1  2]  3
 *     4  5  6   7     -&gt;    1  2
 *     8 [9 10] 11           9 10
 * </pre>
 *
 * @param slice for each dimension the start, the limit and the stride
 */
public record Slice(SliceRanges slice) implements Movement {
  /**
   * Returns a slice from these indices to before those.
   *
   * @param startIndices for each dimension the first index taken
   * @param limitIndices for each dimension the index after the last that may be taken
   * @param strides for each dimension how far from one index taken to the next
   * @return the op
   */
  public static Slice of(Dims startIndices, Dims limitIndices, Dims strides) {
    requireNonNull(limitIndices, "limitIndices");
    requireNonNull(startIndices, "startIndices");
    requireNonNull(strides, "strides");
    return new Slice(new SliceRanges(startIndices, limitIndices, strides));
  }

  @Override
  public String opcode() {
    return "slice";
  }

  @Override
  public Arity arity() {
    return Arity.exactly(1);
  }

  @Override
  public Shape resultShape(Operands in) {
    Shape.Array operand = in.array(0, "operand");
    require(
        slice.startIndices().count() == operand.rank(),
        "slice C2",
        "start_indices got %s, want one for each of the %s dimensions of %s",
        slice.startIndices(),
        operand.rank(),
        operand);
    for (int i = 0; i < operand.rank(); i++) {
      requireRange(operand, i);
    }
    Dims sizes = slice.sizes();
    return operand
        .withSizes(sizes)
        .withDynamic(
            operand.dynamicDimensions().stream()
                .filter(i -> sizes.get(i) != 1 && !operand.isUnbounded(i))
                .toList());
  }

  private void requireRange(Shape.Array operand, int i) {
    long start = slice.startIndices().get(i);
    long limit = slice.limitIndices().get(i);
    require(start >= 0, "slice C3", "start_indices[%s] got %s, want at least 0", i, start);
    require(
        limit >= start,
        "slice C3",
        "limit_indices[%s] got %s, want at least start_indices[%s], %s",
        i,
        limit,
        i,
        start);
    require(
        operand.isUnbounded(i) || limit <= operand.size(i),
        "slice C3",
        "limit_indices[%s] got %s, want at most %s, the size of dimension %s of %s",
        i,
        limit,
        operand.size(i),
        i,
        operand);
    long stride = slice.strides().get(i);
    require(stride > 0, "slice C4", "strides[%s] got %s, want above 0", i, stride);
  }

  /**
   * Returns the op with limits at the end of the operand. A static dimension of the result requires
   * that its one element exists.
   */
  @Override
  public Slice atSizes(Operands declared, Operands actual) {
    Shape.Array bounds = declared.array(0, "operand");
    Dims end = actual.array(0, "operand").sizes();
    Dims starts = slice.startIndices();
    Dims limits = slice.limitIndices();
    for (int i = 0; i < end.count(); i++) {
      if (bounds.isDynamic(i) && slice.sizes().get(i) != 1) {
        limits = limits.with(i, Math.min(limits.get(i), end.get(i)));
        starts = starts.with(i, Math.min(starts.get(i), end.get(i)));
      }
    }
    return Slice.of(starts, limits, slice.strides());
  }

  /** {@code result[i] = operand[startIndices + i * strides]} */
  @Override
  public <I> Source<I> source(
      IndexAlgebra<I> x, List<Shape.Array> operands, Shape.Array result, List<I> index) {
    return Source.at(
        0,
        index.size(),
        d -> x.shifted(x.times(index.get(d), slice.strides().get(d)), slice.startIndices().get(d)));
  }
}
