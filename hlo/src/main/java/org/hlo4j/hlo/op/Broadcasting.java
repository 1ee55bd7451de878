package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.HloException.require;
import static org.hlo4j.hlo.HloException.requireFitting;
import static org.hlo4j.hlo.arguments.Arguments.requireNonNull;

import com.google.common.collect.ImmutableSortedSet;
import java.util.Optional;
import java.util.TreeSet;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;

/**
 * XLA's broadcasting rules: which shapes are compatible, and the shape of the result.
 *
 * <p>Two operands of the same rank are stretched where one has size 1 (<i>degenerate</i>
 * dimensions). An operand of lower rank needs {@code broadcast_dimensions}, strictly increasing, to
 * say which dimension of the other each of its own is (<i>in-dim</i>); a scalar needs none. The two
 * rules compose. The size of a stretched dimension is the one that is not 1: 0 with 1 is 0. No
 * other broadcast is implicit.
 *
 * <p>These rules apply in the builder; an HLO module has only explicit broadcasts. The checks have
 * the order of XLA's {@code ShapeInference}, so that the first error is the same. Labels: B1
 * identity, B2 rank, B3 count, B4 negative, B5 too large, B6 size, B7 dynamism, B8 order, B9
 * incompatible.
 */
public final class Broadcasting {
  /**
   * An operand and its name in messages.
   *
   * @param name the name
   * @param shape its shape
   */
  public record Operand(String name, Shape.Array shape) {}

  private Broadcasting() {}

  /**
   * Returns the shape of a binary element-wise op on operands that may need broadcasting, with the
   * element type of the operands.
   *
   * @param lhs the left operand
   * @param rhs the right operand
   * @param broadcastDimensions for each dimension of the operand of lower rank, the dimension of
   *     the other that it is; empty for a scalar; empty or all dimensions in order for equal ranks
   * @return the shape of the result
   * @throws HloException if the operands are incompatible; it draws how they align and offers what
   *     would fit
   */
  public static Shape.Array binary(Operand lhs, Operand rhs, Dims broadcastDimensions) {
    requireNonNull(broadcastDimensions, "broadcastDimensions");
    requireSameType(lhs, rhs);
    if (lhs.shape.rank() == rhs.shape.rank()) {
      Dims identity = Dims.range(0, lhs.shape.rank());
      require(
          broadcastDimensions.isEmpty() || broadcastDimensions.equals(identity),
          "broadcast B1",
          "cannot broadcast %s onto %s: both have rank %s, broadcast_dimensions got %s, want none"
              + " or %s",
          rhs.name,
          lhs.name,
          identity.count(),
          broadcastDimensions,
          identity);
      return degenerate(lhs, rhs, new Alignment(lhs, rhs, identity));
    }
    boolean lhsIsLarger = lhs.shape.rank() > rhs.shape.rank();
    Operand larger = lhsIsLarger ? lhs : rhs;
    Operand smaller = lhsIsLarger ? rhs : lhs;
    Alignment alignment = new Alignment(larger, smaller, broadcastDimensions);
    Shape.Array placed = inDim(larger, smaller, broadcastDimensions, alignment);
    return degenerate(larger, new Operand(smaller.name, placed), alignment);
  }

  /**
   * Refuses operands of different element types: nothing is converted implicitly.
   *
   * @param lhs one operand
   * @param rhs another
   * @throws HloException if the element types differ; it offers the conversions
   */
  public static void requireSameType(Operand lhs, Operand rhs) {
    requireNonNull(lhs, "lhs");
    requireNonNull(rhs, "rhs");
    ElementType left = lhs.shape.elementType();
    ElementType right = rhs.shape.elementType();
    if (left != right) {
      String complaint =
          String.format(
              "element types of %s and %s got %s and %s, want the same",
              lhs.name, rhs.name, left, right);
      String fits =
          String.format(
              "fits: %s.convertElementType(%s) or %s.convertElementType(%s)",
              rhs.name, left.name(), lhs.name, right.name());
      throw new HloException("", complaint).with("fits", fits);
    }
  }

  /**
   * Applies the first step, for operands of different rank: returns the larger shape with the sizes
   * of the smaller one in the dimensions it is mapped to.
   */
  private static Shape.Array inDim(
      Operand larger, Operand smaller, Dims dimensions, Alignment alignment) {
    int rank = smaller.shape.rank();
    alignment.require(
        !dimensions.isEmpty() || rank == 0,
        "broadcast B2",
        () ->
            String.format(
                "ranks got %s and %s, want equal ranks or broadcast_dimensions",
                rank, larger.shape.rank()));
    alignment.require(
        dimensions.count() == rank,
        "broadcast B3",
        () -> String.format("broadcast_dimensions got %s, want %s", dimensions, entries(smaller)));
    for (int i = 0; i < rank; i++) {
      checkMapping(larger, smaller, dimensions, i, alignment);
    }
    return overwrite(larger.shape, smaller.shape, dimensions);
  }

