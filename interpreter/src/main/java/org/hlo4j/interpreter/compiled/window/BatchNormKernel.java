package org.hlo4j.interpreter.compiled.window;

import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.compiled.arrays.Doubles;
import org.hlo4j.interpreter.engine.Kernel;
import org.hlo4j.interpreter.engine.KernelContext;

/**
 * A kernel of batch normalization in training, inference or gradient form. Features are distributed
 * over threads.
 */
public final class BatchNormKernel implements Kernel {
  /** The form of the batch normalization. */
  public enum Kind {
    TRAINING,
    INFERENCE,
    GRAD
  }

  private final Kind kind;
  private final BatchNormLayout layout;
  private final Shape.Array vector;

  public BatchNormKernel(Kind kind, Shape.Array operand, int featureIndex, float epsilon) {
    this.kind = kind;
    this.layout = new BatchNormLayout(operand, featureIndex, epsilon);
    this.vector = Shape.of(operand.elementType(), layout.features);
  }

  @Override
  public Literal run(Literal[] operands, KernelContext context) {
    Object[] in = new Object[operands.length];
    for (int i = 0; i < in.length; i++) {
      in[i] = operands[i].unsafeStorage();
    }
    Object result = context.allocate(layout.shape);
    if (kind == Kind.INFERENCE) {
      inference(in, result, context);
      return Literal.unsafeOf(layout.shape, result);
    }
    Object first = context.allocate(vector);
    Object second = context.allocate(vector);
    if (kind == Kind.TRAINING) {
      training(in, result, first, second, context);
    } else {
      grad(in, result, first, second, context);
    }
    return Literal.tuple(
        Literal.unsafeOf(layout.shape, result),
        Literal.unsafeOf(vector, first),
        Literal.unsafeOf(vector, second));
  }

  /** The work on a range of features. */
  private interface Part {
    void run(int from, int end);
  }

  private void forEachPart(KernelContext context, Part part) {
    int each = layout.featuresPerPart();
    context
        .workers()
        .run(
            layout.partCount(), i -> part.run(i * each, Math.min(layout.features, (i + 1) * each)));
  }

  private void inference(Object[] in, Object result, KernelContext context) {
    forEachPart(
        context,
        (from, end) -> {
          double[] means = layout.vector(in[3], from, end);
          double[] variances = layout.vector(in[4], from, end);
          layout.normalize(
              in[0], normalization(in, means, variances, from, end), result, from, end);
        });
  }

  private BatchNormLayout.Normalization normalization(
      Object[] in, double[] means, double[] variances, int from, int end) {
    double[] scales = layout.vector(in[1], from, end);
    double[] offsets = layout.vector(in[2], from, end);
    return new BatchNormLayout.Normalization(means, layout.deviations(variances), scales, offsets);
  }

  private void training(
      Object[] in, Object result, Object meansOut, Object variancesOut, KernelContext context) {
    forEachPart(
        context,
        (from, end) -> {
          double[] means = layout.means(in[0], from, end);
          double[] variances = layout.variances(in[0], means, from, end);
          layout.normalize(
              in[0], normalization(in, means, variances, from, end), result, from, end);
          Doubles.write(layout.type, means, 0, meansOut, from, end - from);
          Doubles.write(layout.type, variances, 0, variancesOut, from, end - from);
        });
  }

  private void grad(
      Object[] in, Object result, Object gradScale, Object gradOffset, KernelContext context) {
    forEachPart(
        context,
        (from, end) -> {
          int featureCount = end - from;
          Gradient gradient = new Gradient(in, from, end);
          gradient.sum();
          gradient.writeOperandGradient(result);
          Doubles.write(layout.type, gradient.scaleGradients(), 0, gradScale, from, featureCount);
          Doubles.write(layout.type, gradient.sums, 0, gradOffset, from, featureCount);
        });
  }

  /** The gradients of a range of features. */
  private final class Gradient {
    final double[] sums;
    private final Object operand;
    private final Object gradOutput;
    private final int from;
    private final int end;
    private final double[] scales;
    private final double[] means;
    private final double[] variances;
    private final double[] covarianceSums;
    private final double[] factors;
    private final double[] line;
    private final double[] grads;

    Gradient(Object[] in, int from, int end) {
      this.operand = in[0];
      this.gradOutput = in[4];
      this.from = from;
      this.end = end;
      this.scales = layout.vector(in[1], from, end);
      this.means = layout.vector(in[2], from, end);
      this.variances = layout.vector(in[3], from, end);
      for (int f = 0; f < variances.length; f++) {
        variances[f] += layout.epsilon;
      }
      this.sums = new double[end - from];
      this.covarianceSums = new double[end - from];
      this.factors = new double[end - from];
      this.line = layout.newLine(from, end);
      this.grads = layout.newLine(from, end);
    }

    private void read(int at, int length, int feature) {
      Doubles.read(layout.type, operand, at, 1, line, 0, length);
      Doubles.read(layout.type, gradOutput, at, 1, grads, 0, length);
      BatchNormLayout.center(line, length, means, feature);
    }

    /**
     * Sums, for each feature, the gradient of the output, and its product with the centered
     * operand.
     */
    void sum() {
      layout.forEachLine(
          from,
          end,
          (at, length, feature) -> {
            read(at, length, feature);
            BatchNormLayout.add(grads, length, sums, feature);
            for (int i = 0; i < length; i++) {
              line[i] = grads[i] * line[i];
            }
            BatchNormLayout.add(line, length, covarianceSums, feature);
          });
      for (int f = 0; f < factors.length; f++) {
        factors[f] = scales[f] / Math.sqrt(variances[f]) / layout.count;
      }
    }

    double[] scaleGradients() {
      double[] gradients = new double[covarianceSums.length];
      for (int f = 0; f < gradients.length; f++) {
        gradients[f] = covarianceSums[f] / Math.sqrt(variances[f]);
      }
      return gradients;
    }

    void writeOperandGradient(Object result) {
      layout.forEachLine(
          from,
          end,
          (at, length, feature) -> {
            read(at, length, feature);
            if (feature < 0) {
              computeAllFeatures(length);
            } else {
              computeOneFeature(length, feature);
            }
            Doubles.write(layout.type, line, 0, result, at, length);
          });
    }

    private void computeAllFeatures(int length) {
      int count = layout.count;
      for (int i = 0; i < length; i++) {
        line[i] =
            factors[i] * (count * grads[i] - sums[i] - line[i] * covarianceSums[i] / variances[i]);
      }
    }

    private void computeOneFeature(int length, int f) {
      int count = layout.count;
      double factor = factors[f];
      double sum = sums[f];
      double covarianceSum = covarianceSums[f];
      double variance = variances[f];
      for (int i = 0; i < length; i++) {
        line[i] = factor * (count * grads[i] - sum - line[i] * covarianceSum / variance);
      }
    }
  }

  @Override
  public String describe() {
    return "batch-norm " + kind + " of " + layout.shape + " in " + layout.partCount() + " parts";
  }
}
