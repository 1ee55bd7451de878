package org.hlo4j.hlo.op;

import com.google.common.collect.ImmutableList;
import org.hlo4j.hlo.Shape;

/**
 * Runs a computation on the operands; that a compiler made it of several ops changes nothing.
 *
 * @param kind how it is compiled
 * @param outputToOperandAliasing which parts of the result may lie where which operand lies
 */
public record Fusion(Kind kind, ImmutableList<Aliasing> outputToOperandAliasing)
    implements ForwardingOp {
  /** How a fusion is compiled. */
  public enum Kind {
    /** As one loop over the result. */
    LOOP("kLoop"),
    /** Into the op at its end. */
    INPUT("kInput"),
    /** Into the op at its beginning. */
    OUTPUT("kOutput"),
    /** As the backend has it. */
    CUSTOM("kCustom");

    private final String text;

    Kind(String text) {
      this.text = text;
    }

    /** As HLO text has it. */
    @Override
    public String toString() {
      return text;
    }
  }

  /**
   * A fusion without aliasing.
   *
   * @param kind how it is compiled
   */
  public Fusion(Kind kind) {
    this(kind, ImmutableList.of());
  }

  @Override
  public String opcode() {
    return "fusion";
  }

  @Override
  public Arity arity() {
    return Arity.atLeast(0);
  }

  @Override
  public ImmutableList<String> callees() {
    return ImmutableList.of("calls");
  }

  @Override
  public Shape resultShape(Operands in) {
    Callee callee = new Callee("calls", in.called().get(0));
    callee.requireParameters("", in.shapes());
    Shape result = callee.signature().result().withoutLayout();
    Aliasing.requireValid(outputToOperandAliasing, in.shapes(), result, false);
    return result;
  }
}
