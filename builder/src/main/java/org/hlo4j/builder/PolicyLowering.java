package org.hlo4j.builder;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.hlo4j.builder.BroadcastPolicy.Operand;
import org.hlo4j.builder.BroadcastPolicy.Placement;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Broadcasting;
import org.hlo4j.hlo.op.Clamp;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Reshape;
import org.hlo4j.hlo.op.Select;

/**
 * The lowering of a policy's mapping to explicit HLO, with the fewest instructions: none for an
 * operand that has the shape of the result, else at most a reshape that drops stretched dimensions,
 * a transpose if the policy permutes dimensions, and a broadcast.
 */
final class PolicyLowering {
  private PolicyLowering() {}

  /** Adds a binary op with the builder's default: a policy, or XLA's rules without dimensions. */
  static XlaOp applyDefault(Op op, XlaOp lhs, XlaOp rhs) {
    List<XlaOp> operands = Arrays.asList(lhs, rhs);
    XlaBuilder builder = XlaBuilder.innermost(operands);
    // No lambda here: the caller's line is the first frame outside this package.
    return builder.defaultPolicy().isPresent()
        ? apply(op, operands, 0, builder.defaultPolicy().orElseThrow())
        : Binary.apply(op, lhs, rhs, Dims.of());
  }

  /**
   * Adds an op on operands that are broadcast to one shape; a policy that is not symmetric uses the
   * shape of the leading one.
   */
  static XlaOp apply(Op op, List<XlaOp> operands, int leading, BroadcastPolicy policy) {
    XlaBuilder builder = XlaBuilder.innermost(operands);
    return builder.guarded(
        operands,
        () -> {
          Binary.named(op.opcode(), () -> requireTypes(op, operands));
          List<XlaOp> inputs = new ArrayList<>(operands);
          inputs.add(0, inputs.remove(leading));
          inputs = new ArrayList<>(fitted(builder, op.opcode(), inputs, policy));
          inputs.add(leading, inputs.remove(0));
          return builder.append(op, inputs, List.of());
        });
  }

  /** Broadcasts a single operand by a policy. */
  static XlaOp broadcast(XlaOp operand, BroadcastPolicy policy) {
    XlaBuilder builder = operand.builder();
    return builder.guarded(
        List.of(operand), () -> fitted(builder, "broadcast", List.of(operand), policy).get(0));
  }

  /** Checks the element types, which all ops do before the shapes. */
  private static List<XlaOp> requireTypes(Op op, List<XlaOp> operands) {
    operands.forEach(XlaOp::requireArray);
    if (op instanceof Elementwise elementwise) {
      operands.forEach(x -> elementwise.kind().requireAccepts(type(x), x.name()));
    }
    if (op instanceof Select) {
      require(
          type(operands.get(0)) == ElementType.PRED,
          "select C1",
          "element type of pred got %s, want pred",
          type(operands.get(0)));
    }
    List<XlaOp> alike = op instanceof Select ? operands.subList(1, 3) : operands;
    for (XlaOp other : alike) {
      Broadcasting.requireSameType(Binary.operand(alike.get(0)), Binary.operand(other));
    }
    requireSuits(op, operands);
    return operands;
  }

  private static void requireSuits(Op op, List<XlaOp> operands) {
    if (op instanceof Compare compare) {
      compare.requireSuits(type(operands.get(0)));
    }
    if (op instanceof Clamp) {
      Shape.Array scalar = Shape.of(type(operands.get(0)));
      Broadcasting.clamp(scalar, scalar, scalar);
    }
  }

  private static ElementType type(XlaOp operand) {
    return operand.requireArray().elementType();
  }

  private static List<XlaOp> fitted(
      XlaBuilder builder, String opcode, List<XlaOp> operands, BroadcastPolicy policy) {
    ImmutableList<Operand> seen =
        operands.stream().map(PolicyLowering::seen).collect(ImmutableList.toImmutableList());
    if (needNothing(seen)) {
      return operands;
    }
    Placement placement = Binary.named(opcode, () -> placed(seen, policy));
    builder.watch(opcode, policy, seen, operands);
    return IntStream.range(0, operands.size())
        .mapToObj(i -> fitted(builder, operands.get(i), placement, i))
        .toList();
  }

  private static Placement placed(ImmutableList<Operand> operands, BroadcastPolicy policy) {
    require(policy != null, "", "broadcast policy is null");
    operands.forEach(operand -> requireStatic(operand, policy));
    Placement placement = policy.place(operands);
    requireConsistent(operands, placement, policy);
    return placement;
  }

