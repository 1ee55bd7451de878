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
  private final BatchNormLayout norms;
  private final Shape.Array vector;

  public BatchNormKernel(Kind kind, Shape.Array operand, int featureIndex, float epsilon) {
    this.kind = kind;
    this.norms = new BatchNormLayout(operand, featureIndex, epsilon);
    this.vector = Shape.of(operand.elementType(), norms.features);
  }

  @Override
  public Literal run(Literal[] operands, KernelContext context) {
    Object[] in = new Object[operands.length];
    for (int i = 0; i < in.length; i++) {
      in[i] = operands[i].unsafeStorage();
    }
    Object result = context.allocate(norms.shape);
    if (kind == Kind.INFERENCE) {
      inference(in, result, context);
      return Literal.unsafeOf(norms.shape, result);
    }
    Object first = context.allocate(vector);
    Object second = context.allocate(vector);
    if (kind == Kind.TRAINING) {
      training(in, result, first, second, context);
    } else {
      grad(in, result, first, second, context);
    }
    return Literal.tuple(
        Literal.unsafeOf(norms.shape, result),
        Literal.unsafeOf(vector, first),
        Literal.unsafeOf(vector, second));
  }

  /** The work on a range of features. */
  private interface Part {
    void run(int from, int end);
  }

  private void forParts(KernelContext context, Part part) {
    int each = norms.featuresPerPart();
    context
        .workers()
        .run(norms.parts(), i -> part.run(i * each, Math.min(norms.features, (i + 1) * each)));
  }

  private void inference(Object[] in, Object result, KernelContext context) {
    forParts(
        context,
        (from, end) -> {
          double[] means = norms.vector(in[3], from, end);
          double[] variances = norms.vector(in[4], from, end);
          norms.normalize(in[0], normal(in, means, variances, from, end), result, from, end);
        });
  }

  private BatchNormLayout.Normal normal(
      Object[] in, double[] means, double[] variances, int from, int end) {
    double[] scales = norms.vector(in[1], from, end);
    double[] offsets = norms.vector(in[2], from, end);
    return new BatchNormLayout.Normal(means, norms.deviations(variances), scales, offsets);
  }

  private void training(
      Object[] in, Object result, Object meansOut, Object variancesOut, KernelContext context) {
    forParts(
        context,
        (from, end) -> {
          double[] means = norms.means(in[0], from, end);
          double[] variances = norms.variances(in[0], means, from, end);
          norms.normalize(in[0], normal(in, means, variances, from, end), result, from, end);
          Doubles.write(norms.type, means, 0, meansOut, from, end - from);
          Doubles.write(norms.type, variances, 0, variancesOut, from, end - from);
        });
  }

  private void grad(
      Object[] in, Object result, Object gradScale, Object gradOffset, KernelContext context) {
    forParts(
        context,
        (from, end) -> {
          int many = end - from;
          Gradient gradient = new Gradient(in, from, end);
          gradient.sum();
          gradient.operand(result);
          Doubles.write(norms.type, gradient.scaleGradients(), 0, gradScale, from, many);
          Doubles.write(norms.type, gradient.sums, 0, gradOffset, from, many);
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
    private final double[] covered;
    private final double[] factors;
    private final double[] line;
    private final double[] grads;

    Gradient(Object[] in, int from, int end) {
      this.operand = in[0];
      this.gradOutput = in[4];
      this.from = from;
      this.end = end;
      this.scales = norms.vector(in[1], from, end);
      this.means = norms.vector(in[2], from, end);
      this.variances = norms.vector(in[3], from, end);
      for (int f = 0; f < variances.length; f++) {
        variances[f] += norms.epsilon;
      }
      this.sums = new double[end - from];
      this.covered = new double[end - from];
      this.factors = new double[end - from];
      this.line = norms.newLine(from, end);
      this.grads = norms.newLine(from, end);
    }

    private void read(int at, int length, int feature) {
      Doubles.read(norms.type, operand, at, 1, line, 0, length);
      Doubles.read(norms.type, gradOutput, at, 1, grads, 0, length);
      BatchNormLayout.center(line, length, means, feature);
    }

    /**
     * Sums, for each feature, the gradient of the output, and its product with the centered
     * operand.
     */
    void sum() {
      norms.forEach(
          from,
          end,
          (at, length, feature) -> {
            read(at, length, feature);
            BatchNormLayout.add(grads, length, sums, feature);
            for (int i = 0; i < length; i++) {
              line[i] = grads[i] * line[i];
            }
            BatchNormLayout.add(line, length, covered, feature);
          });
      for (int f = 0; f < factors.length; f++) {
        factors[f] = scales[f] / Math.sqrt(variances[f]) / norms.count;
      }
    }

    double[] scaleGradients() {
      double[] gradients = new double[covered.length];
      for (int f = 0; f < gradients.length; f++) {
        gradients[f] = covered[f] / Math.sqrt(variances[f]);
      }
      return gradients;
    }

    void operand(Object result) {
      norms.forEach(
          from,
          end,
          (at, length, feature) -> {
            read(at, length, feature);
            if (feature < 0) {
              ofAll(length);
            } else {
              ofOne(length, feature);
            }
            Doubles.write(norms.type, line, 0, result, at, length);
          });
    }

    private void ofAll(int length) {
      int count = norms.count;
      for (int i = 0; i < length; i++) {
        line[i] = factors[i] * (count * grads[i] - sums[i] - line[i] * covered[i] / variances[i]);
      }
    }

    private void ofOne(int length, int f) {
      int count = norms.count;
      double factor = factors[f];
      double sum = sums[f];
      double cover = covered[f];
      double variance = variances[f];
      for (int i = 0; i < length; i++) {
        line[i] = factor * (count * grads[i] - sum - line[i] * cover / variance);
      }
    }
  }

  @Override
  public String describe() {
    return "batch-norm " + kind + " of " + norms.shape + " in " + norms.parts() + " parts";
  }
}
