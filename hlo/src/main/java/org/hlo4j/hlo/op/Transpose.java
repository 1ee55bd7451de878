package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.HloException.require;
import static org.hlo4j.hlo.HloException.requireDimension;

import java.util.List;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;

/**
 * Permutes the dimensions: dimension {@code i} of the result is dimension {@code dimensions[i]} of
 * the operand.
 *
 * @param dimensions a permutation of the operand's dimensions
 */
public record Transpose(Dims dimensions) implements Movement {
  @Override
  public String opcode() {
    return "transpose";
  }

  @Override
  public Arity arity() {
    return Arity.exactly(1);
  }

  @Override
  public Shape resultShape(Operands in) {
    Shape.Array operand = in.array(0, "operand");
    for (long dimension : dimensions.toArray()) {
      requireDimension(
          dimension,
          operand.rank(),
          "transpose C2",
          "dimensions got %s, want a permutation of the %s dimensions of %s",
          dimensions,
          operand.rank(),
          operand);
    }
    require(
        dimensions.count() == operand.rank() && dimensions.isPermutation(),
        "transpose C2",
        "dimensions got %s, want a permutation of the %s dimensions of %s",
        dimensions,
        operand.rank(),
        operand);
    return operand.select(dimensions);
  }

  /** {@code result[i] = operand[j]} with {@code i[d] = j[dimensions[d]]} */
  @Override
  public <I> Source<I> source(
      IndexAlgebra<I> x, List<Shape.Array> operands, Shape.Array result, List<I> index) {
    Dims places = dimensions.inverse();
    return Source.at(0, index.size(), d -> index.get(places.getInt(d)));
  }
}
