package org.hlo4j.interpreter.compiled.reduce;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import org.hlo4j.hlo.Literal;
import org.hlo4j.interpreter.compiled.arrays.Storages;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.compiled.codegen.TooLargeException;
import org.hlo4j.interpreter.compiled.index.Offsets;
import org.hlo4j.interpreter.compiled.loops.ComputedArray;
import org.hlo4j.interpreter.compiled.tiering.Tiered;
import org.hlo4j.interpreter.engine.Kernel;
import org.hlo4j.interpreter.engine.KernelChoice;
import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Parallel;

/**
 * The kernel for rows that are too short for any preparation of a single row: each is reduced by
 * one call of a loop.
 *
 * @param sources the arrays that are read
 * @param given the arrays beside the operands
 * @param rows the number of rows
 * @param depth the number of elements in a row
 * @param loop the loop, which reads the sources and writes the results
 */
record ShortRowReduceKernel(
    ImmutableList<Source> sources, ReduceArrays given, int rows, int depth, ReduceLoop loop)
    implements Kernel {

  /**
   * The maximum length of a row: longer rows are better reduced by vectors, especially if their
   * elements are heavy to compute.
   */
  private static final int MAX_ELEMENTS = 256;

  private static final int MAX_HEAVY_ELEMENTS = 24;
  private static final int HEAVY = 12;
  private static final int MAX_LEAVES = 30;

  /** An array that is read, and where its rows begin. */
  record Source(int array, int offset, Offsets rows) {}

  /**
   * Returns the kernel of a graph.
   *
   * @param graph the graph
   * @param roots its results
   * @param given the arrays beside the operands
   * @return the kernel; a decline if rows are long, or need several passes
   */
  static KernelChoice of(ReduceGraph graph, List<ReduceNode> roots, ReduceArrays given) {
    ReductionSpace space = graph.collapsed();
    int depth = space.inner();
    boolean isOfRows = space.isInnerReduced() && space.reduced().count() == 1 && depth > 1;
    if (!isOfRows || depth > MAX_ELEMENTS) {
      return KernelChoice.decline("no short rows");
    }
    try {
      ShortRowReduceCode.Survey survey = new ShortRowReduceCode.Survey(roots, depth);
      if (survey.obstacle.isMet()) {
        return KernelChoice.decline(survey.obstacle.reason());
      }
      boolean isHeavy = survey.weight > HEAVY;
      if ((isHeavy && depth > MAX_HEAVY_ELEMENTS)
          || survey.reductions.isEmpty()
          || survey.leaves.size() > MAX_LEAVES) {
        return KernelChoice.decline("rows that take much, or read many arrays");
      }
      List<Source> sources = new ArrayList<>();
      survey.leaves.forEach(
          (node, leaf) -> sources.add(source((ReduceNode.Read) node, leaf, depth)));
      ReduceLoop loop =
          Tiered.scalar(
              ReduceLoop.class,
              "reduce_short_rows",
              emitter ->
                  new ShortRowReduceCode(emitter, survey.leaves, roots, survey.reductions, depth)
                      .write());
      return KernelChoice.of(
          new ShortRowReduceKernel(
              ImmutableList.copyOf(sources), given, space.kept().count(), depth, loop));
    } catch (TooLargeException tooLarge) {
      return tooLarge.decline();
    }
  }

  private static Source source(ReduceNode.Read read, ShortRowReduceCode.Leaf leaf, int depth) {
    Offsets rows = read.view.rowStarts(leaf.isOfRow() ? 1 : depth);
    return new Source(read.input, read.view.offset(), rows);
  }

  @Override
  public Literal run(Literal[] operands, KernelContext context) {
    Object[] inputs = given.inputs(operands);
    ComputedArray.Reader[] readers = given.readers(inputs, context);
    Object[] arrays = new Object[sources.size() + given.shapes().size()];
    for (int i = 0; i < sources.size(); i++) {
      int array = sources.get(i).array();
      arrays[i] = array < 0 ? arrays[i] : inputs[array];
    }
    Literal result = given.allocate(arrays, sources.size(), context);
    int rowsPerChunk = Math.max(1, Machine.GRAIN / depth);
    Parallel.forRange(
        context, rows, rowsPerChunk, (first, end) -> runRows(arrays, readers, first, end));
    return result;
  }

  private void runRows(Object[] all, ComputedArray.Reader[] readers, int first, int end) {
    Object[] arrays = all.clone();
    int[] positions = new int[arrays.length];
    for (int i = 0; i < sources.size(); i++) {
      int number = -1 - sources.get(i).array();
      if (number >= 0) {
        int count = (end - first) * depth;
        arrays[i] = Storages.allocate(given.computed().get(number).type(), count);
        readers[number].read(first * depth, count, arrays[i], 0);
      }
    }
    for (int row = first; row < end; row++) {
      for (int i = 0; i < positions.length; i++) {
        positions[i] = row;
      }
      for (int i = 0; i < sources.size(); i++) {
        Source source = sources.get(i);
        positions[i] =
            source.array() < 0 ? (row - first) * depth : source.offset() + source.rows().at(row);
      }
      loop.run(arrays, positions, 0, depth);
    }
  }

  /** Installs the vector forms now, even if C2 has not compiled them yet; for tests. */
  void prepare() {
    given.prepare();
  }

  @Override
  public String describe() {
    return "reduce rows " + rows + "x" + depth + ", each in one loop" + given.describe();
  }
}
