package org.hlo4j.check.compare;

import java.util.function.IntToDoubleFunction;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.BatchNormGrad;
import org.hlo4j.hlo.op.BatchNormInference;
import org.hlo4j.hlo.op.BatchNormTraining;
import org.hlo4j.hlo.op.Op;

/**
 * The errors of batch norms, by running error analysis of their formulas: sums of n numbers of a
 * feature have n roundings of the sum of the magnitudes.
 */
final class Normalization {
  private final Bounds bounds;
  private final Literal x;
  private final int stride;
  private final int count;
  private final double epsilon;
  private final double n;
  private final double unit;

  private Normalization(Bounds bounds, int index, double epsilon, double unit) {
    this.bounds = bounds;
    this.x = bounds.operands.get(0);
    this.epsilon = epsilon;
    this.unit = unit;
    Shape.Array shape = x.arrayShape();
    this.stride = Math.toIntExact(shape.sizes().rowMajorStrides().get(index));
    this.count = Math.toIntExact(shape.size(index));
    this.n = count == 0 ? 0 : (double) x.elementCount() / count;
  }

  /**
   * Returns the allowance of a batch norm.
   *
   * @param op the batch norm
   * @param accumulator the type in which it is computed
   * @param centers whether the variance is the mean of the squares of the distances from the mean,
   *     and not the mean of the squares minus the square of the mean
   */
  static Allowance allowance(Op op, Allowance.Accumulator accumulator, boolean centers) {
    String words = centers ? "" : ", the variance as mean of squares minus square of the mean";
    return Allowance.ofErrors(
        "its formula in " + accumulator.type() + words,
        accumulator,
        bounds -> {
          boolean isWide = accumulator.type() == ElementType.F64 && bounds.type == ElementType.F64;
          double unit = (isWide ? 2 : 1) * accumulator.unit(); // the reference's, too
          return switch (op) {
            case BatchNormTraining of ->
                new Normalization(bounds, of.featureIndex(), of.epsilon(), unit).training(centers);
            case BatchNormGrad of ->
                new Normalization(bounds, of.featureIndex(), of.epsilon(), unit).gradient();
            case BatchNormInference of ->
                new Normalization(bounds, of.featureIndex(), of.epsilon(), unit)::inference;
            default -> throw new AssertionError(op);
          };
        });
  }

  private int feature(int element) {
    return element / stride % count;
  }

  private double at(int operand, int i) {
    return bounds.operand(operand, i);
  }

  /** Returns the means of a function of the elements, by feature. */
  private double[] means(IntToDoubleFunction term) {
    double[] means = new double[count];
    for (int i = 0; i < x.elementCount(); i++) {
      means[feature(i)] += term.applyAsDouble(i) / n;
    }
    return means;
  }

  private IntToDoubleFunction training(boolean centers) {
    double[] means = means(x::doubleAt);
    double[] magnitudes = means(i -> Math.abs(x.doubleAt(i)));
    double[] variances = means(i -> Math.pow(x.doubleAt(i) - means[feature(i)], 2));
    return i -> {
      int f = bounds.output == 0 ? feature(i) : i;
      double meanError = (n + 1) * unit * magnitudes[f];
      double cancelled = centers ? 0 : 2 * means[f] * means[f];
      double varianceError = (n + 4) * unit * (variances[f] + cancelled) + meanError * meanError;
      return switch (bounds.output) {
        case 0 -> normalized(i, f, means[f], variances[f] + epsilon, meanError, varianceError);
        case 1 -> meanError;
        default -> varianceError;
      };
    };
  }

  private double normalized(
      int i, int f, double mean, double variance, double meanError, double varianceError) {
    double least = variance - varianceError;
    double relative = varianceError / least / 2 + 6 * unit;
    double slope = Math.abs(at(1, f)) / Math.sqrt(variance);
    double distance = Math.abs(x.doubleAt(i) - mean);
    double error =
        slope * (1 + relative) * (meanError + unit * (Math.abs(x.doubleAt(i)) + Math.abs(mean)))
            + distance * slope * relative
            + 2 * unit * (distance * slope + Math.abs(at(2, f)));
    return least > 0 ? error : Double.NaN;
  }

  private double inference(int i) {
    int f = feature(i);
    double factor = Math.abs(at(1, f)) / Math.sqrt(at(4, f) + epsilon);
    double terms = factor * (Math.abs(x.doubleAt(i)) + Math.abs(at(3, f)));
    return unit * (8 * terms + 3 * Math.abs(at(2, f)));
  }

  private IntToDoubleFunction gradient() {
    double[] gradients = means(i -> Math.abs(at(4, i)));
    double[] products = means(i -> Math.abs(at(4, i) * (x.doubleAt(i) - at(2, feature(i)))));
    return i -> {
      int f = bounds.output == 0 ? feature(i) : i;
      double inverse = 1 / Math.sqrt(at(3, f) + epsilon);
      double slope = Math.abs(at(1, f)) * inverse;
      double terms =
          switch (bounds.output) {
            case 0 -> {
              double distance = Math.abs(x.doubleAt(i) - at(2, f)) * inverse;
              yield slope * (Math.abs(at(4, i)) + gradients[f] + distance * inverse * products[f]);
            }
            case 1 -> n * inverse * products[f];
            default -> n * gradients[f];
          };
      return (n + 12) * unit * terms;
    };
  }
}
