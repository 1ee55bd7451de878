package org.hlo4j.interpreter.compiled.reduce;

import com.google.common.collect.ImmutableList;
import java.util.Optional;
import org.hlo4j.hlo.ElementType;

/**
 * The plan by which a computation with reductions is run: first the values that depend on no
 * reduction, then one pass after the other.
 *
 * @param space the reduced space
 * @param operands the number of operands
 * @param arrays the arrays beside the operands
 * @param locals the workspaces of each chunk
 * @param prologue the loop that computes, for each result, values that depend on no reduction
 * @param passes the passes
 * @param schedule how much is reduced at once
 */
record ReducePlan(
    ReductionSpace space,
    int operands,
    ReduceArrays arrays,
    ImmutableList<Local> locals,
    Optional<Strip> prologue,
    ImmutableList<ReducePass> passes,
    Schedule schedule) {
  /**
   * How much is reduced at once.
   *
   * @param block the number of results in progress: contiguous rows, or columns
   * @param rows the number of rows that are reduced at once into a row of columns
   * @param strip the number of elements that are computed before they are reduced
   * @param part the number of terms of a result, elements of a row or whole rows, that are reduced
   *     before they are combined with those before
   * @param isApart whether threads reduce parts apart from each other
   */
  record Schedule(int block, int rows, int strip, int part, boolean isApart) {}

  /** What the number of elements of a workspace is a multiple of. */
  enum Extent {
    /** Nothing: it is fixed. */
    ONE,
    /** The results in progress. */
    RESULTS,
    /** The positions that are reduced into the results in progress. */
    POSITIONS,
    /** The elements of a strip. */
    STRIP
  }

  /**
   * A workspace of a chunk.
   *
   * @param type the element type
   * @param extent what the number of elements is a multiple of
   * @param factor the factor
   */
  record Local(ElementType type, Extent extent, int factor) {}

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
    return local.factor
        * switch (local.extent) {
          case ONE -> 1;
          case RESULTS -> schedule.block;
          case POSITIONS -> schedule.block * (int) space.depth();
          case STRIP -> schedule.strip;
        };
  }
}
