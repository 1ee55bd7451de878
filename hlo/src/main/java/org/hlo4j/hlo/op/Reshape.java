package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.HloException.require;
import static org.hlo4j.hlo.HloException.requireDimension;
import static org.hlo4j.hlo.HloException.requireFitting;
import static org.hlo4j.hlo.arguments.Arguments.requireNonNull;

import com.google.common.math.LongMath;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;

/**
 * Changes the shape of an array. The elements keep their row-major order.
 *
 * @param shape the shape of the result, with the same number of elements
 */
public record Reshape(Shape.Array shape) implements Movement, ForwardingOp {
  /**
   * Returns a reshape to other sizes, dynamic where the operand's are. Of several dimensions that a
   * dynamic one becomes, the one that is not of size 1 is dynamic.
   *
   * @param operand the shape of the operand
   * @param sizes the new sizes; of dynamic dimensions the bounds
   * @param inferredDimension the dimension that is dynamic where it is not clear which
   * @return the op
   * @throws HloException if element counts differ, the dimension does not exist, or it is not clear
   *     which dimension is dynamic
   */
  public static Reshape of(Shape.Array operand, Dims sizes, Optional<Integer> inferredDimension) {
    requireNonNull(sizes, "sizes");
    requireNonNull(operand, "operand");
    for (int i = 0; i < sizes.count(); i++) {
      requireFitting(
          sizes.get(i) >= 0 || sizes.get(i) == Shape.UNBOUNDED,
          () -> completed(operand, sizes),
          "",
          "reshape: size of dimension %s got %s, want at least 0",
          i,
          sizes.get(i));
    }
    Reshape op = new Reshape(operand.withSizes(sizes));
    if (!operand.isDynamic()) {
      return op;
    }
    op.infer(operand);
    inferredDimension.ifPresent(dimension ->
        requireDimension(
            dimension,
            sizes.count(),
            "",
            "reshape: inferred_dimension got %s, want a dimension of %s",
            dimension,
            sizes));
    return new Reshape(ReshapeGroups.inferred(operand, sizes, inferredDimension));
  }

  /** Returns the sizes with a number in place of -1, if that is the only one that is not known. */
  private static String completed(Shape.Array operand, Dims sizes) {
    int open = sizes.indexOf(-1);
    if (open < 0 || operand.hasUnbounded()) {
      return "";
    }
    Dims others = sizes.without(Dims.of(open));
    long known = others.stream().reduce(1, LongMath::saturatedMultiply);
    boolean isWhole =
        others.stream().allMatch(size -> size > 0) && operand.elementCount() % known == 0;
    return isWhole ? "reshape" + sizes.with(open, operand.elementCount() / known) : "";
  }

  @Override
  public String opcode() {
    return "reshape";
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
        "reshape C1",
        "element type of the result got %s, want %s as the operand",
        shape.elementType(),
        operand.elementType());
    require(
        !operand.hasUnbounded() && !shape.hasUnbounded(),
        "reshape C2",
        "got %s to %s, want bounds on all sizes",
        operand,
        shape);
    require(
        operand.elementCount() == shape.elementCount(),
        "reshape C2",
        "element count got %s for %s, want %s as in %s",
        shape.elementCount(),
        shape,
        operand.elementCount(),
        operand);
    return shape;
  }

  /**
   * To the sizes that the operand's leave: a dimension made of several has as many elements as they
   * have; of several made of one the dynamic one shrinks.
   *
   * @throws HloException if a size is no multiple of the static ones it is to become
   */
  @Override
  public Reshape atSizes(Operands declared, Operands actual) {
    Shape.Array from = declared.array(0, "operand");
    Dims sizes = actual.array(0, "operand").sizes();
    return new Reshape(shape.withSizes(ReshapeGroups.actualSizes(from, shape, sizes)));
  }

  /** {@code result[i] = operand[j]} where i and j are the same row-major position */
  @Override
  public <I> Source<I> source(
      IndexAlgebra<I> x, List<Shape.Array> operands, Shape.Array result, List<I> index) {
    Dims sizes = operands.get(0).sizes();
    return new Source.Element<>(
        0,
        sizes.equals(result.sizes()) ? index : x.index(x.position(index, result.sizes()), sizes));
  }
}
