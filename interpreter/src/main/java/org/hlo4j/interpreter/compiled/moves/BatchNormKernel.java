package org.hlo4j.interpreter.compiled.moves;

import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.kernel.Kernel;
import org.hlo4j.interpreter.kernel.KernelContext;

/** The three kinds of batch normalisation; threads share the features. */
final class BatchNormKernel implements Kernel {
  /** Which of them. */
  enum Kind {
    TRAINING,
    INFERENCE,
    GRAD
  }

  private final Kind kind;
  private final BatchNorms norms;
  private final Shape.Array vector;

  BatchNormKernel(Kind kind, Shape.Array operand, int featureIndex, float epsilon) {
    this.kind = kind;
    this.norms = new BatchNorms(operand, featureIndex, epsilon);
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

  /** What is done to a range of features. */
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
    double[] scales = norms.vector(in[1]);
    double[] offsets = norms.vector(in[2]);
    double[] means = norms.vector(in[3]);
    double[] variances = norms.vector(in[4]);
    forParts(
        context,
        (from, end) ->
            norms.normalize(in[0], means, variances, scales, offsets, result, from, end));
  }

  private void training(
      Object[] in, Object result, Object meansOut, Object variancesOut, KernelContext context) {
    double[] scales = norms.vector(in[1]);
    double[] offsets = norms.vector(in[2]);
    forParts(
        context,
        (from, end) -> {
          double[] means = norms.means(in[0], from, end);
          double[] variances = norms.variances(in[0], means, from, end);
          norms.normalize(in[0], means, variances, scales, offsets, result, from, end);
          Doubles.write(norms.type, means, from, meansOut, from, 1, end - from);
          Doubles.write(norms.type, variances, from, variancesOut, from, 1, end - from);
        });
  }

  private void grad(
      Object[] in, Object result, Object gradScale, Object gradOffset, KernelContext context) {
    double[] scales = norms.vector(in[1]);
    double[] means = norms.vector(in[2]);
    double[] variances = norms.vector(in[3]);
    for (int f = 0; f < variances.length; f++) {
      variances[f] += norms.epsilon;
    }
    forParts(
        context,
        (from, end) -> {
          double[] sums = new double[norms.features];
          double[] covered = new double[norms.features];
          sums(in[0], in[4], means, sums, covered, from, end);
          double[] factors = new double[norms.features];
          for (int f = from; f < end; f++) {
            double deviation = Math.sqrt(variances[f]);
            factors[f] = scales[f] / deviation / norms.count;
            Doubles.write(norms.type, gradScale, f, covered[f] / deviation);
            Doubles.write(norms.type, gradOffset, f, sums[f]);
          }
          gradOperand(in[0], in[4], result, means, variances, sums, covered, factors, from, end);
        });
  }

  /** The sum of the gradient, and of it times what the operand differs from its mean by. */
  private void sums(
      Object operand,
      Object gradOutput,
      double[] means,
      double[] sums,
      double[] covered,
      int from,
      int end) {
    double[] line = norms.newLine(end - from);
    double[] grads = norms.newLine(end - from);
    norms.forEach(
        from,
        end,
        (at, length, feature, step) -> {
          Doubles.read(norms.type, operand, at, 1, line, 0, length);
          Doubles.read(norms.type, gradOutput, at, 1, grads, 0, length);
          BatchNorms.add(grads, length, sums, feature, step);
          BatchNorms.center(line, length, means, feature, step);
          for (int i = 0; i < length; i++) {
            line[i] = grads[i] * line[i];
          }
          BatchNorms.add(line, length, covered, feature, step);
        });
  }

  private void gradOperand(
      Object operand,
      Object gradOutput,
      Object result,
      double[] means,
      double[] variances,
      double[] sums,
      double[] covered,
      double[] factors,
      int from,
      int end) {
    double[] line = norms.newLine(end - from);
    double[] grads = norms.newLine(end - from);
    int count = norms.count;
    norms.forEach(
        from,
        end,
        (at, length, feature, step) -> {
          Doubles.read(norms.type, operand, at, 1, line, 0, length);
          Doubles.read(norms.type, gradOutput, at, 1, grads, 0, length);
          BatchNorms.center(line, length, means, feature, step);
          for (int i = 0; i < length; i++) {
            int f = feature + i * step;
            line[i] =
                factors[f] * (count * grads[i] - sums[f] - line[i] * covered[f] / variances[f]);
          }
          Doubles.write(norms.type, line, 0, result, at, 1, length);
        });
  }

  @Override
  public String describe() {
    return "batch-norm " + kind + " of " + norms.shape + " in " + norms.parts() + " parts";
  }
}
