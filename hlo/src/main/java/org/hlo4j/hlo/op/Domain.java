package org.hlo4j.hlo.op;

import org.hlo4j.hlo.Shape;

/**
 * The operand as it is, at the border of a domain of instructions that share a property.
 *
 * @param domain which property, and what it is on either side
 */
public record Domain(Border domain) implements ForwardingOp {
  /**
   * What changes at a border.
   *
   * @param kind the property, such as {@code sharding}
   * @param entry what it is before, as text
   * @param exit what it is behind, as text
   */
  public record Border(String kind, String entry, String exit) {
    /** As HLO text has it. */
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
