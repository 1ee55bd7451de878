package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.HloException.require;
import static org.hlo4j.hlo.HloException.requireDimension;

import java.util.List;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;

/**
 * Numbers counting up along one dimension: {@code result[..., i, ...] = i}.
 *
 * <pre>
 *   iota_dimension = 0        iota_dimension = 1
 *     0 0 0                     0 1 2
 *     1 1 1                     0 1 2
 * </pre>
 *
 * @param shape the shape of the result, of any element type but pred, and of rank at least 1
 * @param iotaDimension the dimension along which to count
 */
public record Iota(Shape.Array shape, int iotaDimension) implements Movement {
  @Override
  public String opcode() {
    return "iota";
  }

  @Override
  public Arity arity() {
    return Arity.exactly(0);
  }

  @Override
  public Shape resultShape(Operands in) {
    require(shape.rank() > 0, "iota C1", "shape got %s, want rank 1 at least", shape);
    requireDimension(
        iotaDimension,
        shape.rank(),
        "iota C1",
        "iota_dimension got %s, want one from 0 to %s of %s",
        iotaDimension,
        shape.rank() - 1,
        shape);
    require(
        shape.elementType() != ElementType.PRED, "", "element type got pred, want a number type");
    require(
        !shape.isDynamic(),
        "",
        "shape got %s, want static sizes: iota has no size to follow",
        shape);
    return shape;
  }

  /** {@code result[i] = i[iotaDimension]} */
  @Override
  public <I> Source<I> source(
      IndexAlgebra<I> x, List<Shape.Array> operands, Shape.Array result, List<I> index) {
    return new Source.Counted<>(index.get(iotaDimension));
  }
}
