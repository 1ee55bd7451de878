package org.hlo4j.hlo.op;

import java.util.List;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;

/**
 * Reverses dimensions: {@code result[i] = operand[j]} with {@code j[d] = size(d) - 1 - i[d]} for
 * the dimensions given and {@code j[d] = i[d]} for the others.
 *
 * <pre>
 *   dimensions={1}
 *     1 2 3   -&gt;   3 2 1
 *     4 5 6        6 5 4
 * </pre>
 *
 * @param dimensions the dimensions to reverse, distinct
 */
public record Reverse(Dims dimensions) implements Movement {
  @Override
  public String opcode() {
    return "reverse";
  }

  @Override
  public Arity arity() {
    return Arity.exactly(1);
  }

  @Override
  public Shape resultShape(Operands in) {
    Shape.Array operand = in.array(0, "operand");
    DimensionList named = new DimensionList("dimensions", dimensions);
    named.requireIn("reverse C3", "operand", operand.rank(), operand);
    named.requireDistinct("reverse C2");
    return operand.withLayout(null);
  }

  /** {@code result[i] = operand[size - 1 - i]} in the dimensions reversed */
  @Override
  public <I> Source<I> source(
      IndexAlgebra<I> x, List<Shape.Array> operands, Shape.Array result, List<I> index) {
    return Source.at(
        0,
        index.size(),
        d ->
            dimensions.contains(d)
                ? x.shifted(x.times(index.get(d), -1), result.size(d) - 1)
                : index.get(d));
  }
}
