package org.hlo4j.interpreter.compiled.window;

import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.compiled.arrays.Doubles;
import org.hlo4j.interpreter.engine.Limits;
import org.hlo4j.interpreter.engine.WorkCounter;

/**
 * The layout of an array of shape {@code outer * features * inner} for batch normalization. The
 * array is processed in lines: contiguous elements of a single feature or, if {@code inner} is 1,
 * one element of each feature in a range. The sums of a feature accumulate in row-major order, in
 * double. A line has at most {@link Limits#PIECE} elements. Arrays of doubles hold a value for each
 * feature of a range. Loops use the same index for them and for lines, because C2 does not
 * vectorize loops with different indices.
 */
final class BatchNormLayout {
  private static final int MIN_FEATURES = 64;
  private static final int PARTS = 8;
  private static final int MIN_PARALLEL_ELEMENTS = 1 << 15;

  final Shape.Array shape;
  final ElementType type;
  final int features;
  final double epsilon;
  final int count;
  private final int outer;
  private final int inner;

  BatchNormLayout(Shape.Array shape, int featureIndex, float epsilon) {
    this.shape = shape;
    this.type = shape.elementType();
    this.epsilon = type.round(epsilon);
    this.features = shape.sizes().getInt(featureIndex);
    this.outer = (int) shape.sizes().subList(0, featureIndex).product();
    this.inner = (int) shape.sizes().subList(featureIndex + 1, shape.rank()).product();
    this.count = outer * inner;
  }

  /** {@return the number of features in a part of the work} */
  int featuresPerPart() {
    return (long) count * features < MIN_PARALLEL_ELEMENTS
        ? Math.max(1, features)
        : Math.clamp(Math.ceilDiv(features, PARTS), inner == 1 ? MIN_FEATURES : 1, Limits.PIECE);
  }

  int partCount() {
    return Math.ceilDiv(features, featuresPerPart());
  }

  /** The work on a line: elements of one feature, or one element of each feature in a range. */
  interface LineVisitor {
    /**
     * Processes a line.
     *
     * @param at the index at which the line begins
     * @param length the number of its elements
     * @param feature its feature, counted from the start of the range; -1 if it has one element of
     *     each
     */
    void visit(int at, int length, int feature);
  }

  /**
   * Processes all lines of the features {@code from} (inclusive) to {@code end} (exclusive), in
   * row-major order.
   */
  void forEachLine(int from, int end, LineVisitor lines) {
    WorkCounter work = new WorkCounter();
    for (int o = 0; o < outer; o++) {
      if (inner == 1) {
        work.add(end - from);
        lines.visit(o * features + from, end - from, -1);
        continue;
      }
      for (int f = from; f < end; f++) {
        int line = (o * features + f) * inner;
        for (int at = 0; at < inner; at += Limits.PIECE) {
          int length = Math.min(Limits.PIECE, inner - at);
          work.add(length);
          lines.visit(line + at, length, f - from);
        }
      }
    }
  }

  /** {@return an array for the longest line of a range of features} */
  double[] newLine(int from, int end) {
    return new double[inner == 1 ? end - from : Math.min(inner, Limits.PIECE)];
  }

  /** {@return the values of a range of features} */
  double[] vector(Object storage, int from, int end) {
    double[] values = new double[end - from];
    Doubles.read(type, storage, from, 1, values, 0, end - from);
    return values;
  }

  /** {@return the mean of each feature of a range} */
  double[] means(Object operand, int from, int end) {
    return averages(operand, from, end, (line, length, feature) -> {});
  }

  /** A function that is applied to a line, in place, before it is summed. */
  private interface LineTransform {
    void apply(double[] line, int length, int feature);
  }

  private double[] averages(Object operand, int from, int end, LineTransform change) {
    double[] sums = new double[end - from];
    double[] line = newLine(from, end);
    forEachLine(
        from,
        end,
        (at, length, feature) -> {
          Doubles.read(type, operand, at, 1, line, 0, length);
          change.apply(line, length, feature);
          add(line, length, sums, feature);
        });
    for (int f = 0; f < sums.length; f++) {
      sums[f] /= count;
    }
    return sums;
  }

  /** Adds a line to the sums: {@code sums += line}. */
  static void add(double[] line, int length, double[] sums, int feature) {
    if (feature < 0) {
      for (int i = 0; i < length; i++) {
        sums[i] += line[i];
      }
      return;
    }
    double sum = sums[feature];
    for (int i = 0; i < length; i++) {
      sum += line[i];
    }
    sums[feature] = sum;
  }

  /** Centers a line: {@code line -= means}. */
  static void center(double[] line, int length, double[] means, int feature) {
    if (feature < 0) {
      for (int i = 0; i < length; i++) {
        line[i] -= means[i];
      }
      return;
    }
    double mean = means[feature];
    for (int i = 0; i < length; i++) {
      line[i] -= mean;
    }
  }

  /** {@return the variance of each feature of a range: the mean square of the centered elements} */
  double[] variances(Object operand, double[] means, int from, int end) {
    return averages(
        operand,
        from,
        end,
        (line, length, feature) -> {
          center(line, length, means, feature);
          for (int i = 0; i < length; i++) {
            line[i] *= line[i];
          }
        });
  }

  /** The normalization of each feature: {@code (x - mean) / deviation * scale + offset}. */
  static final class Normalization {
    private final double[] means;
    private final double[] deviations;
    private final double[] scales;
    private final double[] offsets;

    Normalization(double[] means, double[] deviations, double[] scales, double[] offsets) {
      this.means = means;
      this.deviations = deviations;
      this.scales = scales;
      this.offsets = offsets;
    }

    void apply(double[] line, int length, int feature) {
      if (feature < 0) {
        for (int i = 0; i < length; i++) {
          line[i] = (line[i] - means[i]) / deviations[i] * scales[i] + offsets[i];
        }
        return;
      }
      double mean = means[feature];
      double deviation = deviations[feature];
      double scale = scales[feature];
      double offset = offsets[feature];
      for (int i = 0; i < length; i++) {
        line[i] = (line[i] - mean) / deviation * scale + offset;
      }
    }
  }

  /** {@return the square roots of the variances plus epsilon} */
  double[] deviations(double[] variances) {
    double[] deviations = new double[variances.length];
    for (int f = 0; f < deviations.length; f++) {
      deviations[f] = Math.sqrt(variances[f] + epsilon);
    }
    return deviations;
  }

  void normalize(Object operand, Normalization normalization, Object result, int from, int end) {
    double[] line = newLine(from, end);
    forEachLine(
        from,
        end,
        (at, length, feature) -> {
          Doubles.read(type, operand, at, 1, line, 0, length);
          normalization.apply(line, length, feature);
          Doubles.write(type, line, 0, result, at, length);
        });
  }
}
