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
import org.hlo4j.hlo.op.Elementwise;
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
      HloInstruction centered = compute(Elementwise.Kind.SUBTRACT, in.get(0), broadcast(in.get(3)));
      return rewriter.newReplacement(norm, new Convert(type), normalized(centered, in.get(4)));
    }

    HloInstruction training() {
      HloInstruction mean = dividedBy(sum(in.get(0)), count);
      HloInstruction centered = compute(Elementwise.Kind.SUBTRACT, in.get(0), broadcast(mean));
      HloInstruction variance =
          dividedBy(sum(compute(Elementwise.Kind.MULTIPLY, centered, centered)), count);
      return tuple(normalized(centered, variance), mean, variance);
    }

    /**
     * {@code scale / sqrt(variance) / count * (count * grad - sum(grad) - centered * sum(grad *
     * centered) / variance)}, where the variance includes epsilon.
     */
    HloInstruction gradient() {
      HloInstruction grad = in.get(4);
      HloInstruction centered = compute(Elementwise.Kind.SUBTRACT, in.get(0), broadcast(in.get(2)));
      HloInstruction variance = compute(Elementwise.Kind.ADD, in.get(3), full(in.get(3), epsilon));
      HloInstruction deviation = compute(Elementwise.Kind.SQRT, variance);
      HloInstruction sum = sum(grad);
      HloInstruction covariance = sum(compute(Elementwise.Kind.MULTIPLY, grad, centered));
      HloInstruction factor =
          dividedBy(compute(Elementwise.Kind.DIVIDE, in.get(1), deviation), count);
      HloInstruction rest =
          compute(
              Elementwise.Kind.DIVIDE,
              compute(Elementwise.Kind.MULTIPLY, centered, broadcast(covariance)),
              broadcast(variance));
      HloInstruction all = compute(Elementwise.Kind.MULTIPLY, full(grad, count), grad);
      HloInstruction gradient =
          compute(
              Elementwise.Kind.MULTIPLY,
              broadcast(factor),
              compute(
                  Elementwise.Kind.SUBTRACT,
                  compute(Elementwise.Kind.SUBTRACT, all, broadcast(sum)),
                  rest));
      return tuple(gradient, compute(Elementwise.Kind.DIVIDE, covariance, deviation), sum);
    }

    /** {@code centered / sqrt(variance + epsilon) * scale + offset} */
    private HloInstruction normalized(HloInstruction centered, HloInstruction variance) {
      HloInstruction deviation =
          compute(
              Elementwise.Kind.SQRT,
              compute(Elementwise.Kind.ADD, variance, full(variance, epsilon)));
      HloInstruction unit = compute(Elementwise.Kind.DIVIDE, centered, broadcast(deviation));
      HloInstruction scaled = compute(Elementwise.Kind.MULTIPLY, unit, broadcast(in.get(1)));
      return compute(Elementwise.Kind.ADD, scaled, broadcast(in.get(2)));
    }

    private HloInstruction compute(Elementwise.Kind kind, HloInstruction... operands) {
      return rewriter.add(new Elementwise(kind), operands);
    }

    private HloInstruction dividedBy(HloInstruction dividend, double divisor) {
      return compute(Elementwise.Kind.DIVIDE, dividend, full(dividend, divisor));
    }

    /** Returns an array of one number, of the shape of another. */
    private HloInstruction full(HloInstruction like, double number) {
      return rewriter.broadcast(
          rewriter.constant(Literal.of(number)), array(like).withLayout(null), Dims.of());
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
