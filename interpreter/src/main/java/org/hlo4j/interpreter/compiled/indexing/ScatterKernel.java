package org.hlo4j.interpreter.compiled.indexing;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Scatter;
import org.hlo4j.interpreter.compiled.arrays.Storages;
import org.hlo4j.interpreter.compiled.copy.BoxCopy;
import org.hlo4j.interpreter.compiled.copy.CellCopies;
import org.hlo4j.interpreter.compiled.expr.ScalarReducer;
import org.hlo4j.interpreter.compiled.expr.ScatterLoop;
import org.hlo4j.interpreter.compiled.index.Offsets;
import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Pieces;

/**
 * A kernel of a scatter: {@code result[start[scatter] + window] = body(result[...],
 * updates[scatter, window])} for all windows that fit in the result, in order.
 */
public final class ScatterKernel implements ComputedIndices.IndexKernel {
  private static final int MAX_WINDOWS = 1 << 12;

  private final List<Shape.Array> shapes;
  private final List<BoxCopy> copies;
  private final WindowStarts starts;
  private final Offsets sources;

  /** Whether windows are single elements that are contiguous in the updates. */
  private final boolean arePoints;

  private final Optional<RowScatter> rows;
  private final Optional<RowScatterLoops> loops;
  private final boolean overwrites;
  private final BoxCopy window;
  private final CellCopies cells;
  private final ScalarReducer body;
  private final int windowCount;
  private final int cellsPerElement;
  private final long windowElements;

  public ScatterKernel(
      Scatter op, List<Shape.Array> in, HloComputation body, boolean observesNanBits) {
    List<Shape.Array> inputs = in.subList(0, in.size() / 2);
    Shape.Array input = inputs.get(0);
    Shape.Array indices = in.get(inputs.size());
    Shape.Array updates = in.get(inputs.size() + 1);
    Dims windowDims = op.windowDims(input.rank());
    Dims sizes = updates.sizes().at(op.updateWindowDims());
    Dims from = updates.sizes().rowMajorStrides().at(op.updateWindowDims());
    Dims to = input.sizes().rowMajorStrides().at(windowDims);
    ElementType type = input.elementType();
    this.shapes = inputs;
    this.copies = inputs.stream().map(BoxCopy::whole).toList();
    this.starts =
        new WindowStarts(
            input,
            op.windowSizes(input.rank(), updates.sizes()),
            indices,
            op.indexVectorDim(),
            op.scatterDimsToOperandDims(),
            op.inputBatchingDims(),
            op.scatterIndicesBatchingDims(),
            false);
    this.sources = Offsets.ofDimensions(op.updateScatterDims(updates.rank()), updates.sizes());
    this.overwrites = body.root().op() instanceof Parameter parameter && parameter.number() == 1;
    this.window = BoxCopy.of(type, sizes, from, to);
    this.cells = CellCopies.of(type);
    this.cellsPerElement = CellCopies.perElement(type);
    this.body = ScalarReducer.combining(body, false, observesNanBits);
    this.windowElements = sizes.product();
    boolean isNothing = updates.elementCount() == 0 || input.elementCount() == 0;
    this.windowCount = isNothing ? 0 : sources.count();
    int last = sizes.count() - 1;
    boolean runs = last >= 0 && from.get(last) == 1 && to.get(last) == 1;
    Dims outer = runs ? sizes.subList(0, last) : sizes;
    int length = runs ? sizes.getInt(last) : 1;
    Offsets rowsTo = Offsets.merged(outer, to);
    Offsets rowsFrom = Offsets.merged(outer, from);
    this.arePoints = length == 1 && rowsTo.count() == 1 && sources.hasStride(1);
    if (isNothing || arePoints) {
      this.loops = Optional.empty();
      this.rows = Optional.empty();
    } else {
      int size = (int) input.elementCount();
      this.loops = RowScatterLoops.of(body, length, observesNanBits);
      this.rows = Optional.of(new RowScatter(starts, sources, size, rowsTo, rowsFrom, length));
    }
  }

  @Override
  public boolean readsVectorsInOrder() {
    return starts.readsVectorsInOrder();
  }

  @Override
  public Literal run(Object[] operands, KernelContext context) {
    int count = shapes.size();
    List<Object> results = new ArrayList<>();
    List<Object> updates = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      results.add(copy(operands[i], i, context));
      updates.add(operands[count + 1 + i]);
    }
    Object indices = operands[count];
    if (overwrites && count == 1) {
      overwrite(results.get(0), indices, updates.get(0));
    } else {
      combine(results.toArray(), indices, updates.toArray(), context);
    }
    return Storages.result(shapes, results);
  }

  private Object copy(Object operand, int i, KernelContext context) {
    Object result = context.allocate(shapes.get(i));
    if (result != operand) {
      copies.get(i).run(operand, 0, result, 0, context.workers());
    }
    return result;
  }

  private void overwrite(Object to, Object indices, Object from) {
    Pieces pieces = new Pieces();
    for (int first = 0; first < windowCount; first += MAX_WINDOWS) {
      int count = Math.min(MAX_WINDOWS, windowCount - first);
      pieces.next(count);
      int[] at = starts.of(indices, first, count);
      if (arePoints && cellsPerElement == 1) {
        cells.scatter(from, first, at, count, to);
        continue;
      }
      for (int i = 0; i < count; i++) {
        if (at[i] >= 0) {
          pieces.next(windowElements);
          window.run(from, sources.at(first + i) * cellsPerElement, to, at[i] * cellsPerElement);
        }
      }
    }
  }

  private void combine(Object[] to, Object indices, Object[] from, KernelContext context) {
    ScatterLoop elements = body.scatterLoop(context);
    if (!rows.isPresent()) {
      points(elements, to, indices, from);
    } else {
      RowScatterLoop each = loops.isPresent() ? loops.get() : byElements(elements);
      rows.get().run(new RowScatter.Job(each, to, indices, from, context), body.isGenerated());
    }
  }

  private void points(ScatterLoop elements, Object[] to, Object indices, Object[] from) {
    new Pieces(0, windowCount)
        .run((begin, end) -> {
          for (int first = begin; first < end; first += MAX_WINDOWS) {
            int[] at = starts.of(indices, first, Math.min(MAX_WINDOWS, end - first));
            elements.scatter(to, at, from, first, at.length);
          }
        });
  }

  private static RowScatterLoop byElements(ScatterLoop elements) {
    return (to, at, from, source, first, end, column, stop) -> {
      int[] targets = new int[stop - column];
      for (int row = first; row < end; row++) {
        int target = at[row] + column;
        Arrays.setAll(targets, i -> target + i);
        elements.scatter(to, targets, from, source[row] + column, targets.length);
      }
    };
  }

  @Override
  public boolean canReuseOperandBuffer(int operand) {
    return operand == 0 && shapes.size() == 1;
  }

  @Override
  public String describe() {
    String algorithm = overwrites ? "overwriting" : body.isGenerated() ? "by loops" : "by calls";
    return "scatter of " + windowCount + " windows " + algorithm + ", each " + window;
  }
}
