package org.hlo4j.interpreter.reference;

import static org.hlo4j.hlo.HloException.require;

import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Gather;
import org.hlo4j.interpreter.engine.Execution;
import org.hlo4j.interpreter.engine.Limits;

/** The gather op, which copies windows of an array whose start indices are data. */
final class Gathers {
  private Gathers() {}

  /** {@code result[batch, offset] = operand[clamp(0, start[batch], last) + offset]} */
  static Literal gather(
      Gather op, Literal operand, Literal startIndices, Shape.Array shape, Execution execution) {
    requireElements(op, shape);
    Dims sizes = operand.arrayShape().sizes();
    Dims strides = Offsets.strides(sizes);
    Dims windowDims = op.windowDims();
    IndexVectors starts = starts(op, startIndices, sizes.count());
    int[] batches = Offsets.ofDimensions(op.batchDims(shape.rank()), shape.sizes());
    int[] offsets = Offsets.ofDimensions(op.offsetDims(), shape.sizes());
    int[] window = Offsets.ofAllIndices(op.sliceSizes().at(windowDims), strides.at(windowDims));
    LiteralBuilder result = new LiteralBuilder(shape);
    for (int b = 0; b < batches.length && offsets.length > 0; b++) {
      execution.checkLimits();
      Dims start = starts.at(b).clamp(sizes.minus(sizes), sizes.minus(op.sliceSizes()));
      int from = Offsets.ofIndex(start, strides);
      for (int i = 0; i < offsets.length; i++) {
        Limits.checkAt(i);
        result.copy(batches[b] + offsets[i], operand, from + window[i]);
      }
    }
    return result.build();
  }

  static IndexVectors starts(Gather op, Literal startIndices, int rank) {
    return new IndexVectors(
        startIndices,
        op.indexVectorDim(),
        op.startIndexMap(),
        op.operandBatchingDims(),
        op.startIndicesBatchingDims(),
        rank);
  }

  /**
   * Rejects a slice size of 0 in a dimension that is left out of the result. The specification
   * allows it, but does not define the elements of the result.
   */
  private static void requireElements(Gather op, Shape.Array shape) {
    Dims leftOut = op.collapsedSliceDims().concat(op.operandBatchingDims());
    require(
        shape.elementCount() == 0 || !op.sliceSizes().at(leftOut).contains(0),
        "",
        "gather: slice_sizes got %s, want 1 in the dimensions left out, %s: there is no element to"
            + " take for %s",
        op.sliceSizes(),
        leftOut,
        shape);
  }
}
