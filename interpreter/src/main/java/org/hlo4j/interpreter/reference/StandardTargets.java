package org.hlo4j.interpreter.reference;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.List;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.CustomCall;
import org.hlo4j.hlo.op.Iota;
import org.hlo4j.hlo.op.Operands;
import org.hlo4j.hlo.op.Sort;
import org.hlo4j.hlo.op.Topk;
import org.hlo4j.interpreter.engine.Execution;
import org.hlo4j.interpreter.engine.StandardTarget;
import org.hlo4j.interpreter.reference.linalg.Eigen;
import org.hlo4j.interpreter.reference.linalg.Factorizations;
import org.hlo4j.interpreter.reference.linalg.GpuTargets;
import org.hlo4j.interpreter.reference.linalg.Lapack;
import org.hlo4j.interpreter.reference.linalg.PerturbedTridiagonals;
import org.hlo4j.interpreter.reference.linalg.Reflectors;

/**
 * The custom call targets that XLA or JAX define, so that programs exported from JAX run without
 * changes. An implementation from the user for the same target takes precedence.
 */
public final class StandardTargets {
  static final ImmutableMap<String, StandardTarget> ALL =
      ImmutableMap.<String, StandardTarget>builder()
          .put("LayoutConstraint", StandardTargets::annotation)
          .put("Sharding", StandardTargets::annotation)
          .put("xla.sdy.FuncResultSharding", StandardTargets::annotation)
          .put("xla.sdy.PropagationBarrier", StandardTargets::annotation)
          .put("xla.sdy.ShardingGroup", (call, in, execution) -> Literal.tuple())
          .put("annotate_device_placement", StandardTargets::annotation)
          .put("MoveToDevice", StandardTargets::annotation)
          .put("MoveToHost", StandardTargets::annotation)
          .put(CustomCall.PIN, StandardTargets::annotation)
          .put(CustomCall.UNPIN, StandardTargets::annotation)
          .put(
              CustomCall.CREATE_BUFFER,
              (call, in, execution) -> ControlFlow.zeros(call.shape().withoutLayout()))
          .put(
              "xla.sdy.GlobalToLocalShape",
              (call, in, execution) -> new ManualSharding(call, execution).toLocal(in))
          .put(
              "xla.sdy.LocalToGlobalShape",
              (call, in, execution) -> new ManualSharding(call, execution).toGlobal(in))
          .put(
              "SPMDFullToShardShape",
              (call, in, execution) -> new ManualSharding(call, execution).fullToShard(in))
          .put(
              "SPMDShardToFullShape",
              (call, in, execution) -> new ManualSharding(call, execution).shardToFull(in))
          .put("TopK", StandardTargets::topk)
          .put("Qr", Factorizations::qr)
          .put("ProductOfElementaryHouseholderReflectors", Reflectors::product)
          .put("LuDecomposition", Factorizations::lu)
          .put("Eigh", Eigen::eigh)
          .put("tridiagonal_solve_perturbed_ffi", PerturbedTridiagonals::solve)
          .put("cpu_csr_sparse_dense_ffi", SparseProducts::csr)
          .putAll(Lapack.targets())
          .putAll(GpuTargets.targets())
          .buildOrThrow();

  private StandardTargets() {}

  /** Returns the operand: the call only says where or how to keep it. */
  private static Literal annotation(HloInstruction call, List<Literal> in, Execution execution) {
    require(in.size() == 1, "", "custom-call: operand count got %s, want 1", in.size());
    return in.get(0);
  }

  /**
   * Returns the first k elements of each line in the order of the comparator, or the largest
   * without one; and their indices.
   */
  private static Literal topk(HloInstruction call, List<Literal> in, Execution execution) {
    require(
        call.shape() instanceof Shape.Tuple tuple
            && tuple.elements().size() == 2
            && tuple.elements().get(0) instanceof Shape.Array first
            && first.rank() > 0
            && in.size() == 1,
        "",
        "custom-call: %s: TopK of %s operands got result %s, want (values, indices) of one",
        call.name(),
        in.size(),
        call.shape());
    Shape.Array values = (Shape.Array) ((Shape.Tuple) call.shape()).elements().get(0);
    int last = values.rank() - 1;
    Topk op = new Topk(values.size(last), true);
    Shape want = op.infer(in.get(0).shape());
    StandardTarget.requireResult(call, want);
    if (values.elementCount() == 0) {
      return ControlFlow.zeros(want);
    }
    return call.called().isEmpty()
        ? Sorting.topk(op, in.get(0), want, execution)
        : firstInOrder(in.get(0), op.k(), call.called().get(0), execution);
  }

  private static Literal firstInOrder(
      Literal operand, long k, HloComputation comparator, Execution execution) {
    Shape.Array shape = operand.arrayShape();
    int last = shape.rank() - 1;
    Literal places = MovementOps.iota(new Iota(shape.withElementType(ElementType.S32), last));
    Sort sort = new Sort(Dims.of(last), true);
    ImmutableList<Shape> compared =
        comparator.parameters().size() == 2
            ? ImmutableList.of(shape)
            : ImmutableList.of(shape, places.shape());
    sort.infer(new Operands(compared, ImmutableList.of(comparator.programShape())));
    Literal sorted = Sorting.sort(sort, List.of(operand, places), comparator, execution);
    Dims sizes = shape.sizes();
    return Literal.tuple(
        sorted.elements().stream().map(part -> Boxes.truncate(part, sizes.with(last, k))).toList());
  }
}
