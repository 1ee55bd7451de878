package org.hlo4j.interpreter.compiled.passes;

import static org.hlo4j.interpreter.compiled.passes.Simplification.array;

import java.util.List;
import java.util.stream.Stream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.BatchNormGrad;
import org.hlo4j.hlo.op.BatchNormInference;
import org.hlo4j.hlo.op.BatchNormTraining;
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.Elementwise.Kind;
import org.hlo4j.hlo.op.Tuple;
import org.jspecify.annotations.Nullable;

/**
 * Batch norms as reductions and arithmetic, in f64 as in the reference evaluator, each result
 * rounded once.
 */
final class BatchNormRules implements Simplification.Rule {
  @Override
  public @Nullable HloInstruction apply(HloInstruction norm, Rewriter rewriter) {
    if (norm.op() instanceof BatchNormTraining op) {
      return new Expansion(norm, op.featureIndex(), op.epsilon(), rewriter).training();
    }
    if (norm.op() instanceof BatchNormInference op) {
      return new Expansion(norm, op.featureIndex(), op.epsilon(), rewriter).inference();
    }
    return norm.op() instanceof BatchNormGrad op
        ? new Expansion(norm, op.featureIndex(), op.epsilon(), rewriter).gradient()
        : null;
  }

  /** The expansion of one instruction. */
  private static final class Expansion {
    private final HloInstruction norm;
    private final Rewriter rewriter;
    private final Shape.Array wide;
    private final ElementType type;
    private final int feature;
    private final double epsilon;
    private final double count;

    /** The operands, in f64. */
    private final List<HloInstruction> in;

    Expansion(HloInstruction norm, int feature, float epsilon, Rewriter rewriter) {
      this.norm = norm;
      this.rewriter = rewriter;
      this.type = array(norm, 0).elementType();
      this.wide = array(norm, 0).withElementType(ElementType.F64).withLayout(null);
      this.feature = feature;
      this.epsilon = type.round(epsilon);
      this.count =
          others().stream().mapToDouble(d -> wide.size((int) d)).reduce(1, (a, b) -> a * b);
      this.in =
          norm.operands().stream()
              .map(operand -> rewriter.convert(operand, ElementType.F64))
              .toList();
    }

    private Dims others() {
      return Dims.range(0, wide.rank()).without(Dims.of(feature));
    }

    HloInstruction inference() {
      HloInstruction centered = rewriter.add(Kind.SUBTRACT, in.get(0), broadcast(in.get(3)));
      return rewriter.newReplacement(norm, new Convert(type), normalized(centered, in.get(4)));
    }

    HloInstruction training() {
      HloInstruction mean = dividedBy(sum(in.get(0)), count);
      HloInstruction centered = rewriter.add(Kind.SUBTRACT, in.get(0), broadcast(mean));
      HloInstruction variance =
          dividedBy(sum(rewriter.add(Kind.MULTIPLY, centered, centered)), count);
      return tuple(normalized(centered, variance), mean, variance);
    }

    /**
     * {@code scale / sqrt(variance) / count * (count * grad - sum(grad) - centered * sum(grad *
     * centered) / variance)}, where the variance includes epsilon.
     */
    HloInstruction gradient() {
      HloInstruction grad = in.get(4);
      HloInstruction centered = rewriter.add(Kind.SUBTRACT, in.get(0), broadcast(in.get(2)));
      HloInstruction variance =
          rewriter.add(Kind.ADD, in.get(3), rewriter.full(epsilon, in.get(3)));
      HloInstruction deviation = rewriter.add(Kind.SQRT, variance);
      HloInstruction sum = sum(grad);
      HloInstruction covariance = sum(rewriter.add(Kind.MULTIPLY, grad, centered));
      HloInstruction factor = dividedBy(rewriter.add(Kind.DIVIDE, in.get(1), deviation), count);
      HloInstruction rest =
          rewriter.add(
              Kind.DIVIDE,
              rewriter.add(Kind.MULTIPLY, centered, broadcast(covariance)),
              broadcast(variance));
      HloInstruction all = rewriter.add(Kind.MULTIPLY, rewriter.full(count, grad), grad);
      HloInstruction gradient =
          rewriter.add(
              Kind.MULTIPLY,
              broadcast(factor),
              rewriter.add(Kind.SUBTRACT, rewriter.add(Kind.SUBTRACT, all, broadcast(sum)), rest));
      return tuple(gradient, rewriter.add(Kind.DIVIDE, covariance, deviation), sum);
    }

    /** {@code centered / sqrt(variance + epsilon) * scale + offset} */
    private HloInstruction normalized(HloInstruction centered, HloInstruction variance) {
      HloInstruction deviation =
          rewriter.add(
              Kind.SQRT, rewriter.add(Kind.ADD, variance, rewriter.full(epsilon, variance)));
      HloInstruction unit = rewriter.add(Kind.DIVIDE, centered, broadcast(deviation));
      HloInstruction scaled = rewriter.add(Kind.MULTIPLY, unit, broadcast(in.get(1)));
      return rewriter.add(Kind.ADD, scaled, broadcast(in.get(2)));
    }

    private HloInstruction dividedBy(HloInstruction dividend, double divisor) {
      return rewriter.add(Kind.DIVIDE, dividend, rewriter.full(divisor, dividend));
    }

    /** Returns an element for each feature, broadcast to the shape of the operand. */
    private HloInstruction broadcast(HloInstruction features) {
      return rewriter.broadcast(features, wide, Dims.of(feature));
    }

    private HloInstruction sum(HloInstruction array) {
      HloInstruction zero = rewriter.constant(Literal.of(0.0));
      return rewriter.reduce(array, zero, rewriter.addition(ElementType.F64), others());
    }

    private HloInstruction tuple(HloInstruction... results) {
      return rewriter.newReplacement(
          norm,
          new Tuple(),
          Stream.of(results).map(result -> rewriter.convert(result, type)).toList());
    }
  }
}
