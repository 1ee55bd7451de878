package org.hlo4j.builder;

import static org.hlo4j.hlo.HloException.require;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Broadcasting;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Reshape;
import org.hlo4j.hlo.op.Select;

/**
 * The lowering of implicit broadcasts: adds the instructions that XlaBuilder adds before an op
 * whose operands must have the same shape.
 */
final class Binary {
  private Binary() {}

  /** Adds a binary op on operands that may need broadcasting. */
  static XlaOp apply(Op op, XlaOp lhs, XlaOp rhs, Dims broadcastDimensions) {
    List<XlaOp> operands = Arrays.asList(lhs, rhs);
    XlaBuilder builder = XlaBuilder.innermost(operands);
    return builder.guarded(
        operands,
        () -> {
          Shape.Array result =
              named(op.opcode(), () -> resultShape(op, lhs, rhs, broadcastDimensions));
          XlaOp left = fitted(builder, op, lhs, rhs, result, broadcastDimensions);
          XlaOp right = fitted(builder, op, rhs, lhs, result, broadcastDimensions);
          return builder.append(op, List.of(left, right), List.of());
        });
  }

  private static Shape.Array resultShape(Op op, XlaOp lhs, XlaOp rhs, Dims broadcastDimensions) {
    Broadcasting.Operand left = operand(lhs);
    Broadcasting.Operand right = operand(rhs);
    require(broadcastDimensions != null, "", "broadcast_dimensions are null, want a tuple");
    if (op instanceof Elementwise elementwise) {
      elementwise.kind().requireAccepts(left.shape().elementType(), left.name());
      elementwise.kind().requireAccepts(right.shape().elementType(), right.name());
    }
    Shape.Array result = Broadcasting.binary(left, right, broadcastDimensions);
    if (op instanceof Compare compare) {
      compare.requireSuits(result.elementType());
    }
    return result;
  }

  static Broadcasting.Operand operand(XlaOp op) {
    return new Broadcasting.Operand(op.name(), op.requireArray());
  }

  /** Prefixes an exception with the opcode if its message lacks it. */
  static <T> T named(String opcode, Supplier<T> work) {
    try {
      return work.get();
    } catch (HloException refusal) {
      throw refusal.prefixed(opcode + ": ");
    }
  }

  /**
   * Broadcasts an operand to the shape of the result: first its dimensions are mapped, then those
   * of size 1 are stretched.
   */
  private static XlaOp fitted(
      XlaBuilder builder,
      Op op,
      XlaOp operand,
      XlaOp other,
      Shape.Array result,
      Dims broadcastDimensions) {
    Shape.Array shape = operand.requireArray();
    if (shape.sizes().equals(result.sizes())) {
      return operand;
    }
    named(op.opcode(), () -> requireBounded(shape, result));
    boolean lower = shape.rank() < other.requireArray().rank();
    XlaOp placed =
        lower && !shape.isScalar()
            ? placed(builder, operand, result, broadcastDimensions)
            : operand;
    return stretched(builder, placed, result);
  }

  private static Shape.Array requireBounded(Shape.Array operand, Shape.Array result) {
    require(
        !operand.hasUnbounded() && !result.hasUnbounded(),
        "",
        "broadcasting %s to %s got a size that only run time knows, want bounds on all sizes",
        operand,
        result);
    return result;
  }

  /**
   * Adds a binary op on an array and a Java number, which is broadcast regardless of the builder's
   * default policy. All checks are made before the constant is added.
   */
  static XlaOp apply(Op op, XlaOp lhs, Number rhs) {
    XlaBuilder builder = lhs.builder();
    return builder.guarded(
        List.of(lhs),
        () -> {
          named(op.opcode(), () -> resultShape(op, lhs, lhs, Dims.of()));
          return apply(op, lhs, constant(op, lhs, rhs), Dims.of());
        });
  }

  /** Returns a number as a constant that can be broadcast to the shape of an array. */
  static XlaOp constant(Op op, XlaOp array, Number number) {
    Literal scalar =
        named(
            op.opcode(),
            () -> {
              Literal held = Numbers.scalar(array, number);
              requireBounded(held.arrayShape(), array.requireArray());
              return held;
            });
    return array.builder().constant(scalar);
  }

  /** Returns a number broadcast to the shape of an array, for a select. */
  static XlaOp filled(Select op, XlaOp pred, XlaOp array, Number number) {
    if (array.builder().defaultPolicy().isEmpty()) {
      op.infer(pred.shape(), array.shape(), array.shape());
    }
    return scalarTo(array.builder(), op, constant(op, array, number), array.requireArray());
  }

  /** Broadcasts a scalar operand of select or clamp to the shape of the result. */
  static XlaOp scalarTo(XlaBuilder builder, Op op, XlaOp operand, Shape.Array result) {
    if (!operand.requireArray().isScalar() || result.isScalar()) {
      return operand;
    }
    named(op.opcode(), () -> requireBounded(operand.requireArray(), result));
    return stretched(builder, operand, result);
  }

  /** Maps the operand to dimensions of the result, and keeps its sizes of 1. */
  static XlaOp placed(
      XlaBuilder builder, XlaOp operand, Shape.Array result, Dims broadcastDimensions) {
    Shape.Array shape = operand.requireArray();
    Dims sizes = result.sizes();
    Set<Integer> dynamic = new TreeSet<>();
    for (int i = 0; i < shape.rank(); i++) {
      sizes = sizes.with(broadcastDimensions.getInt(i), shape.size(i));
      if (shape.isDynamic(i)) {
        dynamic.add(broadcastDimensions.getInt(i));
      }
    }
    Shape.Array target = Shape.of(shape.elementType(), sizes).withDynamic(dynamic);
    return builder.append(new Broadcast(target, broadcastDimensions), List.of(operand), List.of());
  }

  /** Drops the operand's dimensions of size 1 that differ from the result, and broadcasts them. */
  static XlaOp stretched(XlaBuilder builder, XlaOp operand, Shape.Array result) {
    Shape.Array shape = operand.requireArray();
    if (shape.sizes().equals(result.sizes())) {
      return operand;
    }
    Shape.Array target = Shape.of(shape.elementType(), result.sizes());
    if (shape.isScalar()) {
      return builder.append(new Broadcast(target, Dims.of()), List.of(operand), List.of());
    }
    Dims kept = Dims.of();
    for (int i = 0; i < shape.rank(); i++) {
      if (shape.size(i) == result.size(i)) {
        kept = kept.inserted(kept.count(), i);
      }
    }
    Shape.Array dropped = shape.select(kept);
    XlaOp reshaped = builder.append(new Reshape(dropped), List.of(operand), List.of());
    Set<Integer> dynamic = new TreeSet<>();
    kept.stream().mapToInt(i -> (int) i).filter(shape::isDynamic).forEach(dynamic::add);
    return builder.append(
        new Broadcast(target.withDynamic(dynamic), kept), List.of(reshaped), List.of());
  }
}
