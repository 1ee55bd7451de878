package org.hlo4j.hlo.op;

import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;

/**
 * Converts each element to another type by value.
 *
 * <p>Float to integer truncates and saturates, and NaN gives 0. Integer to a narrower integer
 * wraps. A conversion to float rounds to nearest even. A conversion to pred tests for not zero.
 * Complex to real drops the imaginary part.
 *
 * @param newElementType the element type of the result
 */
public record Convert(ElementType newElementType) implements Pointwise {
  @Override
  public String opcode() {
    return "convert";
  }

  @Override
  public Arity arity() {
    return Arity.exactly(1);
  }

  @Override
  public Shape resultShape(Operands in) {
    return in.array(0, "operand").withElementType(newElementType).withLayout(null);
  }
}
