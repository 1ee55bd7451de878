package org.hlo4j.interpreter.compiled.reduce;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import com.google.common.math.IntMath;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.codegen.NoCodeException;
import org.hlo4j.interpreter.compiled.expr.Term;
import org.hlo4j.interpreter.compiled.index.Offsets;
import org.hlo4j.interpreter.compiled.loops.LoopNode;
import org.hlo4j.interpreter.compiled.loops.Reduction;

/**
 * A plan for the kernels that process blocks of rows: what they read, reduce, save and store. It
 * serves kernels with one row per lane and kernels with all lanes in one row. Rows are grouped into
 * sides: a side is a number of consecutive rows for which everything that is read has a constant
 * row stride.
 */
final class BlockPlan extends Passes {
  /**
   * An array that is read.
   *
   * @param number the index of its array and of its position
   * @param input the index of the operand or table
   * @param offset the index of the first row
   * @param segmentStarts where sides begin, without the offset
   * @param rowStride the stride of the rows within a side
   * @param elementStride the stride of the elements of a row; 0 if there is one for each row
   * @param reducedStarts where the contiguous elements of a row begin, for each of its indices
   *     along the other reduced dimensions
   */
  record Leaf(
      int number,
      int input,
      int offset,
      Offsets segmentStarts,
      int rowStride,
      int elementStride,
      Offsets reducedStarts) {
    /** {@return whether there is one element for each row, not one for each element of a row} */
    boolean isOfRow() {
      return elementStride == 0;
    }

    /** {@return whether all sides read the same elements} */
    boolean isShared() {
      return !isComputed() && segmentStarts.isZero();
    }

    /**
     * {@return whether it is transposed into a tile in which equal elements of neighbouring rows
     * are contiguous}
     */
    boolean isTiled() {
      return rowStride != 0 && rowStride != 1;
    }

    /** {@return whether loops compute it, a block at a time} */
    boolean isComputed() {
      return input < 0;
    }
  }

  private record AccessPattern(Offsets rows, int elementStride, Offsets reduced) {}

  private static final Offsets NOTHING = Offsets.of(List.of(), List.of());

  final ImmutableList<LoopNode> roots;

  /** The number of elements in a row. */
  final int depth;

  /** The number of elements of a row that follow each other. */
  final int contiguous;

  /**
   * The number of parts in which contiguous elements are reduced, each of {@link
   * ContiguousReduceCode#MAX_ELEMENTS} but the last.
   */
  final int partsOfContiguous;

  /** The number of rows. */
  final int rowCount;

  /** The number of rows in a side. */
  final int segment;

  private final ReductionSpace space;
  private final Map<LoopNode, Leaf> leavesOfReads = new LinkedHashMap<>();
  final ImmutableList<Leaf> leaves;

  /** For each reduction, the index of the array of its first result. */
  final Map<Reduction, Integer> resultArrays = new LinkedHashMap<>();

  final int firstResult;
  final int firstOutput;
  private final Map<Integer, PassCost> costs = new HashMap<>();

  /** {@return whether what is reduced is contiguous, or follows itself at a constant stride} */
  static boolean hasRows(ReductionSpace space) {
    return space.isInnerReduced() || space.reduced().sizes().length() == 1;
  }

  /**
   * Creates the plan of a program, in a space for which {@link #hasRows} is true.
   *
   * @param separatesSums see {@link Passes}
   * @throws NoCodeException if something is read along a row with several strides
   */
  BlockPlan(RowProgram program, boolean separatesSums) {
    super(program, separatesSums);
    space = program.space();
    roots = program.roots();
    depth = Math.toIntExact(space.depth());
    contiguous = space.isInnerReduced() ? space.inner() : depth;
    partsOfContiguous =
        space.isInnerReduced() ? Math.ceilDiv(contiguous, ContiguousReduceCode.MAX_ELEMENTS) : 1;
    rowCount = space.results();
    Map<LoopNode.Read, AccessPattern> accesses = new LinkedHashMap<>();
    reads.forEach((read, isOfElement) ->
        accesses.put(
            read,
            isOfElement
                ? elementAccess(read)
                : new AccessPattern(program.rowOffsets(read), 0, NOTHING)));
    segment =
        accesses.values().stream()
            .map(access -> access.rows.innerSize())
            .reduce(space.isInnerReduced() ? rowCount : space.inner(), IntMath::gcd);
    accesses.forEach((read, access) ->
        leavesOfReads.put(
            read,
            new Leaf(
                leavesOfReads.size(),
                read.input(),
                (int) read.position().base(),
                access.rows.each(segment),
                access.rows.innerStride(),
                access.elementStride,
                access.reduced)));
    leaves = ImmutableList.copyOf(leavesOfReads.values());
    saveExpensive();
    firstResult = leaves.size() + saved.size();
    int next = firstResult;
    for (Reduction reduction : reductions) {
      resultArrays.put(reduction, next);
      next += reduction.inputs().size();
    }
    firstOutput = next;
  }

