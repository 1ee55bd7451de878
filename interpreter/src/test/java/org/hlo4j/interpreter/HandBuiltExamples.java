package org.hlo4j.interpreter;

import static java.util.Map.entry;

import com.google.common.collect.ImmutableMap;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.Metadata;
import org.hlo4j.hlo.op.AddDependency;
import org.hlo4j.hlo.op.AfterAll;
import org.hlo4j.hlo.op.AsyncDone;
import org.hlo4j.hlo.op.AsyncStart;
import org.hlo4j.hlo.op.AsyncUpdate;
import org.hlo4j.hlo.op.Bitcast;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.CopyDone;
import org.hlo4j.hlo.op.CopyStart;
import org.hlo4j.hlo.op.Domain;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Fusion;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.PartitionId;

/**
 * Ops that no public method of XLA's builder makes: its passes do, and programs are read with them.
 */
final class HandBuiltExamples {
  /** Why there is no method, and an example all the same. */
  record HandBuilt(String reason, Example example) {}

  private static final Shape.Array PAIR = Shape.of(ElementType.S32, 2);

  private static final HloInstruction X =
      HloInstruction.of("x", new Constant(Literal.of(new int[] {1, 2})));

  private static final String SCHEDULING = "made when copies and calls are scheduled";

  static final ImmutableMap<Class<? extends Op>, HandBuilt> TABLE =
      ImmutableMap.ofEntries(
          entry(
              AddDependency.class,
              new HandBuilt("orders side effects, made by passes", addDependency())),
          entry(AsyncDone.class, new HandBuilt(SCHEDULING, async())),
          entry(AsyncStart.class, new HandBuilt(SCHEDULING, async())),
          entry(AsyncUpdate.class, new HandBuilt(SCHEDULING, async())),
          entry(
              Bitcast.class, new HandBuilt("a reshape by layouts, which passes assign", bitcast())),
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
    HloInstruction token = HloInstruction.of("token", new AfterAll());
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

  private static HloInstruction calling(String name, Op op, Shape shape) {
    return HloInstruction.create(name, op, List.of(X), List.of(negation()), shape, Metadata.NONE);
  }

  private static Example async() {
    Shape flying = Shape.tuple(Shape.tuple(PAIR), PAIR, Shape.of(ElementType.U32));
    HloInstruction start = calling("start", new AsyncStart(flying, ""), flying);
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
    HloInstruction fusion = calling("fusion", new Fusion(Fusion.Kind.LOOP), PAIR);
    return Example.byHand(new int[] {-1, -2}, X, fusion);
  }
}
