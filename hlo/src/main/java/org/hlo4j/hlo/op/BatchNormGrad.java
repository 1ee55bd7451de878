package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.HloException.require;

import org.hlo4j.hlo.Shape;

/**
 * The gradients of {@link BatchNormTraining}.
 *
 * <pre>
 *   centered     = operand - mean
 *   grad_offset  = sum of grad_output
 *   grad_scale   = sum of grad_output * centered / sqrt(variance + epsilon)
 *   grad_operand = scale / sqrt(variance + epsilon) / count * (
 *       count * grad_output - grad_offset
 *           - centered * (sum of grad_output * centered) / (variance + epsilon))
 * </pre>
 *
 * <p>Sums are over all dimensions except the feature dimension; count is the number of elements of
 * such a sum. Operands: operand, scale, mean, variance, grad_output. Result: the tuple of
 * grad_operand, grad_scale and grad_offset.
 *
 * @param epsilon the number added to the variance
 * @param featureIndex the feature dimension
 */
public record BatchNormGrad(float epsilon, int featureIndex) implements Routine {
  @Override
  public String opcode() {
    return "batch-norm-grad";
  }

  @Override
  public Arity arity() {
    return Arity.exactly(5);
  }

  @Override
  public Shape resultShape(Operands in) {
    BatchNormRule rule = new BatchNormRule("batch_norm_grad", featureIndex);
    Shape.Array operand = rule.operand(in);
    rule.check(in, 1, "scale", "C5", operand);
    rule.check(in, 2, "mean", "C4", operand);
    rule.check(in, 3, "variance", "C4", operand);
    Shape.Array gradOutput = in.array(4, "grad_output");
    require(
        gradOutput.hasSameBounds(operand),
        "batch_norm_grad C3",
        "grad_output got %s, want that of operand, %s",
        gradOutput,
        operand);
    Shape vector = rule.vector(operand);
    return Shape.tuple(operand, vector, vector);
  }
}
