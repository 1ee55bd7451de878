package org.hlo4j.interpreter.compiled.indexing;

import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Gather;
import org.hlo4j.interpreter.compiled.copy.BoxCopy;
import org.hlo4j.interpreter.compiled.copy.CellCopies;
import org.hlo4j.interpreter.compiled.copy.OffsetWalk;
import org.hlo4j.interpreter.compiled.copy.Strides;
import org.hlo4j.interpreter.engine.Kernel;
import org.hlo4j.interpreter.engine.KernelContext;

/**
 * A kernel of a gather: {@code result[batch, offset] = operand[clamp(0, start[batch], last) +
 * offset]}. Threads share the windows.
 */
public final class GatherKernel implements Kernel {
  private static final int CHUNK = 1 << 14;
  private static final int MAX_SHORT_RUN = 16;
  private static final int MAX_WINDOWS = 1 << 12;

  private final Shape.Array shape;
  private final WindowStarts starts;
  private final OffsetWalk targets;
  private final BoxCopy window;
  private final CellCopies cells;
  private final int each;
  private final int windows;
  private final boolean points;
  private final int windowCells;

  /**
   * Whether windows are so short and contiguous that their cells are better gathered one by one.
   */
  private final boolean shortRuns;

  public GatherKernel(Gather op, Shape.Array operand, Shape.Array indices, Shape.Array shape) {
    Dims windowDims = op.windowDims();
    int[] sizes = Strides.ints(op.sliceSizes().at(windowDims));
    int[] strides = Strides.of(shape);
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
    this.targets = OffsetWalk.along(op.batchDims(shape.rank()), shape.sizes(), strides);
    this.window =
        BoxCopy.of(
            operand.elementType(),
            sizes,
            Strides.at(Strides.of(operand), windowDims),
            Strides.at(strides, op.offsetDims()));
    this.cells = CellCopies.of(operand.elementType());
    int count = Strides.product(sizes);
    this.each = CellCopies.perElement(operand.elementType());
    this.windows = shape.elementCount() == 0 ? 0 : starts.count();
    this.points = count == 1 && each == 1 && targets.isEven(1);
    this.windowCells = count * each;
    this.shortRuns =
        windowCells > 1
            && windowCells <= MAX_SHORT_RUN
            && window.isRun(windowCells)
            && targets.isEven(count);
  }

  @Override
  public Literal run(Literal[] operands, KernelContext context) {
    Object from = operands[0].unsafeStorage();
    Object indices = operands[1].unsafeStorage();
    Object to = context.allocate(shape);
    int chunk = Math.clamp(CHUNK / Math.max(1, windowCells), 1, MAX_WINDOWS);
    if (windows <= chunk) {
      gather(from, indices, to, 0, windows);
    } else {
      context
          .workers()
          .run(
              Math.ceilDiv(windows, chunk),
              i -> gather(from, indices, to, i * chunk, Math.min(chunk, windows - i * chunk)));
    }
    return Literal.unsafeOf(shape, to);
  }

  private void gather(Object from, Object indices, Object to, int first, int many) {
    int[] at = starts.of(indices, first, many);
    if (points) {
      cells.take(from, at, many, to, first, 1);
      return;
    }
    if (shortRuns) {
      cells.take(from, elementPositions(at), many * windowCells, to, first * windowCells, 1);
      return;
    }
    int[] places = new int[many];
    targets.fill(first, many, places);
    for (int i = 0; i < many; i++) {
      window.run(from, at[i] * each, to, places[i] * each);
    }
  }

  /** Returns the positions of all cells of contiguous windows. */
  private int[] elementPositions(int[] starts) {
    int[] all = new int[starts.length * windowCells];
    int next = 0;
    for (int start : starts) {
      for (int i = 0; i < windowCells; i++) {
        all[next++] = start * each + i;
      }
    }
    return all;
  }

  @Override
  public String describe() {
    return "gather of " + windows + (points ? " elements" : " windows, each " + window);
  }
}
