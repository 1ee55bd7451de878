package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;

/**
 * Applies a computation of scalars to each element: {@code result[i] = to_apply(operands[0][i],
 * operands[1][i], ...)}. Sizes are bounds where those of the first operand are.
 *
 * @param dimensions all dimensions of the operands, in order, or none, which means the same; XLA
 *     supports no others
 */
public record Map(Dims dimensions) implements HigherOrder {
  @Override
  public String opcode() {
    return "map";
  }

  @Override
  public Arity arity() {
    return Arity.atLeast(1);
  }

  @Override
  public ImmutableList<String> callees() {
    return ImmutableList.of("to_apply");
  }

  @Override
  public Shape resultShape(Operands in) {
    Shape.Array first = (Shape.Array) in.array(0, "operand 0").withoutLayout();
    ImmutableList.Builder<Shape> scalars = ImmutableList.builder();
    for (int i = 0; i < in.shapes().size(); i++) {
      Shape.Array operand = in.array(i, "operand " + i);
      require(
          operand.sizes().equals(first.sizes()),
          "map C1",
          "sizes of operand %s got %s, want those of operand 0, %s",
          i,
          operand,
          first);
      scalars.add(Shape.of(operand.elementType()));
    }
    require(
        dimensions.isEmpty() || dimensions.equals(Dims.range(0, first.rank())),
        "map C3",
        "dimensions got %s, want all dimensions of %s in order",
        dimensions,
        first);
    Callee body = new Callee("to_apply", in.called().get(0));
    body.requireParameters("map C4", scalars.build());
    Shape result = body.signature().result();
    require(
        result instanceof Shape.Array array && array.isScalar(),
        "map C4",
        "result of to_apply got %s, want a scalar",
        result);
    return first.withElementType(((Shape.Array) result).elementType());
  }
}
