package org.hlo4j.hlo.op;

import org.hlo4j.hlo.Shape;

/**
 * Forwards the operand at the border of a domain of instructions that share a property.
 *
 * @param domain the property, and its value on either side
 */
public record Domain(Border domain) implements ForwardingOp {
  /**
   * The property that changes at a border.
   *
   * @param kind the property, such as {@code sharding}
   * @param entry its value before the border, as text
   * @param exit its value after the border, as text
   */
  public record Border(String kind, String entry, String exit) {
    /** Returns the HLO text. */
    @Override
    public String toString() {
      return "{kind=\"" + kind + "\", entry=" + entry + ", exit=" + exit + "}";
    }
  }

  @Override
  public String opcode() {
    return "domain";
  }

  @Override
  public Arity arity() {
    return Arity.exactly(1);
  }

  @Override
  public Shape resultShape(Operands in) {
    return in.shapes().get(0).withoutLayout();
  }
}
