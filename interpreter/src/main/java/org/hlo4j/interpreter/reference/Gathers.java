package org.hlo4j.interpreter.reference;

import static org.hlo4j.hlo.HloException.require;

import java.util.List;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Gather;

/** The gather op, which copies windows of an array whose start indices are data. */
final class Gathers {
  private Gathers() {}

  /** {@code result[batch, offset] = operand[clamp(0, start[batch], last) + offset]} */
  static Literal gather(Gather op, List<Literal> in, Shape.Array shape) {
    requireElements(op, shape);
    return MovementOps.move(op, in, shape);
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
