package org.hlo4j.interpreter.compiled.indexing;

import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Gather;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.compiled.copy.BoxCopy;
import org.hlo4j.interpreter.compiled.copy.CellCopies;
import org.hlo4j.interpreter.compiled.index.Offsets;
import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Parallel;

/**
 * A kernel of a gather: {@code result[batch, offset] = operand[clamp(0, start[batch], last) +
 * offset]}. Threads share the windows.
 */
public final class GatherKernel implements ComputedIndices.IndexKernel {
  private static final int MAX_SHORT_RUN = 16;
  private static final int MAX_WINDOWS = 1 << 12;

  private final Shape.Array shape;
  private final WindowStarts starts;
  private final Offsets targets;
  private final BoxCopy window;
  private final CellCopies cells;
  private final int cellsPerElement;
  private final int windowCount;
  private final int windowCells;

  /**
   * Whether windows are so short and contiguous that their cells are better gathered one by one.
   */
  private final boolean areShortRuns;

  public GatherKernel(Gather op, Shape.Array operand, Shape.Array indices, Shape.Array shape) {
    Dims windowDims = op.windowDims();
    Dims sizes = op.sliceSizes().at(windowDims);
    this.shape = shape;
    this.starts =
        new WindowStarts(
            operand,
            op.sliceSizes(),
            indices,
            op.indexVectorDim(),
            op.startIndexMap(),
            op.operandBatchingDims(),
            op.startIndicesBatchingDims(),
            true);
    this.targets = Offsets.ofDimensions(op.batchDims(shape.rank()), shape.sizes());
    this.window =
        BoxCopy.of(
            operand.elementType(),
            sizes,
            operand.sizes().rowMajorStrides().at(windowDims),
            shape.sizes().rowMajorStrides().at(op.offsetDims()));
    this.cells = CellCopies.of(operand.elementType());
    int count = (int) sizes.product();
    this.cellsPerElement = operand.elementType().componentCount();
    this.windowCount = shape.elementCount() == 0 ? 0 : starts.count();
    this.windowCells = count * cellsPerElement;
    this.areShortRuns =
        windowCells <= MAX_SHORT_RUN && window.isRun(windowCells) && targets.hasStride(count);
  }

  @Override
  public boolean readsVectorsInOrder() {
    return starts.readsVectorsInOrder();
  }

  @Override
  public Literal run(Object[] operands, KernelContext context) {
    Object from = operands[0];
    Object indices = operands[1];
    Object to = context.allocate(shape);
    int chunk = Math.clamp(Machine.COPY_GRAIN / Math.max(1, windowCells), 1, MAX_WINDOWS);
    new Parallel(context, windowCount, chunk)
        .run((first, end) -> gather(from, indices, to, first, end - first));
    return Literal.unsafeOf(shape, to);
  }

  private void gather(Object from, Object indices, Object to, int first, int count) {
    int[] at = starts.of(indices, first, count);
    if (areShortRuns) {
      int[] all = windowCells == 1 ? at : cellPositions(at);
      cells.gather(from, all, all.length, to, first * windowCells, 1);
      return;
    }
    int[] positions = new int[count];
    targets.fill(first, count, positions);
    for (int i = 0; i < count; i++) {
      window.run(from, at[i] * cellsPerElement, to, positions[i] * cellsPerElement);
    }
  }

  /** Returns the positions of all cells of contiguous windows. */
  private int[] cellPositions(int[] starts) {
    int[] all = new int[starts.length * windowCells];
    int next = 0;
    for (int start : starts) {
      for (int i = 0; i < windowCells; i++) {
        all[next++] = start * cellsPerElement + i;
      }
    }
    return all;
  }

  @Override
  public String describe() {
    return "gather of "
        + windowCount
        + (areShortRuns && windowCells == 1 ? " elements" : " windows, each " + window);
  }
}
