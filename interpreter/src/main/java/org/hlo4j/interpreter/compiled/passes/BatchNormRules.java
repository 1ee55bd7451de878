package org.hlo4j.interpreter.compiled.passes;

import static org.hlo4j.interpreter.compiled.passes.Simplification.array;

import com.google.common.collect.ImmutableList;
import java.util.List;
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
              .map(operand -> ReductionSplitting.converted(operand, ElementType.F64, rewriter))
              .toList();
    }

    private Dims others() {
      return Dims.range(0, wide.rank()).without(Dims.of(feature));
    }

    HloInstruction inference() {
      HloInstruction centered = of(Elementwise.Kind.SUBTRACT, in.get(0), spread(in.get(3)));
      return rewriter.newReplacement(norm, new Convert(type), normalized(centered, in.get(4)));
    }

    HloInstruction training() {
      HloInstruction mean = over(sum(in.get(0)), count);
      HloInstruction centered = of(Elementwise.Kind.SUBTRACT, in.get(0), spread(mean));
      HloInstruction variance = over(sum(of(Elementwise.Kind.MULTIPLY, centered, centered)), count);
      return tuple(normalized(centered, variance), mean, variance);
    }

    /**
     * {@code scale / sqrt(variance) / count * (count * grad - sum(grad) - centered * sum(grad *
     * centered) / variance)}, where the variance includes epsilon.
     */
    HloInstruction gradient() {
      HloInstruction grad = in.get(4);
      HloInstruction centered = of(Elementwise.Kind.SUBTRACT, in.get(0), spread(in.get(2)));
      HloInstruction variance = of(Elementwise.Kind.ADD, in.get(3), number(in.get(3), epsilon));
      HloInstruction deviation = of(Elementwise.Kind.SQRT, variance);
      HloInstruction sum = sum(grad);
      HloInstruction covered = sum(of(Elementwise.Kind.MULTIPLY, grad, centered));
      HloInstruction factor = over(of(Elementwise.Kind.DIVIDE, in.get(1), deviation), count);
      HloInstruction rest =
          of(
              Elementwise.Kind.DIVIDE,
              of(Elementwise.Kind.MULTIPLY, centered, spread(covered)),
              spread(variance));
      HloInstruction all = of(Elementwise.Kind.MULTIPLY, number(grad, count), grad);
      HloInstruction gradient =
          of(
              Elementwise.Kind.MULTIPLY,
              spread(factor),
              of(Elementwise.Kind.SUBTRACT, of(Elementwise.Kind.SUBTRACT, all, spread(sum)), rest));
      return tuple(gradient, of(Elementwise.Kind.DIVIDE, covered, deviation), sum);
    }

    /** {@code centered / sqrt(variance + epsilon) * scale + offset} */
    private HloInstruction normalized(HloInstruction centered, HloInstruction variance) {
      HloInstruction deviation =
          of(Elementwise.Kind.SQRT, of(Elementwise.Kind.ADD, variance, number(variance, epsilon)));
      HloInstruction unit = of(Elementwise.Kind.DIVIDE, centered, spread(deviation));
      HloInstruction scaled = of(Elementwise.Kind.MULTIPLY, unit, spread(in.get(1)));
      return of(Elementwise.Kind.ADD, scaled, spread(in.get(2)));
    }

    private HloInstruction of(Elementwise.Kind kind, HloInstruction... operands) {
      return rewriter.add(new Elementwise(kind), operands);
    }

    private HloInstruction over(HloInstruction dividend, double divisor) {
      return of(Elementwise.Kind.DIVIDE, dividend, number(dividend, divisor));
    }

    /** Returns an array of one number, as large as another. */
    private HloInstruction number(HloInstruction like, double number) {
      return rewriter.broadcast(
          rewriter.constant(Literal.of(number)), array(like).withLayout(null), Dims.of());
    }

    /** Returns an element for each feature as an array as large as the operand. */
    private HloInstruction spread(HloInstruction features) {
      return rewriter.broadcast(features, wide, Dims.of(feature));
    }

    private HloInstruction sum(HloInstruction array) {
      return ReductionSplitting.reduction(
          others(),
          array,
          rewriter.constant(Literal.of(0.0)),
          ReductionSplitting.addition(ElementType.F64, rewriter.session()),
          rewriter);
    }

    private HloInstruction tuple(HloInstruction... results) {
      ImmutableList.Builder<HloInstruction> rounded = ImmutableList.builder();
      for (HloInstruction result : results) {
        rounded.add(ReductionSplitting.converted(result, type, rewriter));
      }
      return rewriter.newReplacement(
          norm, new Tuple(), rounded.build().toArray(HloInstruction[]::new));
    }
  }
}
