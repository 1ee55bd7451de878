package org.hlo4j.interpreter.reference;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.util.List;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Operands;
import org.hlo4j.hlo.op.Topk;
import org.hlo4j.interpreter.CustomCallTarget;

/**
 * Custom calls that JAX and XLA themselves put into programs and that need no function of the
 * user's: annotations, which change no value; XLA:CPU's top-k; the borders of Shardy's manual
 * computations.
 */
final class KnownTargets {
  /** Where a value lies, or how it is sharded, which is nothing to its value. */
  private static final ImmutableSet<String> ANNOTATIONS =
      ImmutableSet.of(
          "LayoutConstraint",
          "MoveToDevice",
          "MoveToHost",
          "Sharding",
          "annotate_device_placement",
          "xla.sdy.FuncResultSharding");

  private static final String TOP_K = "TopK";
  private static final String GLOBAL_TO_LOCAL = "xla.sdy.GlobalToLocalShape";
  private static final String LOCAL_TO_GLOBAL = "xla.sdy.LocalToGlobalShape";

  static final ImmutableSet<String> NAMES =
      ImmutableSet.<String>builder()
          .addAll(ANNOTATIONS)
          .add(TOP_K, GLOBAL_TO_LOCAL, LOCAL_TO_GLOBAL)
          .build();

  private KnownTargets() {}

  /** What a known target does. */
  static CustomCallTarget of(String name, Execution execution) {
    return switch (name) {
      case TOP_K -> (call, in) -> topk(call, in, execution);
      case GLOBAL_TO_LOCAL -> (call, in) -> new ManualSharding(call, execution).toLocal(in);
      case LOCAL_TO_GLOBAL -> (call, in) -> new ManualSharding(call, execution).toGlobal(in);
      default -> KnownTargets::annotation;
    };
  }

  private static Literal annotation(HloInstruction call, List<Literal> in) {
    require(in.size() == 1, "", "custom-call: operand count got %s, want 1", in.size());
    return in.get(0);
  }

  /**
   * Values and indices of the largest elements of the last dimension, as many as the result has.
   */
  private static Literal topk(HloInstruction call, List<Literal> in, Execution execution) {
    Shape shape = call.shape().withoutLayout();
    if (in.size() == 1
        && shape instanceof Shape.Tuple pair
        && pair.elements().stream().findFirst().orElse(pair) instanceof Shape.Array values
        && values.rank() > 0) {
      Topk op = new Topk(values.size(values.rank() - 1), true);
      ImmutableList<Shape> operands = ImmutableList.of(in.get(0).shape());
      if (op.infer(new Operands(operands, ImmutableList.of())).compatible(shape)) {
        return Sorting.topk(op, in.get(0), shape, execution);
      }
    }
    throw new HloException(
        "", "custom-call: TopK got the result " + shape + ", want values and s32 indices");
  }
}
