package org.hlo4j.interpreter.conformance;

import static java.util.Map.entry;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.Metadata;
import org.hlo4j.hlo.op.AddDependency;
import org.hlo4j.hlo.op.AfterAll;
import org.hlo4j.hlo.op.AllGatherDone;
import org.hlo4j.hlo.op.AllGatherStart;
import org.hlo4j.hlo.op.AllReduceDone;
import org.hlo4j.hlo.op.AllReduceStart;
import org.hlo4j.hlo.op.AsyncDone;
import org.hlo4j.hlo.op.AsyncStart;
import org.hlo4j.hlo.op.AsyncUpdate;
import org.hlo4j.hlo.op.Bitcast;
import org.hlo4j.hlo.op.CollectivePermuteDone;
import org.hlo4j.hlo.op.CollectivePermuteStart;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.CopyDone;
import org.hlo4j.hlo.op.CopyStart;
import org.hlo4j.hlo.op.Domain;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Fusion;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.PartitionId;
import org.hlo4j.hlo.op.ReplicaGroups;

/**
 * Ops that no public method of XLA's builder makes: its passes do, and programs are read with them.
 */
public final class HandBuiltExamples {
  /** Why there is no method, and an example all the same. */
  record HandBuilt(String reason, Example example) {}

  private static final Shape.Array PAIR = Shape.of(ElementType.S32, 2);

  private static final HloInstruction X =
      HloInstruction.of("x", new Constant(Literal.of(new int[] {1, 2})));

  private static final ReplicaGroups BOTH = ReplicaGroups.of(new long[] {0, 1});

  private static final String SCHEDULING = "made when copies, calls and collectives are scheduled";

  static final ImmutableMap<Class<? extends Op>, HandBuilt> TABLE =
      ImmutableMap.ofEntries(
          entry(
              AddDependency.class,
              new HandBuilt("orders side effects, made by passes", addDependency())),
          entry(AllGatherDone.class, new HandBuilt(SCHEDULING, allGather())),
          entry(AllGatherStart.class, new HandBuilt(SCHEDULING, allGather())),
          entry(AllReduceDone.class, new HandBuilt(SCHEDULING, allReduce())),
          entry(AllReduceStart.class, new HandBuilt(SCHEDULING, allReduce())),
          entry(AsyncDone.class, new HandBuilt(SCHEDULING, async())),
          entry(AsyncStart.class, new HandBuilt(SCHEDULING, async())),
          entry(AsyncUpdate.class, new HandBuilt(SCHEDULING, async())),
          entry(
              Bitcast.class, new HandBuilt("a reshape by layouts, which passes assign", bitcast())),
          entry(CollectivePermuteDone.class, new HandBuilt(SCHEDULING, collectivePermute())),
          entry(CollectivePermuteStart.class, new HandBuilt(SCHEDULING, collectivePermute())),
          entry(CopyDone.class, new HandBuilt(SCHEDULING, copy())),
          entry(CopyStart.class, new HandBuilt(SCHEDULING, copy())),
          entry(Domain.class, new HandBuilt("marks shardings, made by passes", domain())),
          entry(Fusion.class, new HandBuilt("made by fusion passes", fusion())),
          entry(
              PartitionId.class,
              new HandBuilt(
                  "made by the partitioner",
                  Example.byHand(
                      Example.u32(1), HloInstruction.of("partition", new PartitionId())))));

  private HandBuiltExamples() {}

  private static Example addDependency() {
    HloInstruction token = HloInstruction.of("nothing_before", new AfterAll());
    HloInstruction after = HloInstruction.of("after", new AddDependency(), X, token);
    return Example.byHand(new int[] {1, 2}, X, token, after);
  }

  /** A computation of its own each time: a fusion shares none. */
  private static HloComputation negation() {
    HloInstruction p = HloInstruction.of("p", new Parameter(0, PAIR));
    HloInstruction negated =
        HloInstruction.of("negated", new Elementwise(Elementwise.Kind.NEGATE), p);
    return HloComputation.create("negation", List.of(p, negated), negated);
  }

  private static HloInstruction calling(String name, Op op, Shape shape, HloComputation callee) {
    return HloInstruction.create(name, op, List.of(X), List.of(callee), shape, Metadata.NONE);
  }

  private static Example allGather() {
    Shape shape = Shape.tuple(PAIR, Shape.of(ElementType.S32, 4));
    Op begin = new AllGatherStart(Optional.empty(), BOTH, false, Dims.of(0), false, shape);
    HloInstruction start = HloInstruction.of("start", begin, X);
    HloInstruction done = HloInstruction.of("done", new AllGatherDone(), start);
    return Example.byHand(new int[] {1, 2, 1, 2}, X, start, done);
  }

  private static Example allReduce() {
    Shape scalar = Shape.of(ElementType.S32);
    HloInstruction a = HloInstruction.of("a", new Parameter(0, scalar));
    HloInstruction b = HloInstruction.of("b", new Parameter(1, scalar));
    HloInstruction sum = HloInstruction.of("sum", new Elementwise(Elementwise.Kind.ADD), a, b);
    HloComputation body = HloComputation.create("body", List.of(a, b, sum), sum);
    Op begin = new AllReduceStart(Optional.empty(), BOTH, false, false);
    HloInstruction start = calling("start", begin, PAIR, body);
    HloInstruction done = HloInstruction.of("done", new AllReduceDone(), start);
    return Example.byHand(new int[] {2, 4}, X, start, done);
  }

  /** From replica 0 to replica 1, of the id of each partition. */
  private static Example collectivePermute() {
    Shape u32 = Shape.of(ElementType.U32);
    HloInstruction id = HloInstruction.of("partition", new PartitionId());
    Op begin =
        new CollectivePermuteStart(
            Optional.empty(),
            ImmutableList.of(Dims.of(0, 1)),
            ImmutableList.of(),
            Shape.tuple(u32, u32, u32, u32));
    HloInstruction start = HloInstruction.of("start", begin, id);
    HloInstruction done = HloInstruction.of("done", new CollectivePermuteDone(), start);
    return Example.byHand(Example.u32(1), id, start, done);
  }

  private static Example async() {
    Shape flying = Shape.tuple(Shape.tuple(PAIR), PAIR, Shape.of(ElementType.U32));
    HloInstruction start = calling("start", new AsyncStart(flying, ""), flying, negation());
    HloInstruction update = HloInstruction.of("update", new AsyncUpdate(), start);
    HloInstruction done = HloInstruction.of("done", new AsyncDone(), update);
    return Example.byHand(new int[] {-1, -2}, X, start, update, done);
  }

  private static Example bitcast() {
    Bitcast column = new Bitcast(Shape.of(ElementType.S32, 2, 1));
    return Example.byHand(new int[][] {{1}, {2}}, X, HloInstruction.of("bitcast", column, X));
  }

  private static Example copy() {
    HloInstruction start = HloInstruction.of("start", new CopyStart(Optional.empty()), X);
    HloInstruction done = HloInstruction.of("done", new CopyDone(), start);
    return Example.byHand(new int[] {1, 2}, X, start, done);
  }

  private static Example domain() {
    Domain border = new Domain(new Domain.Border("sharding", "{replicated}", "{maximal device=0}"));
    return Example.byHand(new int[] {1, 2}, X, HloInstruction.of("domain", border, X));
  }

  private static Example fusion() {
    HloInstruction fusion = calling("fusion", new Fusion(Fusion.Kind.LOOP), PAIR, negation());
    return Example.byHand(new int[] {-1, -2}, X, fusion);
  }
}
