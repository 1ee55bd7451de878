package org.hlo4j.hlo.op;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.ElementType.S32;
import static org.hlo4j.hlo.ElementType.U32;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.common.collect.ImmutableList;
import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.ProgramShape;
import org.hlo4j.hlo.Shape;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Replica groups, and the shape rules of collectives that shapes.rows does not cover. */
final class CollectivesTest {
  private static final ReplicaGroups ALL = ReplicaGroups.all();
  private static final Shape.Array X = Shape.of(F32, 4, 6);
  private static final Shape SCALAR = Shape.of(F32);
  private static final ProgramShape SUM =
      new ProgramShape(ImmutableList.of(SCALAR, SCALAR), SCALAR);

  private static void refused(String message, Executable call) {
    assertThat(assertThrows(HloException.class, call)).hasMessageThat().isEqualTo(message);
  }

  private static Shape infer(Op op, ProgramShape body, Shape... operands) {
    return op.infer(new Operands(ImmutableList.copyOf(operands), ImmutableList.of(body)));
  }

  private static AllGather allGather(Shape shape, long... dimensions) {
    return new AllGather(Optional.empty(), ALL, false, Dims.of(dimensions), false, shape);
  }

  private static ReduceScatter reduceScatter(Shape shape, long... dimensions) {
    return new ReduceScatter(Optional.empty(), ALL, false, false, Dims.of(dimensions), shape);
  }

  private static AllToAll allToAll(ReplicaGroups groups, Optional<Dims> dimensions) {
    return new AllToAll(Optional.empty(), groups, false, dimensions);
  }

  @Test
  void formMustMatchTheGroups() {
    ReplicaGroups.Form rows = ReplicaGroups.iota(2, 4).form();
    refused(
        "replica_groups: [2,4]<=[8] got 1 groups, want 2 of 4 ids",
        () -> new ReplicaGroups(ImmutableList.of(Dims.of(0, 1, 2, 3)), rows));
    ReplicaGroups.Form cube =
        new ReplicaGroups.Form.Iota(
            new TileAssignment.Iota(Dims.of(2, 1, 4), Dims.of(8), Dims.of(0)));
    refused(
        "got 3 dimensions, want 2: groups and their size",
        () -> new ReplicaGroups(ImmutableList.of(), cube));
  }

  @Test
  void iotaGroups() {
    assertThat(ReplicaGroups.iota(2, 3).groups())
        .containsExactly(Dims.of(0, 1, 2), Dims.of(3, 4, 5))
        .inOrder();
    ReplicaGroups transposed = ReplicaGroups.iota(Dims.of(2, 4), Dims.of(4, 2), Dims.of(1, 0));
    assertThat(transposed.groups())
        .containsExactly(Dims.of(0, 2, 4, 6), Dims.of(1, 3, 5, 7))
        .inOrder();
    assertThat(transposed.toString()).isEqualTo("[2,4]<=[4,2]T(1,0)");
    assertThat(ReplicaGroups.iota(2, 3).toString()).isEqualTo("[2,3]<=[6]");
    refused(
        "replica_groups: [2,3]<=[5] got 5 devices, want 6 as its tiles",
        () -> ReplicaGroups.iota(Dims.of(2, 3), Dims.of(5), Dims.of(0)));
    refused(
        "replica_groups: T got [1], want a permutation of the dimensions of [6]",
        () -> ReplicaGroups.iota(Dims.of(2, 3), Dims.of(6), Dims.of(1)));
    refused(
        "replica_groups: sizes got [0,3], want each at least 1 and fewer than 2^63 devices",
        () -> ReplicaGroups.iota(Dims.of(0, 3), Dims.of(6), Dims.of(0)));
    refused(
        "replica_groups: [2097152,1]<=[2097152] got 2097152 devices, want at most 1048576",
        () -> ReplicaGroups.iota(1L << 21, 1));
    refused(
        "replica_groups: got 1 dimensions, want 2: groups and their size",
        () -> ReplicaGroups.iota(Dims.of(6), Dims.of(6), Dims.of(0)));
  }

