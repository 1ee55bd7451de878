package org.hlo4j.interpreter.compiled.moves;

import java.util.Arrays;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;

/**
 * An array seen as lines within which each feature is either one element or all: {@code outer *
 * features * inner}. Sums of a feature grow in row-major order, in double.
 */
final class BatchNorms {
  final Shape.Array shape;
  final ElementType type;
  final int features;
  final double epsilon;
  final int count;
  private final int outer;
  private final int inner;

  BatchNorms(Shape.Array shape, int featureIndex, float epsilon) {
    this.shape = shape;
    this.type = shape.elementType();
    this.epsilon = type.round(epsilon);
    this.features = shape.sizes().getInt(featureIndex);
    this.outer = (int) shape.sizes().subList(0, featureIndex).product();
    this.inner = (int) shape.sizes().subList(featureIndex + 1, shape.rank()).product();
    this.count = outer * inner;
  }

  /** How many features a part of the work has, so that neighbours share no cache line. */
  int featuresPerPart() {
    return (long) count * features < 1 << 15
        ? Math.max(1, features)
        : Math.max(inner == 1 ? 16 : 1, Math.ceilDiv(features, 8));
  }

  int parts() {
    return Math.ceilDiv(features, featuresPerPart());
  }

  /** What is done with a line: elements of one feature, or one of each in a range of features. */
  interface Lines {
    /** Given where it begins, how long it is, its first feature, and how far the next one is. */
    void line(int at, int length, int feature, int featureStep);
  }

  /** All lines of the features from one to another, in row-major order. */
  void forEach(int from, int end, Lines lines) {
    for (int o = 0; o < outer; o++) {
      if (inner == 1) {
        lines.line(o * features + from, end - from, from, 1);
      } else {
        for (int f = from; f < end; f++) {
          lines.line((o * features + f) * inner, inner, f, 0);
        }
      }
    }
  }

  /** Room for a line. */
  double[] newLine(int features) {
    return new double[inner == 1 ? features : inner];
  }

  /** All values of a vector, one for each feature. */
  double[] vector(Object storage) {
    double[] values = new double[features];
    Doubles.read(type, storage, 0, 1, values, 0, features);
    return values;
  }

  /** The mean of each feature of a range. */
  double[] means(Object operand, int from, int end) {
    double[] means = new double[features];
    double[] line = newLine(end - from);
    forEach(
        from,
        end,
        (at, length, feature, step) -> {
          Doubles.read(type, operand, at, 1, line, 0, length);
          add(line, length, means, feature, step);
        });
    for (int f = from; f < end; f++) {
      means[f] /= count;
    }
    return means;
  }

  static void add(double[] line, int length, double[] sums, int feature, int step) {
    if (step == 1) {
      for (int i = 0; i < length; i++) {
        sums[feature + i] += line[i];
      }
    } else {
      double sum = sums[feature];
      for (int i = 0; i < length; i++) {
        sum += line[i];
      }
      sums[feature] = sum;
    }
  }

  /** {@code line - means}, in place. */
  static void center(double[] line, int length, double[] means, int feature, int step) {
    for (int i = 0; i < length; i++) {
      line[i] -= means[feature + i * step];
    }
  }

  /** The mean square of what each feature of a range differs from its mean by. */
  double[] variances(Object operand, double[] means, int from, int end) {
    double[] variances = new double[features];
    double[] line = newLine(end - from);
    forEach(
        from,
        end,
        (at, length, feature, step) -> {
          Doubles.read(type, operand, at, 1, line, 0, length);
          center(line, length, means, feature, step);
          for (int i = 0; i < length; i++) {
            line[i] *= line[i];
          }
          add(line, length, variances, feature, step);
        });
    for (int f = from; f < end; f++) {
      variances[f] /= count;
    }
    return variances;
  }

  /** {@code (operand - mean) / sqrt(variance + epsilon) * scale + offset} */
  void normalize(
      Object operand,
      double[] means,
      double[] variances,
      double[] scales,
      double[] offsets,
      Object result,
      int from,
      int end) {
    double[] line = newLine(end - from);
    double[] deviations = Arrays.copyOf(variances, features);
    for (int f = from; f < end; f++) {
      deviations[f] = Math.sqrt(variances[f] + epsilon);
    }
    forEach(
        from,
        end,
        (at, length, feature, step) -> {
          Doubles.read(type, operand, at, 1, line, 0, length);
          for (int i = 0; i < length; i++) {
            int f = feature + i * step;
            line[i] = (line[i] - means[f]) / deviations[f] * scales[f] + offsets[f];
          }
          Doubles.write(type, line, 0, result, at, 1, length);
        });
  }
}
