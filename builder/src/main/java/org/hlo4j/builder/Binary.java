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
 * Makes broadcasting explicit: adds the instructions that XlaBuilder would add before an op whose
 * operands have to be of one shape.
 */
final class Binary {
  private Binary() {}

  /** A binary op on operands that may need broadcasting. */
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
    require(broadcastDimensions != null, "", "broadcast_dimensions got null, want a tuple");
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

  /** Puts the opcode before a refusal that does not know it. */
  static <T> T named(String opcode, Supplier<T> work) {
    try {
      return work.get();
    } catch (HloException refusal) {
      throw refusal.prefixed(opcode + ": ");
    }
  }

  /** An operand brought to the shape of the result: first its dimensions placed, then stretched. */
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
   * A binary op on an array and a Java number, which is broadcast whatever the builder's default
   * is. All is checked before the constant is made.
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

  /** A number as a constant beside an array that it can be broadcast to. */
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

  /** A number in the shape of an array, for a select by a pred. */
  static XlaOp filled(Select op, XlaOp pred, XlaOp array, Number number) {
    if (array.builder().defaultPolicy().isEmpty()) {
      op.infer(pred.shape(), array.shape(), array.shape());
    }
    return scalarTo(array.builder(), op, constant(op, array, number), array.requireArray());
  }

  /** A scalar operand of select or clamp brought to the shape of the result. */
  static XlaOp scalarTo(XlaBuilder builder, Op op, XlaOp operand, Shape.Array result) {
    if (!operand.requireArray().isScalar() || result.isScalar()) {
      return operand;
    }
    named(op.opcode(), () -> requireBounded(operand.requireArray(), result));
    return stretched(builder, operand, result);
  }

  /** The operand in the dimensions it is mapped to, its sizes of 1 as they are. */
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

  /** The operand with its dimensions of size 1 dropped where they differ, and broadcast instead. */
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
