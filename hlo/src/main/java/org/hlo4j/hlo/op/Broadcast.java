package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.HloException.require;
import static org.hlo4j.hlo.HloException.requireDimension;

import java.util.List;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;

/**
 * Repeats the operand along new dimensions: {@code result[j] = operand[j[dimensions[0]],
 * j[dimensions[1]], ...]}.
 *
 * <pre>
 *   operand f32[3]   dimensions={1}   shape f32[2,3]
 *     7 8 9             -&gt;              7 8 9
 *                                       7 8 9
 * </pre>
 *
 * <p>Sizes must be equal: a dimension of size 1 is not stretched. A bound stays a bound: what a
 * static size would hold beyond the elements that there are, XLA leaves open. Source of the rules:
 * {@code BroadcastShape} checks in XLA's {@code HloVerifier}, and the check of dynamism in its
 * {@code InferBroadcastShape}.
 *
 * @param shape the shape of the result
 * @param dimensions for each dimension of the operand, the dimension of the result it becomes
 */
public record Broadcast(Shape.Array shape, Dims dimensions) implements Movement {
  @Override
  public String opcode() {
    return "broadcast";
  }

  @Override
  public Arity arity() {
    return Arity.exactly(1);
  }

  @Override
  public Shape resultShape(Operands in) {
    Shape.Array operand = in.array(0, "operand");
    require(
        operand.elementType() == shape.elementType(),
        "broadcast_in_dim C1",
        "element type of the result got %s, want %s as the operand",
        shape.elementType(),
        operand.elementType());
    require(
        dimensions.count() == operand.rank(),
        "broadcast_in_dim C2",
        "dimensions got %s, want one for each of the %s dimensions of %s",
        dimensions,
        operand.rank(),
        operand);
    for (int i = 0; i < dimensions.count(); i++) {
      checkDimension(operand, i);
    }
    for (int dimension = 0; dimension < shape.rank(); dimension++) {
      int from = dimensions.indexOf(dimension);
      boolean isDynamic = from >= 0 && operand.isDynamic(from);
      require(
          shape.isDynamic(dimension) == isDynamic,
          "",
          "dimension %s of the result got %s, want %s",
          dimension,
          shape.sizeText(dimension),
          isDynamic
              ? operand.sizeText(from) + " as dimension " + from + " of operand " + operand
              : "a static size: no dynamic dimension becomes it");
    }
    return shape.withLayout(null);
  }

  private void checkDimension(Shape.Array operand, int i) {
    long target = dimensions.get(i);
    requireDimension(
        target,
        shape.rank(),
        "broadcast_in_dim C3",
        "dimensions[%s] got %s, want a dimension of %s",
        i,
        target,
        shape);
    require(
        shape.size((int) target) == operand.size(i),
        "broadcast_in_dim C5",
        "size of dimension %s of the result got %s, want %s as dimension %s of operand %s",
        target,
        shape.sizeText((int) target),
        operand.sizeText(i),
        i,
        operand);
    require(
        dimensions.indexOf(target) == i,
        "broadcast_in_dim C4",
        "dimensions got %s, want no dimension twice",
        dimensions);
  }

  /**
   * Returns the op at run-time sizes: those of the operand, in the dimensions that it is mapped to.
   */
  @Override
  public Broadcast atSizes(Operands declared, Operands actual) {
    Dims from = actual.array(0, "operand").sizes();
    Dims sizes = shape.sizes();
    for (int i = 0; i < dimensions.count(); i++) {
      sizes = sizes.with(dimensions.getInt(i), from.get(i));
    }
    return new Broadcast(shape.withSizes(sizes), dimensions);
  }

  /** {@code result[j] = operand[j[dimensions[0]], j[dimensions[1]], ...]} */
  @Override
  public <I> Source<I> source(
      IndexAlgebra<I> x, List<Shape.Array> operands, Shape.Array result, List<I> index) {
    return Source.at(0, dimensions.count(), d -> index.get(dimensions.getInt(d)));
  }
}
