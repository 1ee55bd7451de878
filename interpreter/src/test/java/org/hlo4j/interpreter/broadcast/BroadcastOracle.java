package org.hlo4j.interpreter.broadcast;

import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;

/**
 * Broadcasting by index arithmetic alone, for comparison: from the index of an element of the
 * result to the element of an operand that it comes from. Shares nothing with the builder.
 */
final class BroadcastOracle {
  private BroadcastOracle() {}

  /**
   * For each element of the result, row-major, the row-major position of its source in an operand:
   * {@code source[i] = size[i] == 1 ? 0 : index[dimensions[i]]}.
   */
  static int[] sources(Shape.Array operand, Shape.Array result, Dims broadcastDimensions) {
    boolean inDim = operand.rank() < result.rank();
    IntUnaryOperator target = i -> inDim ? broadcastDimensions.getInt(i) : i;
    int count = (int) result.elementCount();
    return IntStream.range(0, count).map(at -> source(at, operand, result, target)).toArray();
  }

  private static int source(
      int at, Shape.Array operand, Shape.Array result, IntUnaryOperator target) {
    long[] index = new long[result.rank()];
    long rest = at;
    for (int d = index.length - 1; d >= 0; d--) {
      index[d] = rest % result.size(d);
      rest /= result.size(d);
    }
    long linear = 0;
    for (int i = 0; i < operand.rank(); i++) {
      long position = operand.size(i) == 1 ? 0 : index[target.applyAsInt(i)];
      linear = linear * operand.size(i) + position;
    }
    return (int) linear;
  }
}