  @Test
  void invalidDimensionsAreRefused() {
    refused(
        "all-gather: dimensions got (2), want one dimension of f32[4,6] [all_gather C1]",
        () -> allGather(X, 2).infer(X));
    refused(
        "all-gather: got f32[4,6] and f32[4,7], want shapes that differ by a factor along"
            + " dimension 1 [all_gather C6]",
        () -> allGather(Shape.of(F32, 4, 7), 1).infer(X));
    refused(
        "reduce-scatter: got f32[3,6] and f32[4,6], want shapes that differ by a factor along"
            + " dimension 0 [reduce_scatter C8]",
        () -> infer(reduceScatter(Shape.of(F32, 3, 6), 0), SUM, X));
    refused(
        "all-to-all: dimension 0 got the size of f32[4,6], want a multiple of 3 devices"
            + " [all_to_all C2]",
        () -> allToAll(ReplicaGroups.of(new long[] {0, 1, 2}), Optional.of(Dims.of(0))).infer(X));
  }

  @Test
  void gatheredDimensionOfSizeZeroStaysZero() {
    ReplicaGroups pair = ReplicaGroups.of(new long[] {0, 1});
    Shape none = Shape.of(F32, 0, 6);
    AllGather gather = new AllGather(Optional.empty(), pair, false, Dims.of(0), false, none);
    assertThat(gather.infer(none)).isEqualTo(none);
  }

  @Test
  void operandsOfAllToAll() {
    refused(
        "all-to-all: operand count got 2 with dimensions, want 1",
        () -> allToAll(ALL, Optional.of(Dims.of(0))).infer(X, X));
    refused(
        "all-to-all: operands got f32[4,6] and f32[], want the same",
        () -> allToAll(ALL, Optional.empty()).infer(X, SCALAR));
  }

  @Test
  void largestPartOfAnAxis() {
    assertThat(new AxisRef.Part(1, Long.MAX_VALUE).size()).isEqualTo(Long.MAX_VALUE);
    refused(
        "part of an axis got (2)9223372036854775807, want at least (1)2",
        () -> new AxisRef.Part(2, Long.MAX_VALUE));
  }

  private static AllGatherStart gatherStart(Shape shape) {
    return new AllGatherStart(Optional.empty(), ALL, false, Dims.of(1), false, shape);
  }

  private static CollectivePermuteStart permuteStart(Shape shape) {
    return new CollectivePermuteStart(
        Optional.empty(), ImmutableList.of(Dims.of(0, 1)), ImmutableList.of(), shape);
  }

  @Test
  void shapesOfStartsAndDones() {
    Shape gathered = Shape.tuple(X, Shape.of(F32, 4, 12));
    Shape many = Shape.tuple(Shape.tuple(X, X), Shape.tuple(X, X));
    Shape contexts = Shape.tuple(X, X, Shape.of(U32), Shape.of(U32));
    AllReduceStart reduce = new AllReduceStart(Optional.empty(), ALL, false, false);
    assertThat(infer(reduce, SUM, X, X)).isEqualTo(Shape.tuple(X, X));
    assertThat(new AllReduceDone().infer(Shape.tuple(X, X))).isEqualTo(Shape.tuple(X, X));
    assertThat(gatherStart(gathered).infer(X)).isEqualTo(gathered);
    assertThat(new AllGatherDone().infer(gathered)).isEqualTo(Shape.of(F32, 4, 12));
    assertThat(permuteStart(contexts).infer(X)).isEqualTo(contexts);
    assertThat(permuteStart(many).infer(X, X)).isEqualTo(many);
    assertThat(new CollectivePermuteDone().infer(contexts)).isEqualTo(X);
  }

  @Test
  void mismatchedStartsAndDonesAreRefused() {
    refused(
        "all-gather-start: shape got f32[4,6], want (operands, results, contexts of u32[])",
        () -> gatherStart(X).infer(X));
    refused(
        "collective-permute-start: shape got (f32[4,6], f32[4,6], s32[]), want (operands, results,"
            + " contexts of u32[])",
        () -> permuteStart(Shape.tuple(X, X, Shape.of(S32))).infer(X));
    refused(
        "collective-permute-done: operand got f32[4,6], want (operands, results, contexts of"
            + " u32[])",
        () -> new CollectivePermuteDone().infer(X));
    refused(
        "all-gather-start: element 0 of the result got f32[], want f32[4,6]",
        () -> gatherStart(Shape.tuple(SCALAR, Shape.of(F32, 4, 12))).infer(X));
    refused(
        "collective-permute-start: element 1 of the result got f32[], want f32[4,6]",
        () -> permuteStart(Shape.tuple(X, SCALAR)).infer(X));
  }
}