  private static String entries(Operand operand) {
    int rank = operand.shape.rank();
    return rank == 0
        ? "none: " + operand.name + " is a scalar"
        : rank + " of them, one for each dimension of " + operand.name;
  }

  private static void checkMapping(
      Operand larger, Operand smaller, Dims dimensions, int i, Alignment alignment) {
    long target = dimensions.get(i);
    int rank = larger.shape.rank();
    alignment.require(
        target >= 0,
        "broadcast B4",
        () -> String.format("broadcast_dimensions[%s] got %s, want at least 0", i, target));
    alignment.require(
        target < rank,
        "broadcast B5",
        () ->
            String.format(
                "broadcast_dimensions[%s] got %s, want below %s, the rank of %s",
                i, target, rank, larger.name));
    int to = (int) target;
    boolean sameSize = smaller.shape.size(i) == larger.shape.size(to);
    alignment
        .at(to)
        .require(
            sameSize || smaller.shape.size(i) == 1 || larger.shape.size(to) == 1,
            "broadcast B6",
            () -> alignment.sizes(i, to) + ", want equal sizes or 1");
    alignment
        .at(to)
        .require(
            sameSize || isOne(smaller.shape, i) || isOne(larger.shape, to),
            "broadcast B7",
            () -> alignment.sizes(i, to) + ", want both static or both dynamic");
    alignment
        .at(to)
        .require(
            i == 0 || dimensions.get(i - 1) < target,
            "broadcast B8",
            () ->
                String.format(
                    "broadcast_dimensions got %s, want strictly increasing: %s comes after %s",
                    dimensions, target, i == 0 ? "" : dimensions.get(i - 1)));
  }

  /** Returns whether a dimension is certain to have size 1, so that it can be stretched. */
  static boolean isOne(Shape.Array shape, int dimension) {
    return shape.size(dimension) == 1 && !shape.isDynamic(dimension);
  }

  private static Shape.Array overwrite(Shape.Array base, Shape.Array with, Dims dimensions) {
    Dims sizes = base.sizes();
    TreeSet<Integer> dynamic = new TreeSet<>(base.dynamicDimensions());
    for (int i = 0; i < dimensions.count(); i++) {
      int to = dimensions.getInt(i);
      sizes = sizes.with(to, with.size(i));
      if (with.isDynamic(i)) {
        dynamic.add(to);
      } else {
        dynamic.remove(to);
      }
    }
    return new Shape.Array(
        base.elementType(), sizes, ImmutableSortedSet.copyOf(dynamic), Optional.empty());
  }

  /** Applies the second step, for operands of the same rank: stretches dimensions of size 1. */
  private static Shape.Array degenerate(Operand lhs, Operand rhs, Alignment alignment) {
    Shape.Array result = lhs.shape.withLayout(null);
    if (lhs.shape.compatible(rhs.shape)) {
      return result;
    }
    for (int i = 0; i < lhs.shape.rank(); i++) {
      int dimension = i;
      Optional<Shape.Array> size =
          isOne(lhs.shape, i)
              ? Optional.of(rhs.shape)
              : isOne(rhs.shape, i) ? Optional.of(lhs.shape) : merged(lhs.shape, rhs.shape, i);
      alignment
          .at(i)
          .require(
              size.isPresent(),
              "broadcast B9",
              () -> alignment.sizes(dimension, dimension) + ", want equal sizes or 1");
      result = overwrite(result, size.orElseThrow().select(Dims.of(i)), Dims.of(i));
    }
    return result;
  }

  /** Returns the shape whose dimension {@code i} is what two, neither of size 1, have in common. */
  private static Optional<Shape.Array> merged(Shape.Array lhs, Shape.Array rhs, int i) {
    if (lhs.size(i) == rhs.size(i)) {
      return Optional.of(lhs.isDynamic(i) ? lhs : rhs);
    }
    if (lhs.isUnbounded(i)) {
      return Optional.of(rhs);
    }
    return rhs.isUnbounded(i) ? Optional.of(lhs) : Optional.empty();
  }

  /**
   * Returns the shape of an op whose operands must already be the same: no broadcasting, only
   * dynamic sizes made as specific as either.
   *
   * @param lhs the left operand
   * @param rhs the right operand
   * @return the shape both have
   * @throws HloException if element types, ranks or sizes differ
   */
  static Shape.Array sameShape(Shape.Array lhs, Shape.Array rhs) {
    return same("lhs", lhs, "rhs", rhs, "");
  }

  private static Shape.Array same(
      String leftName, Shape.Array left, String rightName, Shape.Array right, String label) {
    if (left.compatible(right)) {
      return left.withLayout(null);
    }
    boolean fits = left.elementType() == right.elementType() && left.rank() == right.rank();
    Shape.Array result = left.withLayout(null);
    for (int i = 0; fits && i < left.rank(); i++) {
      Optional<Shape.Array> dimension = merged(left, right, i);
      fits = dimension.isPresent();
      if (fits) {
        result = overwrite(result, dimension.orElseThrow().select(Dims.of(i)), Dims.of(i));
      }
    }
    require(
        fits,
        label,
        "%s got %s and %s got %s, want the same shape",
        leftName,
        left,
        rightName,
        right);
    return result;
  }

