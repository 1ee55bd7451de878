package org.hlo4j.interpreter.engine;

import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Literal;

/**
 * An operand that is made to fit the others.
 *
 * @param present its sizes after elements that others do not have were cut off; above the size that
 *     it has, elements are needed that it was cut from before
 * @param filled its sizes after it was filled up
 * @param fill what it is filled with
 */
public record FittedOperand(Dims present, Dims filled, Fill fill) {
  /** What an operand is filled with. */
  public sealed interface Fill {
    /**
     * The value of another operand.
     *
     * @param index which one, a scalar
     */
    record Operand(int index) implements Fill {}

    /**
     * A constant.
     *
     * @param scalar the constant
     */
    record Value(Literal scalar) implements Fill {}
  }

  /** Returns whether an array of these sizes has elements that are cut off. */
  boolean isCutOf(Dims sizes) {
    return IntStream.range(0, sizes.count()).anyMatch(i -> present.get(i) < sizes.get(i));
  }
}
