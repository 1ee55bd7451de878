package org.hlo4j.interpreter.engine;

import java.util.List;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Contraction;
import org.hlo4j.hlo.op.Convolution;
import org.hlo4j.hlo.op.Dot;
import org.hlo4j.hlo.op.RaggedDot;
import org.hlo4j.hlo.op.ScaledDot;

/**
 * The number of floating-point operations of dots and convolutions: two for each product that is
 * summed.
 */
final class ContractionCost {
  private ContractionCost() {}

  /** Returns the operations of an instruction, including those on the padding of a convolution. */
  static double operations(Contraction op, HloInstruction instruction) {
    List<HloInstruction> operands = instruction.operands();
    double results = array(instruction).elementCount();
    return switch (op) {
      case Dot dot -> 2 * results * terms(operands.get(0), dot.lhsContractingDims());
      case ScaledDot dot -> 2 * results * terms(operands.get(0), dot.lhsContractingDims());
      case RaggedDot dot ->
          2 * results * terms(operands.get(0), dot.lhsContractingDims()) / groups(dot, operands);
      case Convolution convolution -> {
        int outputs = convolution.dimLabels().kernelOutputFeatureDimension();
        Shape.Array kernel = array(operands.get(1));
        yield 2 * results * kernel.elementCount() / Math.max(1, kernel.size(outputs));
      }
    };
  }

  private static double terms(HloInstruction lhs, Dims contracting) {
    return array(lhs).sizes().at(contracting).product();
  }

  /**
   * Returns the number of groups that split the contracting dimension and have a result each, or 1.
   */
  private static double groups(RaggedDot dot, List<HloInstruction> operands) {
    return dot.mode() == RaggedDot.Mode.CONTRACTING
        ? Math.max(1, array(operands.get(2)).elementCount())
        : 1;
  }

  private static Shape.Array array(HloInstruction instruction) {
    return (Shape.Array) instruction.shape();
  }
}