  /**
   * Returns the shape of a select: on_true and on_false the same, pred as they are or a scalar.
   *
   * @param pred which to take
   * @param onTrue what to take where it holds
   * @param onFalse what to take where not
   * @return the shape of the result
   * @throws HloException if the shapes are incompatible
   */
  public static Shape.Array select(Shape.Array pred, Shape.Array onTrue, Shape.Array onFalse) {
    requireNonNull(onFalse, "onFalse");
    requireNonNull(onTrue, "onTrue");
    requireNonNull(pred, "pred");
    requireFitting(
        onTrue.elementType() == onFalse.elementType(),
        () -> Fits.value(onFalse, onTrue, "on_false"),
        "select C2",
        "on_true got %s and on_false got %s, want the same shape",
        onTrue,
        onFalse);
    Shape.Array result = same("on_true", onTrue, "on_false", onFalse, "select C2");
    requireFitting(
        pred.elementType() == ElementType.PRED,
        () -> Fits.value(pred, pred.withElementType(ElementType.PRED), "pred"),
        "select C1",
        "element type of pred got %s, want pred",
        pred.elementType());
    return pred.isScalar()
        ? result
        : same("pred", pred, "on_true", result.withElementType(ElementType.PRED), "select C1")
            .withElementType(result.elementType());
  }

  /**
   * Returns the shape of a clamp: min and max as the operand, or scalars, complex ones too. Sizes
   * are bounds where those of the operand are.
   *
   * @param min the lower bound
   * @param operand what to clamp
   * @param max the upper bound
   * @return the shape of the result
   * @throws HloException if the shapes are incompatible
   */
  public static Shape.Array clamp(Shape.Array min, Shape.Array operand, Shape.Array max) {
    requireNonNull(max, "max");
    requireNonNull(min, "min");
    requireNonNull(operand, "operand");
    requireFitting(
        min.elementType() == operand.elementType() && max.elementType() == operand.elementType(),
        () -> Fits.bounds(min, max, operand.elementType()),
        "clamp C3",
        "element types of min, operand and max got %s, %s and %s, want the same",
        min.elementType(),
        operand.elementType(),
        max.elementType());
    Shape.Array common =
        min.isScalar() ? operand : same("min", min, "operand", operand, "clamp C1");
    if (!max.isScalar()) {
      same("max", max, "operand", common, "clamp C2");
    }
    return operand.withLayout(null);
  }

  /**
   * Checks that an operand can be broadcast to given sizes: each of its dimensions has size 1 or
   * that of the dimension it is mapped to.
   *
   * @param operand the operand
   * @param outDimSizes the sizes of the result
   * @param broadcastDimensions for each dimension of the operand, the dimension of the result,
   *     strictly increasing
   * @return the shape of the result
   * @throws HloException if they are incompatible
   */
  public static Shape.Array broadcastInDim(
      Operand operand, Dims outDimSizes, Dims broadcastDimensions) {
    requireNonNull(broadcastDimensions, "broadcastDimensions");
    requireNonNull(outDimSizes, "outDimSizes");
    requireNonNull(operand, "operand");
    Operand result = new Operand("the result", operand.shape.withSizes(outDimSizes));
    Alignment alignment = Alignment.onto(result, operand, broadcastDimensions);
    int rank = operand.shape.rank();
    alignment.require(
        broadcastDimensions.count() == rank,
        "broadcast_in_dim C2",
        () ->
            String.format(
                "broadcast_dimensions got %s, want %s", broadcastDimensions, entries(operand)));
    for (int i = 0; i < rank; i++) {
      checkTarget(operand, result.shape, broadcastDimensions, i, alignment);
    }
    return result.shape;
  }

  private static void checkTarget(
      Operand operand, Shape.Array result, Dims dimensions, int i, Alignment alignment) {
    long target = dimensions.get(i);
    alignment.require(
        target >= 0 && target < result.rank(),
        "broadcast_in_dim C3",
        () ->
            String.format(
                "broadcast_dimensions[%s] got %s, want a dimension of %s", i, target, result));
    int to = (int) target;
    alignment
        .at(to)
        .require(
            isOne(operand.shape, i) || operand.shape.size(i) == result.size(to),
            "broadcast_in_dim C5",
            () -> alignment.sizes(i, to) + ", want equal sizes, or 1 to be stretched");
    alignment
        .at(to)
        .require(
            i == 0 || dimensions.get(i - 1) < target,
            "broadcast_in_dim C4",
            () ->
                String.format(
                    "broadcast_dimensions got %s, want strictly increasing: %s comes after %s",
                    dimensions, target, i == 0 ? "" : dimensions.get(i - 1)));
  }
}
