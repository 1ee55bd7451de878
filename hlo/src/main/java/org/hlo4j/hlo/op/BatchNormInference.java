package org.hlo4j.hlo.op;

import org.hlo4j.hlo.Shape;

/**
 * Normalizes each feature with the given mean and variance, then scales and shifts it.
 *
 * <pre>
 *   result = (operand - mean) / sqrt(variance + epsilon) * scale + offset
 * </pre>
 *
 * <p>Operands: operand, scale, offset, mean, variance.
 *
 * @param epsilon the number added to the variance
 * @param featureIndex the feature dimension
 */
public record BatchNormInference(float epsilon, int featureIndex) implements Routine {
  @Override
  public String opcode() {
    return "batch-norm-inference";
  }

  @Override
  public Arity arity() {
    return Arity.exactly(5);
  }

  @Override
  public Shape resultShape(Operands in) {
    BatchNormRule rule = new BatchNormRule("batch_norm_inference", featureIndex);
    Shape.Array operand = rule.operand(in);
    rule.check(in, 1, "scale", "C3", operand);
    rule.check(in, 2, "offset", "C4", operand);
    rule.check(in, 3, "mean", "C5", operand);
    rule.check(in, 4, "variance", "C6", operand);
    return operand;
  }
}
