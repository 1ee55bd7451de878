package org.hlo4j.interpreter.compiled.reduce;

import com.google.common.collect.ImmutableList;
import java.util.List;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;

/**
 * How a computation with reductions is run: first what follows from no reduction, then pass after
 * pass.
 *
 * @param space what is reduced
 * @param operands how many operands there are
 * @param tables arrays beside them
 * @param outputs the shapes of the results
 * @param locals the arrays that each chunk has for itself
 * @param before computes for each result what follows from no reduction
 * @param passes the passes
 * @param isTuple whether the result is a tuple
 */
record ReducePlan(
    ReductionSpace space,
    int operands,
    ImmutableList<Literal> tables,
    ImmutableList<Shape.Array> outputs,
    ImmutableList<Local> locals,
    java.util.Optional<Strip> before,
    ImmutableList<ReducePass> passes,
    boolean isTuple) {
  /** How many elements an array of a chunk has. */
  enum Extent {
    /** One for each result under way. */
    RESULTS,
    /** One for each position that is reduced into the results under way. */
    POSITIONS,
    /** As many as a strip has, for each of the rows that are reduced at once. */
    STRIP,
    /** What a loop that distributes elements leaves, and what has been reduced; or a vector. */
    ACCUMULATORS,
    /** The same for each of the rows that are interleaved at once. */
    ACCUMULATORS_OF_ROWS
  }

  /**
   * An array of a chunk.
   *
   * @param type what it holds
   * @param extent how many
   */
  record Local(ElementType type, Extent extent) {}

  int firstOutput() {
    return operands + tables.size();
  }

  int firstLocal() {
    return firstOutput() + outputs.size();
  }

  /** Whether reductions run over what was computed for them, strip by strip. */
  boolean hasStrips() {
    return locals.stream().anyMatch(local -> local.extent() == Extent.STRIP);
  }

  static List<ElementType> types(List<ReduceNode> nodes) {
    return nodes.stream().map(ReduceNode::type).toList();
  }
}
