package org.hlo4j.interpreter.reference;

import java.util.List;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.BatchNormGrad;
import org.hlo4j.hlo.op.BatchNormInference;
import org.hlo4j.hlo.op.BatchNormTraining;
import org.hlo4j.interpreter.engine.Limits;

/** Batch normalization, one feature after the other, computed in double and rounded once. */
final class BatchNorms {
  private final Literal operand;
  private final int[] features;
  private final int[] others;
  private final double epsilon;

  private BatchNorms(Literal operand, int featureIndex, float epsilon) {
    Dims sizes = operand.arrayShape().sizes();
    Dims feature = Dims.of(featureIndex);
    this.operand = operand;
    this.features = Offsets.ofDimensions(feature, sizes);
    this.others = Offsets.ofDimensions(Dims.range(0, sizes.count()).without(feature), sizes);
    this.epsilon = operand.elementType().round(epsilon);
  }

  /** The value at a position of a feature. */
  private interface Formula {
    double at(int position);
  }

  private double sum(int feature, Formula term) {
    double sum = 0;
    for (int i = 0; i < others.length; i++) {
      Limits.checkAt(feature * others.length + i);
      sum += term.at(features[feature] + others[i]);
    }
    return sum;
  }

  private void set(LiteralBuilder result, int feature, Formula value) {
    for (int i = 0; i < others.length; i++) {
      Limits.checkAt(feature * others.length + i);
      int position = features[feature] + others[i];
      result.setDouble(position, value.at(position));
    }
  }

  private LiteralBuilder vector() {
    ElementType type = operand.elementType();
    return new LiteralBuilder(Shape.of(type, features.length));
  }

  /** {@code (operand - mean) / sqrt(variance + epsilon) * scale + offset} */
  private Formula normalized(double mean, double variance, double scale, double offset) {
    double deviation = Math.sqrt(variance + epsilon);
    return position -> (operand.doubleAt(position) - mean) / deviation * scale + offset;
  }

  static Literal inference(BatchNormInference op, List<Literal> in) {
    BatchNorms norms = new BatchNorms(in.get(0), op.featureIndex(), op.epsilon());
    LiteralBuilder result = new LiteralBuilder(in.get(0).arrayShape());
    for (int f = 0; f < norms.features.length; f++) {
      double scale = in.get(1).doubleAt(f);
      double offset = in.get(2).doubleAt(f);
      double mean = in.get(3).doubleAt(f);
      double variance = in.get(4).doubleAt(f);
      norms.set(result, f, norms.normalized(mean, variance, scale, offset));
    }
    return result.build();
  }

  static Literal training(BatchNormTraining op, List<Literal> in) {
    Literal operand = in.get(0);
    BatchNorms norms = new BatchNorms(operand, op.featureIndex(), op.epsilon());
    LiteralBuilder result = new LiteralBuilder(operand.arrayShape());
    LiteralBuilder means = norms.vector();
    LiteralBuilder variances = norms.vector();
    int count = norms.others.length;
    for (int f = 0; f < norms.features.length; f++) {
      double mean = norms.sum(f, operand::doubleAt) / count;
      double squares = norms.sum(f, at -> square(operand.doubleAt(at) - mean));
      double scale = in.get(1).doubleAt(f);
      double offset = in.get(2).doubleAt(f);
      norms.set(result, f, norms.normalized(mean, squares / count, scale, offset));
      means.setDouble(f, mean);
      variances.setDouble(f, squares / count);
    }
    return Literal.tuple(result.build(), means.build(), variances.build());
  }

  private static double square(double value) {
    return value * value;
  }

  static Literal grad(BatchNormGrad op, List<Literal> in) {
    Literal operand = in.get(0);
    Literal gradOutput = in.get(4);
    BatchNorms norms = new BatchNorms(operand, op.featureIndex(), op.epsilon());
    LiteralBuilder gradOperand = new LiteralBuilder(operand.arrayShape());
    LiteralBuilder gradScale = norms.vector();
    LiteralBuilder gradOffset = norms.vector();
    int count = norms.others.length;
    for (int f = 0; f < norms.features.length; f++) {
      double scale = in.get(1).doubleAt(f);
      double mean = in.get(2).doubleAt(f);
      double variance = in.get(3).doubleAt(f) + norms.epsilon;
      double sum = norms.sum(f, gradOutput::doubleAt);
      double covered = norms.sum(f, at -> gradOutput.doubleAt(at) * (operand.doubleAt(at) - mean));
      double factor = scale / Math.sqrt(variance) / count;
      norms.set(
          gradOperand,
          f,
          at -> {
            double centered = operand.doubleAt(at) - mean;
            return factor * (count * gradOutput.doubleAt(at) - sum - centered * covered / variance);
          });
      gradScale.setDouble(f, covered / Math.sqrt(variance));
      gradOffset.setDouble(f, sum);
    }
    return Literal.tuple(gradOperand.build(), gradScale.build(), gradOffset.build());
  }
}
