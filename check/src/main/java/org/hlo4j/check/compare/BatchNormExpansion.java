package org.hlo4j.check.compare;

import static java.util.stream.Collectors.joining;

import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.BatchNormGrad;
import org.hlo4j.hlo.op.BatchNormInference;
import org.hlo4j.hlo.op.BatchNormTraining;

/**
 * Batch norms as native compilers compute them: as reductions and arithmetic of their own type,
 * with the variance as the difference of the mean of the squares and the square of the mean, and
 * for inference as one factor and one term. If the mean is large, the roundings are all that is
 * left of a small variance, or of a small distance from the mean.
 */
final class BatchNormExpansion {
  /** The reciprocal of the standard deviation. */
  private static final String INVERSE =
      """
      @one.epsilon = T[] constant(EPSILON)
      @epsilon = T[FEATURES] broadcast(@one.epsilon), dimensions={}
      @above = T[FEATURES] add(@variance, @epsilon)
      @inverse = T[FEATURES] rsqrt(@above)
      """;

  private static final String TRAINING =
      """
      HloModule norm
      @add { @a = T[] parameter(0)  @b = T[] parameter(1)  ROOT @s = T[] add(@a, @b) }
      ENTRY @norm {
        @x = T[ALL] parameter(0)
        @scale = T[FEATURES] parameter(1)
        @offset = T[FEATURES] parameter(2)
        @zero = T[] constant(0)
        @one.count = T[] constant(COUNT)
        @count = T[FEATURES] broadcast(@one.count), dimensions={}
        @sum = T[FEATURES] reduce(@x, @zero), dimensions={OTHERS}, to_apply=@add
        @mean = T[FEATURES] divide(@sum, @count)
        @squares = T[ALL] multiply(@x, @x)
        @sum.squares = T[FEATURES] reduce(@squares, @zero), dimensions={OTHERS}, to_apply=@add
        @mean.squares = T[FEATURES] divide(@sum.squares, @count)
        @square = T[FEATURES] multiply(@mean, @mean)
        @variance = T[FEATURES] subtract(@mean.squares, @square)
        INVERSE
        @all.mean = T[ALL] broadcast(@mean), dimensions={FEATURE}
        @all.inverse = T[ALL] broadcast(@inverse), dimensions={FEATURE}
        @all.scale = T[ALL] broadcast(@scale), dimensions={FEATURE}
        @all.offset = T[ALL] broadcast(@offset), dimensions={FEATURE}
        @centered = T[ALL] subtract(@x, @all.mean)
        @unit = T[ALL] multiply(@centered, @all.inverse)
        @scaled = T[ALL] multiply(@unit, @all.scale)
        @y = T[ALL] add(@scaled, @all.offset)
        ROOT @all = (T[ALL], T[FEATURES], T[FEATURES]) tuple(@y, @mean, @variance)
      }
      """;

