package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.base.Ascii;
import org.hlo4j.hlo.Shape;

/**
 * Independent random numbers from a hidden state.
 *
 * <pre>
 *   rng_uniform(a, b)        in [a, b), each as likely; floats, integers, pred
 *   rng_normal(mu, sigma)    mu + sigma * z, z of mean 0 and deviation 1; floats
 * </pre>
 *
 * <p>The numbers depend on the evaluator; those of hlo4j are determined by its seed.
 *
 * @param shape the shape of the result
 * @param distribution their distribution
 */
public record Rng(Shape.Array shape, Distribution distribution) implements External {
  /** The distributions, each of two scalar parameters. */
  public enum Distribution {
    /** Uniform from the first, included, to the second, excluded. */
    RNG_UNIFORM,
    /** Normal of a mean and a standard deviation. */
    RNG_NORMAL;

    /** Returns the HLO text, in lower case. */
    @Override
    public String toString() {
      return Ascii.toLowerCase(name());
    }
  }

  @Override
  public String opcode() {
    return "rng";
  }

  @Override
  public Arity arity() {
    return Arity.exactly(2);
  }

  @Override
  public Shape resultShape(Operands in) {
    boolean uniform = distribution == Distribution.RNG_UNIFORM;
    requireScalar(uniform ? "a" : "mu", in.array(0, uniform ? "a" : "mu"));
    requireScalar(uniform ? "b" : "sigma", in.array(1, uniform ? "b" : "sigma"));
    require(
        !shape.elementType().isComplex() && (uniform || shape.elementType().isFloating()),
        uniform ? "" : "rng C2",
        "element type got %s, want %s for %s",
        shape.elementType(),
        uniform ? "floats, integers or pred" : "floats",
        distribution);
    require(!shape.isDynamic(), "rng C3", "shape got %s, want static sizes", shape);
    return shape.withLayout(null);
  }

  private void requireScalar(String role, Shape.Array operand) {
    require(operand.isScalar(), "", "%s got %s, want a scalar", role, operand);
    require(
        operand.elementType() == shape.elementType(),
        "rng C1",
        "element type of %s got %s, want %s as the result",
        role,
        operand.elementType(),
        shape.elementType());
  }
}
