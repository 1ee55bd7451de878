package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.HloException.require;

import java.util.Optional;
import org.hlo4j.hlo.Shape;

/**
 * Completes an {@link AsyncStart} or {@link AsyncUpdate}, its operand, and returns the result.
 *
 * @param shape the shape of the result if no step before has bound it, else empty
 */
public record AsyncDone(Optional<Shape> shape) implements ForwardingOp {
  /** Creates a done of a result that was bound before. */
  public AsyncDone() {
    this(Optional.empty());
  }

  @Override
  public String opcode() {
    return "async-done";
  }

  @Override
  public Arity arity() {
    return Arity.exactly(1);
  }

  @Override
  public Shape resultShape(Operands in) {
    Shape bound = AsyncStart.parts(in.shapes().get(0), "operand").get(1);
    require(
        shape.isEmpty() || AsyncStart.isUnbound(bound),
        "",
        "result got %s, want %s as the step before",
        shape.orElse(bound),
        bound.withoutLayout());
    return shape.orElse(bound).withoutLayout();
  }
}