  Leaf leaf(LoopNode read) {
    return requireNonNull(leavesOfReads.get(read));
  }

  /** {@return the index of the array that saves a value for later passes} */
  int savedArray(LoopNode node) {
    return leaves.size() + saved.stream().toList().indexOf(node);
  }

  /** {@return the indices of the arrays in which a value of each element is stored} */
  List<Integer> storedIn(LoopNode node) {
    List<Integer> arrays = new ArrayList<>();
    if (saved.contains(node)) {
      arrays.add(savedArray(node));
    }
    full(pass(node)).stream()
        .filter(i -> roots.get(i) == node)
        .forEach(i -> arrays.add(firstOutput + i));
    return arrays;
  }

  /** {@return whether an array is a result that has an element for each element of a row} */
  boolean isFullOutput(int array) {
    return array >= firstOutput && array < arrayCount() && isFull(array - firstOutput);
  }

  /** {@return whether some result has an element for each element of a row} */
  boolean hasFullResults() {
    return program.isFull().contains(true);
  }

  /** {@return the term of a value in the expressions of an element in a pass} */
  Term<LoopNode> elementTerm(LoopNode node, int pass) {
    return isSaved(node, pass) ? new Term.Input<>(node.type()) : program.elementTerm(node);
  }

  /** {@return the number of arrays} */
  int arrayCount() {
    return firstOutput + roots.size();
  }

  /** {@return whether rows extend along the innermost dimension, not across it} */
  boolean isInnerReduced() {
    return space.isInnerReduced();
  }

  /** {@return the cost and structure of a pass} */
  PassCost cost(int pass) {
    return costs.computeIfAbsent(pass, key -> new PassCost(this, key));
  }

  /** {@return the cost and structure of each pass, in order} */
  Stream<PassCost> cost() {
    return IntStream.range(0, passCount).mapToObj(this::cost);
  }

  /** {@return the number of accumulators of a reduction with one row per lane} */
  int accumulators(Reduction reduction) {
    return SummationOrder.across(reduction.body(), depth).accumulators();
  }

  /** {@return the greatest number of accumulators of the reductions of a pass} */
  int accumulators(int pass) {
    return reductions(pass).stream().mapToInt(this::accumulators).max().orElse(1);
  }

  /** {@return the stride of the elements of a row in a result that has all of them} */
  int elementStride() {
    return space.isInnerReduced() ? 1 : space.reduced().innerStride();
  }

  /** {@return the index at which a row begins in a result that has all its elements} */
  int start(int row) {
    return space.isInnerReduced()
        ? space.kept().at(row)
        : space.kept().at(row / space.inner()) + row % space.inner();
  }

  /**
   * {@return where the contiguous elements of a row begin in a result that has all its elements,
   * after {@link #start}, for each of its indices along the other reduced dimensions}
   */
  Offsets reducedStarts() {
    return space.reduced();
  }

  /** {@return the number of parts in which a row is reduced} */
  int parts() {
    return space.isInnerReduced() ? space.reduced().count() * partsOfContiguous : 1;
  }

  /** {@return whether rows are reduced in several parts, which are combined in order} */
  boolean isParted() {
    return parts() > 1;
  }

  /** {@return whether some value is stored for each element} */
  boolean storesElements() {
    return IntStream.range(0, passCount).anyMatch(pass -> !stored(pass).isEmpty());
  }

  /** {@return the element types of the arrays, in the order of their indices} */
  ImmutableList<ElementType> types() {
    ImmutableList.Builder<ElementType> types = ImmutableList.builder();
    reads.keySet().forEach(node -> types.add(node.type()));
    saved.forEach(node -> types.add(node.type()));
    reductions.forEach(reduction -> reduction.inputs().forEach(input -> types.add(input.type())));
    roots.forEach(node -> types.add(node.type()));
    return types.build();
  }

  private AccessPattern elementAccess(LoopNode.Read read) {
    Offsets all = program.offsets(read);
    Offsets kept = program.along(read, space.keptLoops());
    Offsets reduced = program.along(read, space.reducedLoops());
    if (space.isInnerReduced()) {
      int stride = all.strideWithin(contiguous).orElseThrow(BlockPlan::severalStrides);
      return new AccessPattern(kept, stride, reduced);
    }
    Offsets inner = program.along(read, space.innerLoops());
    if (read.input() < 0 || inner.sizes().length() > 1 || reduced.sizes().length() > 1) {
      throw severalStrides();
    }
    return new AccessPattern(kept.then(inner), reduced.innerStride(), NOTHING);
  }

  private static NoCodeException severalStrides() {
    return new NoCodeException("a view of several strides");
  }
}
