package org.hlo4j.interpreter.compiled.reduce;

import com.google.common.collect.ImmutableList;
import java.util.Optional;
import org.hlo4j.hlo.ElementType;

/**
 * The plan by which columns are reduced, or rows in order: each strip of elements is computed and
 * then reduced.
 *
 * @param space the reduced space
 * @param operands the number of operands
 * @param arrays the arrays beside the operands
 * @param locals the workspaces of each chunk
 * @param reads what is computed before the strip
 * @param strip the loop that computes inputs of reductions, if any
 * @param accumulators the reductions
 * @param schedule how much is reduced at once
 */
record ReducePlan(
    ReductionSpace space,
    int operands,
    ReduceArrays arrays,
    ImmutableList<Local> locals,
    ImmutableList<ComputedRead> reads,
    Optional<Strip> strip,
    ImmutableList<Accumulators> accumulators,
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
   * A read of an array that is computed in parts.
   *
   * @param reader the slot of its reader
   * @param workspace the slot of the workspace of its elements
   */
  record ComputedRead(int reader, int workspace) {}

  /**
   * A workspace of a chunk.
   *
   * @param type the element type
   * @param isOfStrip whether it has the elements of a strip, not of the results in progress
   * @param factor what their number is multiplied by
   */
  record Local(ElementType type, boolean isOfStrip, int factor) {}

  int firstOutput() {
    return operands + arrays.tables().size();
  }

  /** {@return the index of the first reader of a computed array} */
  int firstReader() {
    return firstOutput() + arrays.shapes().size();
  }

  int firstLocal() {
    return firstReader() + arrays.computed().size();
  }

  /** {@return the number of elements of a workspace} */
  int size(Local local) {
    return local.factor * (local.isOfStrip ? schedule.strip : schedule.block);
  }
}
