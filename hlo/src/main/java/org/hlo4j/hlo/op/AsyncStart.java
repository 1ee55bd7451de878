package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import java.util.List;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;

/**
 * Starts a computation on the operands. The result, for {@link AsyncUpdate} and {@link AsyncDone},
 * is a tuple of the tuple of operands, the result and contexts. hlo4j runs the computation
 * immediately.
 *
 * <p>A start may leave operands and the result to those that follow: it has the first operands
 * only, and {@code ()} in place of the result. An update adds the next operands, an update or the
 * done the result. hlo4j then runs the computation where all are bound.
 *
 * @param shape the shape of that tuple
 * @param asyncExecutionThread the thread it runs on; empty for the main one
 * @param outputToOperandAliasing which parts of the tuple may share an operand's buffer; a hint
 */
public record AsyncStart(
    Shape shape, String asyncExecutionThread, ImmutableList<Aliasing> outputToOperandAliasing)
    implements ForwardingOp {
  /**
   * Creates a start without aliasing.
   *
   * @param shape the shape of that tuple
   * @param asyncExecutionThread the thread it runs on; empty for the main one
   */
  public AsyncStart(Shape shape, String asyncExecutionThread) {
    this(shape, asyncExecutionThread, ImmutableList.of());
  }

  @Override
  public String opcode() {
    return "async-start";
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
    callee.requireFirst("", in.shapes());
    List<Shape> parts = parts(shape, "shape");
    Shape operands = new Shape.Tuple(in.shapes());
    require(
        parts.get(0).compatible(operands),
        "",
        "element 0 of the result got %s, want %s as the operands",
        parts.get(0),
        operands.withoutLayout());
    if (!isUnbound(parts.get(1))) {
      callee.requireResult("", parts.get(1));
    }
    requireAliases(in.shapes(), parts.get(1));
    return shape.withoutLayout();
  }

  /** Checks aliases, but those of a result that is not bound yet. */
  private void requireAliases(ImmutableList<Shape> operands, Shape result) {
    boolean isLate = isUnbound(result);
    Aliasing.requireValid(
        outputToOperandAliasing.stream()
            .filter(pair -> !isLate || !pair.output().equals(Dims.of(1)))
            .toList(),
        operands,
        shape,
        true);
  }

  /** Returns whether a result is left to a later instruction; the one of a call may be so too. */
  static boolean isUnbound(Shape result) {
    return result instanceof Shape.Tuple tuple && tuple.elements().isEmpty();
  }

  /** Returns the operands, result and contexts of an asynchronous op that is not yet completed. */
  static List<Shape> parts(Shape shape, String role) {
    require(
        shape instanceof Shape.Tuple tuple
            && tuple.elements().size() >= 2
            && tuple.elements().get(0) instanceof Shape.Tuple,
        "",
        "%s got %s, want ((operands), result, contexts) of an async-start",
        role,
        shape);
    return ((Shape.Tuple) shape).elements();
  }
}
