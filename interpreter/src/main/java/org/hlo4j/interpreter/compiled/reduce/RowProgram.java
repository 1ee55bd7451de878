package org.hlo4j.interpreter.compiled.reduce;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.interpreter.compiled.expr.Term;
import org.hlo4j.interpreter.compiled.index.IterationSpace;
import org.hlo4j.interpreter.compiled.index.Offsets;
import org.hlo4j.interpreter.compiled.loops.ComputedArray;
import org.hlo4j.interpreter.compiled.loops.LoopNode;

/**
 * A computation over rows: values of nested loops, some of which are reduced. A value is one for
 * each element of a row, or one for each row. The number of a read that is negative is that of a
 * computed array: -1, -2 and so on.
 *
 * @param domain the loops over the elements of all rows
 * @param space the loops as rows
 * @param roots the results
 * @param isFull for each result, whether it has an element for each element of a row
 * @param rowValues values that are computed once for each row, before the elements that need them
 * @param moved the reads for which elements are moved, with the outermost movement op around each
 * @param computing gives loops that compute an input of a reduction in parts, if there are any
 * @param arrays the arrays beside the operands
 */
record RowProgram(
    IterationSpace domain,
    ReductionSpace space,
    ImmutableList<LoopNode> roots,
    ImmutableList<Boolean> isFull,
    ImmutableSet<LoopNode> rowValues,
    ImmutableMap<LoopNode.Read, HloInstruction> moved,
    Function<LoopNode, Optional<ComputedArray>> computing,
    ReduceArrays arrays) {
  /** The length of the shortest rows that are worth keeping separate. */
  private static final int MIN_INNER = 64;

  /** {@return whether an expression of an element takes a value as one of its row} */
  boolean isOfRow(LoopNode node) {
    return node instanceof LoopNode.Reduced || rowValues.contains(node);
  }

  /** {@return the term of a value in the expressions of an element} */
  Term<LoopNode> elementTerm(LoopNode node) {
    return isOfRow(node) ? new Term.Input<>(node.type()) : node.term();
  }

  /** {@return where elements are read, in the order of all loops, without the base} */
  Offsets offsets(LoopNode.Read read) {
    return along(read, Dims.range(0, domain.loops()));
  }

  /** {@return where values of rows are read, in the order of the rows, without the base} */
  Offsets rowOffsets(LoopNode.Read read) {
    return along(
        read,
        space.isInnerReduced() ? space.keptLoops() : space.keptLoops().concat(space.innerLoops()));
  }

  /** {@return where elements are read along some of the loops, without the base} */
  Offsets along(LoopNode.Read read, Dims loops) {
    Dims strides =
        Dims.of(
            IntStream.range(0, domain.loops()).mapToLong(read.position()::coefficient).toArray());
    return Offsets.merged(Dims.of(domain.counts().toArray()).at(loops), strides.at(loops));
  }

  /** {@return whether each element is read from the place that it has in an array of all} */
  boolean isInPlace(LoopNode.Read read) {
    return read.position().equals(domain.position());
  }

  /**
   * {@return the same program with shorter rows, along which all is contiguous; empty if there are
   * none, or very short ones}
   */
  Optional<RowProgram> withShorterRows() {
    Dims reduced =
        space.isInnerReduced()
            ? space.reducedLoops().concat(space.innerLoops())
            : space.reducedLoops();
    return IntStream.iterate(space.innerLoops().count() - 1, loops -> loops > 0, loops -> loops - 1)
        .mapToObj(loops -> ReductionSpace.of(Dims.of(domain.counts().toArray()), reduced, loops))
        .takeWhile(shorter -> shorter.inner() >= MIN_INNER)
        .map(shorter ->
            new RowProgram(domain, shorter, roots, isFull, rowValues, moved, computing, arrays))
        .filter(program -> program.obstructed().isEmpty())
        .findFirst();
  }

  /** {@return the outermost movement ops through which there is no contiguous way along a row} */
  Set<HloInstruction> obstructed() {
    Set<HloInstruction> found = new LinkedHashSet<>();
    moved.forEach((read, instruction) -> {
      if (offsets(read).strideWithin(space.inner()).filter(stride -> stride <= 1).isEmpty()) {
        found.add(instruction);
      }
    });
    return found;
  }
}