  private static final String GRADIENT =
      """
      HloModule norm
      @add { @a = T[] parameter(0)  @b = T[] parameter(1)  ROOT @s = T[] add(@a, @b) }
      ENTRY @norm {
        @x = T[ALL] parameter(0)
        @scale = T[FEATURES] parameter(1)
        @mean = T[FEATURES] parameter(2)
        @variance = T[FEATURES] parameter(3)
        @grad = T[ALL] parameter(4)
        @zero = T[] constant(0)
        @one.count = T[] constant(COUNT)
        @count = T[FEATURES] broadcast(@one.count), dimensions={}
        @all.count = T[ALL] broadcast(@one.count), dimensions={}
        INVERSE
        @all.mean = T[ALL] broadcast(@mean), dimensions={FEATURE}
        @centered = T[ALL] subtract(@x, @all.mean)
        @products = T[ALL] multiply(@grad, @centered)
        @covariance = T[FEATURES] reduce(@products, @zero), dimensions={OTHERS}, to_apply=@add
        @grad.scale = T[FEATURES] multiply(@covariance, @inverse)
        @grad.offset = T[FEATURES] reduce(@grad, @zero), dimensions={OTHERS}, to_apply=@add
        @scaled = T[FEATURES] multiply(@scale, @inverse)
        @factor = T[FEATURES] divide(@scaled, @count)
        @all.factor = T[ALL] broadcast(@factor), dimensions={FEATURE}
        @quotient = T[FEATURES] divide(@covariance, @above)
        @all.quotient = T[ALL] broadcast(@quotient), dimensions={FEATURE}
        @part = T[ALL] multiply(@centered, @all.quotient)
        @all.grad = T[ALL] multiply(@all.count, @grad)
        @all.offset = T[ALL] broadcast(@grad.offset), dimensions={FEATURE}
        @less = T[ALL] subtract(@all.grad, @all.offset)
        @rest = T[ALL] subtract(@less, @part)
        @grad.operand = T[ALL] multiply(@all.factor, @rest)
        ROOT @all = (T[ALL], T[FEATURES], T[FEATURES]) tuple(@grad.operand, @grad.scale, @grad.offset)
      }
      """;

  private static final String INFERENCE =
      """
      HloModule norm
      ENTRY @norm {
        @x = T[ALL] parameter(0)
        @scale = T[FEATURES] parameter(1)
        @offset = T[FEATURES] parameter(2)
        @mean = T[FEATURES] parameter(3)
        @variance = T[FEATURES] parameter(4)
        INVERSE
        @factor = T[FEATURES] multiply(@inverse, @scale)
        @shift = T[FEATURES] multiply(@mean, @factor)
        @rest = T[FEATURES] subtract(@offset, @shift)
        @all.factor = T[ALL] broadcast(@factor), dimensions={FEATURE}
        @all.rest = T[ALL] broadcast(@rest), dimensions={FEATURE}
        @scaled = T[ALL] multiply(@x, @all.factor)
        ROOT @y = T[ALL] add(@scaled, @all.rest)
      }
      """;

  private BatchNormExpansion() {}

  /** Returns a module in which batch norms are calls of their expansions. */
  static HloModule of(HloModule module) {
    return Expansion.of(
        module,
        each ->
            switch (each.op()) {
              case BatchNormTraining op -> text(each, TRAINING, op.featureIndex(), op.epsilon());
              case BatchNormGrad op -> text(each, GRADIENT, op.featureIndex(), op.epsilon());
              case BatchNormInference op -> text(each, INFERENCE, op.featureIndex(), op.epsilon());
              default -> Optional.empty();
            });
  }

  /** Returns whether sizes are static, and the type has the number of elements of a feature. */
  private static boolean canExpand(HloInstruction norm, int feature) {
    Shape.Array all = (Shape.Array) norm.operands().get(0).shape();
    double count = (double) all.elementCount() / Math.max(1, all.size(feature));
    return all.dynamicDimensions().isEmpty() && count <= all.elementType().maxFinite();
  }

  private static Optional<String> text(
      HloInstruction norm, String template, int feature, float epsilon) {
    if (!canExpand(norm, feature)) {
      return Optional.empty();
    }
    Shape.Array all = (Shape.Array) norm.operands().get(0).shape();
    Dims others = Dims.range(0, all.rank()).without(Dims.of(feature));
    return Optional.of(
        template
            .replace("INVERSE", INVERSE)
            .replace("T[", all.elementType() + "[")
            .replace("ALL]", joined(all.sizes()) + "]")
            .replace("FEATURES]", all.size(feature) + "]")
            .replace("OTHERS", joined(others))
            .replace("FEATURE", String.valueOf(feature))
            .replace("COUNT", String.valueOf(all.sizes().at(others).product()))
            .replace("EPSILON", String.valueOf(epsilon)));
  }

  private static String joined(Dims dims) {
    return dims.stream().mapToObj(String::valueOf).collect(joining(","));
  }
}
