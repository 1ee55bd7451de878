package org.hlo4j.hlo.op;

import com.google.common.collect.ImmutableList;
import org.hlo4j.hlo.Shape;

/**
 * Runs a computation on the operands.
 *
 * @param isComposite whether the computation implements one op of a higher level, which is named by
 *     the instruction's frontend attributes {@code composite.name}, {@code composite.attributes}
 *     and {@code composite.version}
 */
public record Call(boolean isComposite) implements ForwardingOp {
  /** Creates a call that is no composite. */
  public Call() {
    this(false);
  }

  @Override
  public String opcode() {
    return "call";
  }

  @Override
  public Arity arity() {
    return Arity.atLeast(0);
  }

  @Override
  public ImmutableList<String> callees() {
    return ImmutableList.of("to_apply");
  }

  @Override
  public Shape resultShape(Operands in) {
    Callee callee = new Callee("to_apply", in.called().get(0));
    callee.requireParameters("", in.shapes());
    return callee.signature().result().withoutLayout();
  }
}
