package org.hlo4j.interpreter.compiled.reduce;

import com.google.common.collect.ImmutableList;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.index.Offsets;
import org.hlo4j.interpreter.compiled.loops.LoopNode;
import org.hlo4j.interpreter.compiled.loops.Reduction;

/**
 * The plan by which columns are reduced, or rows in order: each strip of elements is computed and
 * then reduced.
 *
 * @param space the reduced space
 * @param arrays the arrays beside the operands
 * @param sources what is reduced
 * @param reductions the reductions
 * @param roots the results
 * @param schedule how much is reduced at once
 */
record ReducePlan(
    ReductionSpace space,
    ReduceArrays arrays,
    ImmutableList<Source> sources,
    ImmutableList<Ordered> reductions,
    ImmutableList<LoopNode> roots,
    Schedule schedule) {
  /**
   * How much is reduced at once.
   *
   * @param block the number of results in progress: a row, or columns
   * @param rows the number of rows that are reduced at once into a row of columns
   * @param dense the number of short rows that follow each other in memory and are read as one; 0
   *     if there are none
   * @param strip the number of elements that are computed before they are reduced
   * @param part the number of rows that are reduced before they are combined with those before
   * @param isApart whether threads reduce parts apart from each other
   */
  record Schedule(int block, int rows, int dense, int strip, int part, boolean isApart) {}

  /**
   * A reduction.
   *
   * @param sources the numbers of the sources of its inputs
   * @param order the order in which it adds terms
   */
  record Ordered(Reduction reduction, ImmutableList<Integer> sources, SummationOrder order) {}

  /**
   * What is reduced.
   *
   * @param input the number of the operand or table; -1, -2 and so on for a computed array
   * @param type the type of the elements
   * @param base the index of the first element
   * @param rowStarts where rows of innermost positions begin, without the base
   */
  record Source(int input, ElementType type, int base, Offsets rowStarts) {
    /** {@return whether loops compute the elements, a strip at a time} */
    boolean isComputed() {
      return input < 0;
    }

    /** {@return whether rows of some length that follow each other do so in the array, too} */
    boolean isDense(int inner) {
      return isComputed() || rowStarts.hasStride(inner);
    }
  }
}
