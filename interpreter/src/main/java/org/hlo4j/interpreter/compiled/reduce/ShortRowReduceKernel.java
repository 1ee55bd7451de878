package org.hlo4j.interpreter.compiled.reduce;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.compiled.arrays.Storages;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.HiddenClasses;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.compiled.codegen.TooLargeException;
import org.hlo4j.interpreter.compiled.index.Offsets;
import org.hlo4j.interpreter.compiled.loops.ComputedArray;
import org.hlo4j.interpreter.engine.Kernel;
import org.hlo4j.interpreter.engine.KernelChoice;
import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Parallel;

/**
 * The kernel for rows that are too short for any preparation of a single row: each is reduced by
 * one call of a loop.
 */
final class ShortRowReduceKernel implements Kernel {

  /**
   * The maximum length of a row: longer rows are better reduced by vectors, especially if their
   * elements are heavy to compute.
   */
  private static final int MAX_ELEMENTS = 256;

  private static final int MAX_HEAVY_ELEMENTS = 24;
  private static final int HEAVY = 12;
  private static final int MAX_LEAVES = 30;

  /** An array that is read, and where its rows begin. */
  private record Source(int array, int offset, Offsets rows) {}

  private final ImmutableList<Source> sources;
  private final ImmutableList<Literal> tables;
  private final ImmutableList<ComputedArray> computed;
  private final ImmutableList<Shape.Array> outputs;
  private final boolean isTuple;
  private final int rows;
  private final int depth;
  private final ReduceLoop loop;

  private ShortRowReduceKernel(
      ImmutableList<Source> sources,
      ImmutableList<Literal> tables,
      ImmutableList<ComputedArray> computed,
      ImmutableList<Shape.Array> outputs,
      boolean isTuple,
      int rows,
      int depth,
      ReduceLoop loop) {
    this.sources = sources;
    this.tables = tables;
    this.computed = computed;
    this.outputs = outputs;
    this.isTuple = isTuple;
    this.rows = rows;
    this.depth = depth;
    this.loop = loop;
  }

  /**
   * Returns the kernel of a graph.
   *
   * @param graph the graph
   * @param roots its results
   * @param outputs their shapes
   * @param isTuple whether they are elements of a tuple
   * @return the kernel; a decline if rows are long, or need several passes
   */
  static KernelChoice of(
      ReduceGraph graph,
      List<ReduceNode> roots,
      ImmutableList<Shape.Array> outputs,
      boolean isTuple) {
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
          HiddenClasses.instance(
              ReduceLoop.class,
              "reduce_short_rows",
              code ->
                  new ShortRowReduceCode(
                          CodeEmitter.scalar(code), survey.leaves, roots, survey.reductions, depth)
                      .write());
      return KernelChoice.of(
          new ShortRowReduceKernel(
              ImmutableList.copyOf(sources),
              ImmutableList.copyOf(graph.tables()),
              graph.computed(),
              outputs,
              isTuple,
              space.kept().count(),
              depth,
              loop));
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
    Object[] arrays = new Object[sources.size() + outputs.size()];
    Object[] given = Arrays.stream(operands).map(Literal::unsafeStorage).toArray();
    ComputedArray.Reader[] readers =
        computed.stream()
            .map(array -> array.reader(given, context))
            .toArray(ComputedArray.Reader[]::new);
    for (int i = 0; i < sources.size(); i++) {
      int array = sources.get(i).array();
      if (array >= 0) {
        arrays[i] =
            array < given.length ? given[array] : tables.get(array - given.length).unsafeStorage();
      }
    }
    List<Literal> results = new ArrayList<>();
    for (int i = 0; i < outputs.size(); i++) {
      Object storage = context.allocate(outputs.get(i));
      arrays[sources.size() + i] = storage;
      results.add(Literal.unsafeOf(outputs.get(i), storage));
    }
    int rowsPerChunk = Math.max(1, Machine.GRAIN / depth);
    Parallel.forRange(
        context, rows, rowsPerChunk, (first, end) -> runRows(arrays, readers, first, end));
    return isTuple ? Literal.tuple(results) : results.get(0);
  }

  private void runRows(Object[] all, ComputedArray.Reader[] readers, int first, int end) {
    Object[] arrays = all.clone();
    int[] positions = new int[arrays.length];
    for (int i = 0; i < sources.size(); i++) {
      int number = -1 - sources.get(i).array();
      if (number >= 0) {
        int count = (end - first) * depth;
        arrays[i] = Storages.allocate(computed.get(number).type(), count);
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
    computed.forEach(ComputedArray::prepare);
  }

  @Override
  public String describe() {
    return "reduce rows "
        + rows
        + "x"
        + depth
        + ", each in one loop"
        + ComputedArray.describe(computed);
  }
}
