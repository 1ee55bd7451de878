package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.HloException.require;

import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;

/**
 * Converts each float to a narrower type with stochastic rounding: away from zero where {@code
 * random} is below {@code floor(fraction * 2^bits)}, with the fraction lost by rounding towards
 * zero.
 *
 * <pre>
 *   operand    2.25   2.25   -2.25
 *   random     0.2    0.3     0.2      of 2^bits
 *   result     3      2      -3
 * </pre>
 *
 * <p>The expected value of the result is the operand, but for fractions that have more bits than
 * the random number: these are cut off, as in XLA, so that a fraction below {@code 2^-bits} is
 * always rounded towards zero. Like {@link Convert}, it saturates integers, and NaN gives integer
 * 0. XLA has no floats as result; here they are rounded by the same rule, the fraction being that
 * of the distance between the two floats next to the operand.
 *
 * @param newElementType the element type of the result, an integer or float
 */
public record StochasticConvert(ElementType newElementType) implements Pointwise {
  @Override
  public String opcode() {
    return "stochastic-convert";
  }

  @Override
  public Arity arity() {
    return Arity.exactly(2);
  }

  @Override
  public Shape resultShape(Operands in) {
    Shape.Array operand = in.array(0, "operand");
    Shape.Array random = in.array(1, "random");
    ElementType type = operand.elementType();
    require(type.isFloating(), "", "element type of operand got %s, want float", type);
    require(
        random.elementType().kind() == ElementType.Kind.UNSIGNED,
        "",
        "element type of random got %s, want unsigned",
        random.elementType());
    require(
        random.elementType().bits() == type.bits(),
        "",
        "random got %s bits, want %s as operand %s",
        random.elementType().bits(),
        type.bits(),
        operand);
    require(
        random.withElementType(type).compatible(operand),
        "",
        "sizes of random got %s, want those of operand %s",
        random,
        operand);
    require(
        newElementType.isIntegral() || newElementType.isFloating(),
        "",
        "element type of the result got %s, want an integer or float",
        newElementType);
    return operand.withElementType(newElementType).withLayout(null);
  }
}
