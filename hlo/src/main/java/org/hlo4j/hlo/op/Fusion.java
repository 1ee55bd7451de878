package org.hlo4j.hlo.op;

import com.google.common.collect.ImmutableList;
import org.hlo4j.hlo.Shape;

/**
 * Runs a fused computation on the operands. The semantics are those of a call.
 *
 * @param kind the kind of fusion, a hint for a compiler
 * @param outputToOperandAliasing which parts of the result may share an operand's buffer
 */
public record Fusion(Kind kind, ImmutableList<Aliasing> outputToOperandAliasing)
    implements ForwardingOp {
  /** How a fusion is compiled. */
  public enum Kind {
    /** As one loop over the result. */
    LOOP("kLoop"),
    /** Fusion into the op at its root. */
    INPUT("kInput"),
    /** Into the op at its beginning. */
    OUTPUT("kOutput"),
    /** Defined by the backend. */
    CUSTOM("kCustom");

    private final String text;

    Kind(String text) {
      this.text = text;
    }

    /** Returns the HLO text. */
    @Override
    public String toString() {
      return text;
    }
  }

  /**
   * Creates a fusion without aliasing.
   *
   * @param kind the kind of fusion, a hint for a compiler
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
