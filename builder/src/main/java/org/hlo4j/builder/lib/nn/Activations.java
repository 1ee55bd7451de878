package org.hlo4j.builder.lib.nn;

import static org.hlo4j.builder.lib.nn.Reductions.kept;
import static org.hlo4j.builder.lib.nn.Reductions.reduce;
import static org.hlo4j.builder.lib.nn.Reductions.requireFloats;
import static org.hlo4j.builder.lib.nn.Reductions.type;
import static org.hlo4j.builder.lib.nn.Reductions.wide;

import org.hlo4j.builder.XlaOp;
import org.hlo4j.builder.lib.Constants;
import org.hlo4j.builder.lib.math.XlaMath;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;

/**
 * Activation functions, by the definitions of {@code jax.nn}. The result has the shape and element
 * type of the operand. Everything is computed in that type, except sums of floats narrower than
 * f32.
 */
public final class Activations {
  private Activations() {}

  /**
   * max(x, 0).
   *
   * @param x an array of numbers, not complex
   * @return the op
   * @throws HloException if x is no such array
   */
  public static XlaOp relu(XlaOp x) {
    return x.max(0);
  }

  /**
   * min(max(x, 0), 6).
   *
   * @param x an array of numbers, not complex
   * @return the op
   * @throws HloException if x is no such array
   */
  public static XlaOp relu6(XlaOp x) {
    return x.max(0).min(6);
  }

  /**
   * x where it is at least 0, else slope * x.
   *
   * @param x an array of floats
   * @param negativeSlope the slope, in JAX 0.01 unless given
   * @return the op
   * @throws HloException if x is not an array of floats
   */
  public static XlaOp leakyRelu(XlaOp x, double negativeSlope) {
    requireFloats("leakyRelu", x);
    return x.ge(0).select(x, x.mul(negativeSlope));
  }

  /**
   * x where it is positive, else alpha * (exp(x) - 1).
   *
   * @param x an array of floats
   * @param alpha the factor, in JAX 1 unless given
   * @return the op
   * @throws HloException if x is not an array of floats
   */
  public static XlaOp elu(XlaOp x, double alpha) {
    requireFloats("elu", x);
    XlaOp isPositive = x.gt(0);
    return isPositive.select(x, isPositive.select(0, x).expm1().mul(alpha));
  }

  /**
   * 1 / (1 + exp(-x)); the same as {@link XlaOp#logistic}.
   *
   * @param x an array of floats
   * @return the op
   * @throws HloException if x is not an array of floats
   */
  public static XlaOp sigmoid(XlaOp x) {
    requireFloats("sigmoid", x);
    return x.logistic();
  }

  /**
   * x * sigmoid(x), also called swish.
   *
   * @param x an array of floats
   * @return the op
   * @throws HloException if x is not an array of floats
   */
  public static XlaOp silu(XlaOp x) {
    return x.mul(sigmoid(x));
  }

  /**
   * log(1 + exp(x)), without overflow: max(x, 0) + log1p(exp(-|x|)).
   *
   * @param x an array of floats
   * @return the op
   * @throws HloException if x is not an array of floats
   */
  public static XlaOp softplus(XlaOp x) {
    requireFloats("softplus", x);
    return x.max(0).add(x.abs().neg().exp().log1p());
  }

  /**
   * Returns the approximation of {@link #geluExact} that is the default of {@code jax.nn.gelu}: x /
   * 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))).
   *
   * @param x an array of floats
   * @return the op
   * @throws HloException if x is not an array of floats
   */
  public static XlaOp gelu(XlaOp x) {
    requireFloats("gelu", x);
    XlaOp cube = x.mul(x).mul(x);
    XlaOp inner = x.add(cube.mul(0.044715)).mul(Math.sqrt(2 / Math.PI));
    return x.mul(inner.tanh().add(1).mul(0.5));
  }

  /**
   * x times the probability that a normally distributed number is below it: x / 2 * erfc(-x /
   * sqrt(2)); {@code jax.nn.gelu} with {@code approximate=False}.
   *
   * @param x an array of floats
   * @return the op
   * @throws HloException if x is not an array of floats
   */
  public static XlaOp geluExact(XlaOp x) {
    requireFloats("geluExact", x);
    return x.mul(0.5).mul(XlaMath.erfc(x.neg().mul(Math.sqrt(0.5))));
  }

  /**
   * exp(x) divided by its sum along dimensions; the largest element is subtracted first, so that
   * there is no overflow.
   *
   * @param x an array of floats
   * @param dimensions the dimensions along which results add up to 1, of which -1 is the last; none
   *     for all
   * @return the op
   * @throws HloException if x is not an array of floats, or there is no such dimension
   */
  public static XlaOp softmax(XlaOp x, int... dimensions) {
    Dims reduced = reduced("softmax", x, dimensions);
    XlaOp exp = shifted(x, reduced).exp();
    return exp.div(sum(exp, reduced), kept(x, reduced));
  }

  /**
   * log(softmax(x)) without the underflow: x minus its largest element, minus the logarithm of the
   * sum of the exponentials of that difference.
   *
   * @param x an array of floats
   * @param dimensions the dimensions along which exponentials of results add up to 1, of which -1
   *     is the last; none for all
   * @return the op
   * @throws HloException if x is not an array of floats, or there is no such dimension
   */
  public static XlaOp logSoftmax(XlaOp x, int... dimensions) {
    Dims reduced = reduced("logSoftmax", x, dimensions);
    XlaOp shifted = shifted(x, reduced);
    return shifted.sub(sum(shifted.exp(), reduced).log(), kept(x, reduced));
  }

  private static Dims reduced(String function, XlaOp x, int... dimensions) {
    requireFloats(function, x);
    return Reductions.reduced(function, x, dimensions);
  }

  private static XlaOp shifted(XlaOp x, Dims reduced) {
    XlaOp most = reduce(x, Constants.minValue(x.builder(), type(x)), XlaOp::max, reduced);
    return x.sub(most, kept(x, reduced));
  }

  private static XlaOp sum(XlaOp x, Dims reduced) {
    return wide(x, v -> reduce(v, Constants.zero(v.builder(), type(v)), XlaOp::add, reduced));
  }
}
