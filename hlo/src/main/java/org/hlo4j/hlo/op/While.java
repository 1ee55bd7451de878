package org.hlo4j.hlo.op;

import com.google.common.collect.ImmutableList;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;

/**
 * Runs a body computation repeatedly, as long as a condition computation returns true.
 *
 * <pre>
 *   state = operand
 *   while (condition(state)) {
 *     state = body(state)
 *   }
 *   result = state
 * </pre>
 *
 * <p>The state is one value; several are carried in a tuple. Calls: condition, body.
 */
public record While() implements ForwardingOp {
  @Override
  public String opcode() {
    return "while";
  }

  @Override
  public Arity arity() {
    return Arity.exactly(1);
  }

  @Override
  public ImmutableList<String> callees() {
    return ImmutableList.of("condition", "body");
  }

  @Override
  public Shape resultShape(Operands in) {
    Shape state = in.shapes().get(0).withoutLayout();
    ImmutableList<Shape> parameters = ImmutableList.of(state);
    Callee condition = new Callee("condition", in.called().get(0));
    condition.requireParameters("while C1", parameters);
    condition.requireResult("while C1", Shape.of(ElementType.PRED));
    Callee body = new Callee("body", in.called().get(1));
    body.requireParameters("while C2", parameters);
    body.requireResult("while C2", state);
    return state; // C3
  }
}
