package org.hlo4j.hlo.op;

import org.hlo4j.hlo.Shape;

/**
 * Normalizes each feature to mean 0 and variance 1 over all other dimensions, then scales and
 * shifts it.
 *
 * <pre>
 *   mean[f]     = sum of operand[.., f] / count
 *   variance[f] = sum of (operand[.., f] - mean[f])^2 / count
 *   output      = (operand - mean) / sqrt(variance + epsilon) * scale + offset
 * </pre>
 *
 * <p>Operands: operand, scale, offset. Result: the tuple of output, mean and variance.
 *
 * @param epsilon the number added to the variance
 * @param featureIndex the feature dimension
 */
public record BatchNormTraining(float epsilon, int featureIndex) implements Routine {
  @Override
  public String opcode() {
    return "batch-norm-training";
  }

  @Override
  public Arity arity() {
    return Arity.exactly(3);
  }

  @Override
  public Shape resultShape(Operands in) {
    BatchNormRule rule = new BatchNormRule("batch_norm_training", featureIndex);
    Shape.Array operand = rule.operand(in);
    rule.check(in, 1, "scale", "C3", operand);
    rule.check(in, 2, "offset", "C4", operand);
    Shape vector = rule.vector(operand);
    return Shape.tuple(operand, vector, vector);
  }
}
