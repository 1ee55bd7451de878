package org.hlo4j.check.compare;

import java.util.List;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.BatchNormGrad;
import org.hlo4j.hlo.op.BatchNormInference;
import org.hlo4j.hlo.op.BatchNormTraining;
import org.hlo4j.hlo.op.Op;

/**
 * The allowance of batch norms, by running error analysis of their formulas: sums of n numbers of a
 * feature have n roundings of the sum of the magnitudes.
 *
 * @param op the batch norm
 * @param accumulator the type in which it is computed
 * @param centers whether the variance is the mean of the squares of the distances from the mean,
 *     and not the mean of the squares minus the square of the mean
 */
record Normalization(Op op, Allowance.Accumulator accumulator, boolean centers)
    implements Allowance {
  @Override
  public void apply(Bounds bounds, int output, List<Literal> operands) {
    switch (op) {
      case BatchNormTraining norm ->
          new Features(norm.featureIndex(), norm.epsilon(), operands).train(bounds, output);
      case BatchNormGrad norm ->
          new Features(norm.featureIndex(), norm.epsilon(), operands).differentiate(bounds, output);
      case BatchNormInference norm ->
          new Features(norm.featureIndex(), norm.epsilon(), operands).infer(bounds);
      default -> throw new AssertionError(op);
    }
  }

  @Override
  public String words() {
    return "its formula in "
        + accumulator.type()
        + (centers ? "" : ", the variance as mean of squares minus square of the mean");
  }

  /** The sums of one batch norm. */
  private final class Features {
    private final List<Literal> operands;
    private final Literal x;
    private final int stride;
    private final int count;
    private final double epsilon;
    private final double n;
    private final double unit = accumulator.unit();

    Features(int index, double epsilon, List<Literal> operands) {
      this.operands = operands;
      this.x = operands.get(0);
      this.epsilon = epsilon;
      Shape.Array shape = x.arrayShape();
      this.stride = Math.toIntExact(shape.sizes().rowMajorStrides().get(index));
      this.count = Math.toIntExact(shape.size(index));
      this.n = count == 0 ? 0 : (double) x.elementCount() / count;
    }

    private int feature(int element) {
      return element / stride % count;
    }

    private double at(int operand, int i) {
      return operands.get(operand).doubleAt(i);
    }

    /** Returns the sums of a function of the elements, by feature. */
    private double[] sums(java.util.function.IntToDoubleFunction term) {
      double[] sums = new double[count];
      for (int i = 0; i < x.elementCount(); i++) {
        sums[feature(i)] += term.applyAsDouble(i);
      }
      return sums;
    }

    void train(Bounds bounds, int output) {
      double[] total = sums(x::doubleAt);
      double[] magnitudes = sums(i -> Math.abs(x.doubleAt(i)));
      double[] squares = sums(i -> x.doubleAt(i) * x.doubleAt(i));
      double[] distances = sums(i -> Math.pow(x.doubleAt(i) - total[feature(i)] / n, 2));
      for (int i = 0; i < bounds.size(); i++) {
        int f = output == 0 ? feature(i) : i;
        double mean = total[f] / n;
        double variance = distances[f] / n;
        double meanError = (n + 1) * unit * magnitudes[f] / n;
        double varianceError =
            centers
                ? (n + 4) * unit * variance + meanError * meanError
                : (n + 4) * unit * (squares[f] / n + mean * mean);
        switch (output) {
          case 0 -> {
            double least = variance + epsilon - varianceError;
            double inverse = 1 / Math.sqrt(variance + epsilon);
            double relative = varianceError / least / 2 + 6 * unit;
            double slope = Math.abs(at(1, f)) * inverse;
            double distance = Math.abs(x.doubleAt(i) - mean);
            double error =
                slope
                        * (1 + relative)
                        * (meanError + unit * (Math.abs(x.doubleAt(i)) + Math.abs(mean)))
                    + distance * slope * relative
                    + 2 * unit * (distance * slope + Math.abs(at(2, f)));
            widen(bounds, i, least > 0 ? error : Double.NaN);
          }
          case 1 -> widen(bounds, i, meanError);
          default -> widen(bounds, i, varianceError);
        }
      }
    }

    void infer(Bounds bounds) {
      for (int i = 0; i < bounds.size(); i++) {
        int f = feature(i);
        double factor = Math.abs(at(1, f)) / Math.sqrt(at(4, f) + epsilon);
        double terms = factor * (Math.abs(x.doubleAt(i)) + Math.abs(at(3, f)));
        widen(bounds, i, unit * (8 * terms + 3 * Math.abs(at(2, f))));
      }
    }

    void differentiate(Bounds bounds, int output) {
      double[] gradients = sums(i -> Math.abs(at(4, i)));
      double[] products = sums(i -> Math.abs(at(4, i) * (x.doubleAt(i) - at(2, feature(i)))));
      for (int i = 0; i < bounds.size(); i++) {
        int f = output == 0 ? feature(i) : i;
        double inverse = 1 / Math.sqrt(at(3, f) + epsilon);
        double terms =
            switch (output) {
              case 0 ->
                  Math.abs(at(1, f))
                      * inverse
                      / n
                      * (n * Math.abs(at(4, i))
                          + gradients[f]
                          + Math.abs(x.doubleAt(i) - at(2, f)) * inverse * inverse * products[f]);
              case 1 -> inverse * products[f];
              default -> gradients[f];
            };
        widen(bounds, i, (n + 12) * unit * terms);
      }
    }

    private void widen(Bounds bounds, int i, double error) {
      if (Double.isNaN(error) || error > accumulator.type().maxFinite()) {
        bounds.setAnything(i);
      } else {
        boolean isTwice = bounds.type() == accumulator.type() && bounds.type() == ElementType.F64;
        bounds.widen(i, isTwice ? 2 * error : error); // the reference rounds as often
      }
    }
  }
}
