package org.hlo4j.interpreter.compiled.indexing;

import java.util.ArrayList;
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
import org.hlo4j.interpreter.compiled.index.Offsets;
import org.hlo4j.interpreter.engine.KernelContext;

/**
 * A kernel of a scatter: {@code result[start[scatter] + window] = body(result[...],
 * updates[scatter, window])} for all windows that fit in the result, in order.
 */
public final class ScatterKernel implements ComputedIndices.IndexKernel {
  private final List<Shape.Array> shapes;
  private final List<BoxCopy> copies;
  private final WindowStarts starts;
  private final int windowCount;
  private final BoxCopy window;
  private final int length;

  private final RowScatter rows;

  /** The computation of the op; empty if it takes the update as it is. */
  private final Optional<ScalarBody<RowScatterLoop>> body;

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
    Offsets sources = Offsets.ofDimensions(op.updateScatterDims(updates.rank()), updates.sizes());
    this.window = BoxCopy.of(input.elementType(), sizes, from, to);
    boolean isNothing = updates.elementCount() == 0 || input.elementCount() == 0;
    this.windowCount = isNothing ? 0 : sources.count();
    int last = sizes.count() - 1;
    boolean runs = last >= 0 && from.get(last) == 1 && to.get(last) == 1;
    Dims outer = runs ? sizes.subList(0, last) : sizes;
    this.length = runs ? Math.max(1, sizes.getInt(last)) : 1;
    this.rows =
        new RowScatter(
            starts,
            sources,
            (int) input.elementCount(),
            Offsets.merged(outer, to),
            Offsets.merged(outer, from),
            length);
    boolean overwrites = body.root().op() instanceof Parameter parameter && parameter.number() == 1;
    this.body =
        overwrites
            ? Optional.empty()
            : Optional.of(
                ScalarBody.combining(body, length, false, rows.areInOrder(), observesNanBits));
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
    RowScatterLoop loops = body.map(known -> known.forRun(context)).orElse(this::overwrite);
    if (windowCount > 0) {
      RowScatter.Job job =
          new RowScatter.Job(
              loops, results.toArray(), operands[count], updates.toArray(), context.workers());
      rows.run(job, body.map(ScalarBody::isGenerated).orElse(true));
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

  private void overwrite(
      Object[] to,
      int[] at,
      Object[] from,
      int[] source,
      int first,
      int end,
      int column,
      int stop) {
    ElementType type = shapes.get(0).elementType();
    int cells = type.componentCount();
    if (rows.areInOrder() && cells == 1) {
      CellCopies.of(type).scatter(from[0], source[0], first, end, to[0], at);
      return;
    }
    int count = (stop - column) * cells;
    for (int row = first; row < end; row++) {
      if (at[row] >= 0) {
        int f = source.length == 1 ? source[0] + row : source[row];
        System.arraycopy(from[0], (f + column) * cells, to[0], (at[row] + column) * cells, count);
      }
    }
  }

  @Override
  public boolean canReuseOperandBuffer(int operand) {
    return operand == 0 && shapes.size() == 1;
  }

  @Override
  public String describe() {
    String algorithm =
        body.map(known -> known.isGenerated() ? "by loops" : "by calls").orElse("overwriting");
    return "scatter of " + windowCount + " windows " + algorithm + ", each " + window;
  }
}