  private static Operand seen(XlaOp operand) {
    return new Operand(operand.name(), operand.requireArray(), operand.dimensionNames());
  }

  /** Dynamic operands of one shape and no names: no policy does anything with those. */
  private static boolean needNothing(List<Operand> operands) {
    Operand first = operands.get(0);
    return first.shape().isDynamic()
        && operands.size() > 1
        && operands.stream()
            .allMatch(operand ->
                operand.shape().sizes().equals(first.shape().sizes())
                    && operand.shape().dynamicDimensions().equals(first.shape().dynamicDimensions())
                    && operand.dimensionNames().stream().allMatch(name -> name.isEmpty()));
  }

  private static void requireStatic(Operand operand, BroadcastPolicy policy) {
    require(
        !operand.shape().isDynamic(),
        "",
        "%s got %s, want static sizes: %s knows no others",
        operand.name(),
        operand.shape(),
        policy);
  }

  /** Holds a policy, which may be the user's own, to what it promises. */
  private static void requireConsistent(
      List<Operand> operands, Placement placement, BroadcastPolicy policy) {
    boolean holds = placement != null && placement.dimensions().size() == operands.size();
    for (int i = 0; holds && i < operands.size(); i++) {
      holds = isConsistent(operands.get(i), placement, i);
    }
    require(
        holds,
        "",
        "broadcast policy %s got sizes %s with dimensions %s for %s, want for each dimension"
            + " another one of the result, of its size, or for size 1",
        policy,
        placement == null ? "null" : placement.sizes(),
        placement == null ? "null" : placement.dimensions(),
        operands.stream().map(Operand::shape).toList());
  }

  private static boolean isConsistent(Operand operand, Placement placement, int i) {
    Dims to = placement.dimensions().get(i);
    Dims kept = Dims.of(to.stream().filter(d -> d != Placement.DROPPED).toArray());
    return to.count() == operand.rank()
        && kept.isDistinct()
        && kept.stream().allMatch(d -> d >= 0 && d < placement.sizes().count())
        && IntStream.range(0, operand.rank())
            .allMatch(d ->
                operand.size(d) == 1
                    || (to.get(d) != Placement.DROPPED
                        && operand.size(d) == placement.sizes().get(to.getInt(d))));
  }

  private static XlaOp fitted(XlaBuilder builder, XlaOp operand, Placement placement, int i) {
    Dims to = placement.dimensions().get(i);
    Shape.Array shape = operand.requireArray();
    if (fits(shape, placement.sizes(), to)) {
      return operand;
    }
    Dims kept =
        Dims.of(
            IntStream.range(0, shape.rank())
                .filter(d ->
                    to.get(d) != Placement.DROPPED
                        && shape.size(d) == placement.sizes().get(to.getInt(d)))
                .mapToLong(d -> d)
                .toArray());
    XlaOp dropped = dropped(builder, operand, kept);
    XlaOp ordered = ordered(dropped, to.at(kept));
    XlaOp repeated = repeated(builder, ordered, placement.sizes(), to.at(kept));
    return repeated == operand
        ? operand
        : repeated.withNames(DimensionNames.mapped(operand, to, placement.sizes().count()));
  }

  /**
   * Returns whether an operand already has the result's sizes and every dimension other than those
   * of size 1 is mapped to itself.
   */
  private static boolean fits(Shape.Array shape, Dims sizes, Dims to) {
    return shape.sizes().equals(sizes)
        && IntStream.range(0, shape.rank()).allMatch(i -> shape.size(i) == 1 || to.get(i) == i);
  }

  private static XlaOp dropped(XlaBuilder builder, XlaOp operand, Dims kept) {
    Shape.Array shape = operand.requireArray();
    return kept.count() == shape.rank()
        ? operand
        : builder.append(new Reshape(shape.select(kept)), List.of(operand), List.of());
  }

  private static XlaOp ordered(XlaOp operand, Dims to) {
    if (to.isStrictlyIncreasing()) {
      return operand;
    }
    Dims order = Dims.of(to.stream().sorted().map(to::indexOf).toArray());
    return operand.transpose(order.toArray());
  }

  private static XlaOp repeated(XlaBuilder builder, XlaOp operand, Dims sizes, Dims to) {
    Shape.Array shape = operand.requireArray();
    Shape.Array result = Shape.of(shape.elementType(), sizes);
    Dims increasing = Dims.of(to.stream().sorted().toArray());
    return shape.rank() == sizes.count()
        ? operand
        : builder.append(new Broadcast(result, increasing), List.of(operand), List.of());
  }
}
