package org.hlo4j.interpreter.compiled.moves;

import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Gather;
import org.hlo4j.hlo.op.Scatter;
import org.hlo4j.interpreter.kernel.Kernel;

/** Kernels of gather and scatter. */
public final class Gathers {
  private Gathers() {}

  /**
   * The kernel of an instruction; none if it is of another op, its sizes are dynamic, or the
   * reference evaluator refuses it.
   */
  public static Optional<Kernel> kernel(HloInstruction instruction) {
    if (!Moves.arrays(instruction).allMatch(Moves::isStatic)) {
      return Optional.empty();
    }
    List<Shape.Array> in =
        instruction.operands().stream()
            .map(operand -> (Shape.Array) operand.shape().withoutLayout())
            .toList();
    if (instruction.op() instanceof Gather op) {
      Shape.Array shape = (Shape.Array) instruction.shape().withoutLayout();
      return Optional.of(shape)
          .filter(result -> hasElements(op, result))
          .map(result -> new GatherKernel(op, in.get(0), in.get(1), result));
    }
    if (instruction.op() instanceof Scatter op) {
      int count = in.size() / 2;
      return Optional.of(
          new ScatterKernel(
              op,
              in.subList(0, count),
              in.get(count),
              in.get(count + 1),
              instruction.called().get(0)));
    }
    return Optional.empty();
  }

  /** Whether there is something to take where slices are left out. */
  private static boolean hasElements(Gather op, Shape.Array shape) {
    Dims leftOut = op.collapsedSliceDims().concat(op.operandBatchingDims());
    return shape.elementCount() == 0 || !op.sliceSizes().at(leftOut).contains(0);
  }
}
