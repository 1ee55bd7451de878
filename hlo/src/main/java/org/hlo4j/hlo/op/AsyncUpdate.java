package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.Shape;

/**
 * An intermediate step of an {@link AsyncStart}, its first operand, which it forwards. If the start
 * left operands to later steps, the next ones follow; the result may be bound as well.
 *
 * @param shape the shape of the tuple if the result or the contexts are others than those of the
 *     first operand, else empty
 */
public record AsyncUpdate(Optional<Shape> shape) implements ForwardingOp {
  /** Creates a step that has the result and the contexts of the one before. */
  public AsyncUpdate() {
    this(Optional.empty());
  }

  @Override
  public String opcode() {
    return "async-update";
  }

  @Override
  public Arity arity() {
    return Arity.atLeast(1);
  }

  @Override
  public Shape resultShape(Operands in) {
    List<Shape> before = AsyncStart.parts(in.shapes().get(0), "operand");
    List<Shape> rest = before.subList(1, before.size());
    Shape operands =
        new Shape.Tuple(
            ImmutableList.<Shape>builder()
                .addAll(((Shape.Tuple) before.get(0)).elements())
                .addAll(in.shapes().subList(1, in.shapes().size()))
                .build());
    shape.ifPresent(given -> check(given, operands, rest, in.shapes().size() > 1));
    return shape
        .orElseGet(() ->
            new Shape.Tuple(ImmutableList.<Shape>builder().add(operands).addAll(rest).build()))
        .withoutLayout();
  }

  private static void check(Shape given, Shape operands, List<Shape> rest, boolean addsOperands) {
    List<Shape> parts = AsyncStart.parts(given, "shape");
    require(
        parts.get(0).compatible(operands),
        "",
        "element 0 of the result got %s, want %s: the operands of the step before and those added",
        parts.get(0),
        operands.withoutLayout());
    boolean isUnbound = AsyncStart.isUnbound(rest.get(0));
    boolean bindsResult = isUnbound && !AsyncStart.isUnbound(parts.get(1));
    require(
        isUnbound || parts.get(1).compatible(rest.get(0)),
        "",
        "element 1 of the result got %s, want %s as the step before",
        parts.get(1),
        rest.get(0).withoutLayout());
    require(
        addsOperands || bindsResult,
        "",
        "result got %s, want the shape of the step before: no operand is added, no result bound",
        given.withoutLayout());
  }
}
