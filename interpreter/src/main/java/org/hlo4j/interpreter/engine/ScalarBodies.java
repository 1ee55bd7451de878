package org.hlo4j.interpreter.engine;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiFunction;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.interpreter.engine.OpTraits.Family;

/** Computations on scalars, as reductions and maps apply them, written as ops on whole arrays. */
public final class ScalarBodies {
  private ScalarBodies() {}

  /**
   * Returns whether a computation has only element-wise ops on scalars, and a result that is one of
   * them or a tuple.
   */
  public static boolean isElementwise(HloComputation body) {
    return body.instructions().stream()
        .allMatch(scalar -> isScalarOp(scalar) || (scalar == body.root() && isTuple(scalar)));
  }

  private static boolean isTuple(HloInstruction root) {
    return root.op() instanceof Tuple;
  }

  private static boolean isScalarOp(HloInstruction instruction) {
    boolean isKnown =
        instruction.op() instanceof Parameter
            || isConstant(instruction)
            || OpTraits.of(instruction.op()).family() == Family.ELEMENTWISE;
    return isKnown
        && instruction.called().isEmpty()
        && instruction.shape() instanceof Shape.Array array
        && array.isScalar();
  }

  private static boolean isConstant(HloInstruction instruction) {
    return instruction.op() instanceof Constant constant && !constant.literal().isElided();
  }

  /**
   * Writes the ops of a computation on whole arrays.
   *
   * @param body a computation that {@link #isElementwise} accepts
   * @param arguments arrays, all of the same sizes
   * @param sizes the sizes
   * @param add writes an op with its operands
   * @return the results, several if the computation has a tuple
   */
  public static ImmutableList<HloInstruction> onArrays(
      HloComputation body,
      List<HloInstruction> arguments,
      Dims sizes,
      BiFunction<Op, List<HloInstruction>, HloInstruction> add) {
    Map<HloInstruction, HloInstruction> arrays = new HashMap<>();
    for (HloInstruction scalar : body.instructions()) {
      if (isTuple(scalar)) {
        continue;
      }
      List<HloInstruction> operands =
          scalar.operands().stream().map(arrays::get).collect(toImmutableList());
      HloInstruction array =
          switch (scalar.op()) {
            case Parameter op -> arguments.get(op.number());
            case Constant op -> filled(add.apply(op, List.of()), sizes, add);
            default -> add.apply(scalar.op(), operands);
          };
      arrays.put(scalar, array);
    }
    HloInstruction root = body.root();
    List<HloInstruction> results = isTuple(root) ? root.operands() : List.of(root);
    return results.stream()
        .map(result -> Objects.requireNonNull(arrays.get(result)))
        .collect(toImmutableList());
  }

  private static HloInstruction filled(
      HloInstruction scalar, Dims sizes, BiFunction<Op, List<HloInstruction>, HloInstruction> add) {
    Shape.Array one = (Shape.Array) scalar.shape();
    return sizes.isEmpty()
        ? scalar
        : add.apply(
            new Broadcast(one.withSizes(sizes).withLayout(null), Dims.of()), List.of(scalar));
  }
}
