package org.hlo4j.interpreter.ops;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.ElementType.C64;
import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.ElementType.PRED;
import static org.hlo4j.hlo.ElementType.S32;
import static org.hlo4j.hlo.ElementType.U32;
import static org.hlo4j.hlo.ElementType.U8;
import static org.hlo4j.testing.LiteralSubject.assertThat;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.Optional;
import org.hlo4j.builder.Composite;
import org.hlo4j.builder.ComputationBody;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Layout;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Metadata;
import org.hlo4j.hlo.op.AddDependency;
import org.hlo4j.hlo.op.AfterAll;
import org.hlo4j.hlo.op.AsyncDone;
import org.hlo4j.hlo.op.AsyncStart;
import org.hlo4j.hlo.op.AsyncUpdate;
import org.hlo4j.hlo.op.Bitcast;
import org.hlo4j.hlo.op.CopyDone;
import org.hlo4j.hlo.op.CopyStart;
import org.hlo4j.hlo.op.Domain;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Fusion;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.PartitionId;
import org.hlo4j.hlo.op.Scan;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.agreement.Evaluators;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** while, conditional, scan, calls and the ops that pass a value on: literal in, literal out. */
final class ControlFlowTest {
  private final XlaBuilder b = new XlaBuilder("m");

  private Literal run(Literal... arguments) {
    return Evaluators.both().run(b.build(), arguments);
  }

  @Test
  void whileCarriesATuple() {
    XlaOp init = b.tuple(b.constant(1), b.constant(0));
    b.whileLoop(
        init,
        s -> s.getTupleElement(0).lt(s.builder().constant(5)),
        s ->
            s.builder()
                .tuple(
                    s.getTupleElement(0).add(s.builder().constant(1)),
                    s.getTupleElement(1).add(s.getTupleElement(0))));

    assertThat(run()).isEqualTo(Literal.tuple(Literal.of(5), Literal.of(10)));
  }

  @Test
  void whileThatNeverHoldsGivesItsOperand() {
    XlaOp x = b.parameter(0, Shape.of(F32, 0, 3), "x");
    b.whileLoop(x, s -> s.builder().constant(false), s -> s.add(s));

    assertThat(run(Literal.zeros(Shape.of(F32, 0, 3)))).hasShape(Shape.of(F32, 0, 3));
  }

  @Test
  void conditionalRunsTheChosenBranchOnly() {
    XlaOp pred = b.parameter(0, Shape.of(PRED), "pred");
    XlaOp x = b.parameter(1, Shape.of(F32), "x");
    HloModule module = b.build(b.conditional(pred, x, t -> t.add(t), x, f -> endless(f)));

    Evaluator evaluator = Evaluators.both(EvaluatorOptions.builder().maxSteps(100).build());
    assertThat(evaluator.run(module, Literal.of(true), Literal.of(3f))).holds(6f);
  }

  private static XlaOp endless(XlaOp x) {
    return x.builder().whileLoop(x, s -> s.builder().constant(true), s -> s);
  }

  @Test
  void conditionalByIndexRunsTheLastBranchBeyondTheEnds() {
    XlaOp index = b.parameter(0, Shape.of(S32), "index");
    List<XlaOp> operands = List.of(b.constant(1f), b.constant(2f), b.constant(3f));
    b.conditional(index, ImmutableList.of(x -> x.neg(), x -> x, x -> x.mul(x)), operands);
    HloModule module = b.build();

    int[][] rows = {{0, -1}, {1, 2}, {2, 9}, {3, 9}, {-1, 9}, {Integer.MIN_VALUE, 9}};
    for (int[] row : rows) {
      assertThat(Evaluators.both().run(module, Literal.of(row[0]))).holds((float) row[1]);
    }
  }

  private static final ComputationBody RUNNING_SUM =
      (body, p) -> {
        XlaOp sum = p.get(0).add(p.get(1));
        return body.tuple(sum, sum);
      };

  @Test
  void scanStacksOutputsAndGivesTheLastCarry() {
    XlaOp x = b.constant(new int[][] {{1, 2, 3}, {10, 20, 30}});
    b.scan(List.of(x), List.of(b.constant(new int[] {0, 100})), RUNNING_SUM, 1);

    assertThat(run())
        .isEqualTo(
            Literal.tuple(
                Literal.of(new int[][] {{1, 3, 6}, {110, 130, 160}}),
                Literal.of(new int[] {6, 160})));
  }

  @Test
  void scanInReverseBeginsAtTheEnd() {
    XlaOp x = b.constant(new int[] {1, 2, 3});
    Scan scan = new Scan(Dims.of(0), 1, true, true);
    b.scan(List.of(x), List.of(b.constant(0)), RUNNING_SUM, scan);

    assertThat(run()).isEqualTo(Literal.tuple(Literal.of(new int[] {6, 5, 3}), Literal.of(6)));
  }

  @Test
  void scanOfNothingGivesTheInitialCarry() {
    XlaOp x = b.zeros(Shape.of(S32, 0));
    b.scan(List.of(x), List.of(b.constant(7)), RUNNING_SUM, 0);

    assertThat(run()).isEqualTo(Literal.tuple(Literal.zeros(Shape.of(S32, 0)), Literal.of(7)));
  }

  @Test
  void compositeCallRunsItsComputation() {
    XlaBuilder inner = new XlaBuilder("twice");
    XlaOp p = inner.parameter(0, Shape.of(F32), "p");
    HloComputation twice = inner.buildComputation(p.add(p));
    b.compositeCall(Composite.of("my.twice"), twice, b.constant(4f));

    assertThat(run()).holds(8f);
  }

  @Test
  void opsThatPassAValueOn() {
    HloInstruction x = parameter(Shape.of(F32, 2));
    HloInstruction token = HloInstruction.of("token", new AfterAll());
    Op domain = new Domain(new Domain.Border("sharding", "{replicated}", "{maximal device=0}"));
    HloInstruction entered = HloInstruction.of("domain", domain, x);
    HloInstruction start = HloInstruction.of("start", new CopyStart(Optional.empty()), entered);
    HloInstruction done = HloInstruction.of("done", new CopyDone(), start);
    HloInstruction after = HloInstruction.of("after", new AddDependency(), done, token);

    Literal value = Literal.of(new float[] {1, 2});
    assertThat(evaluate(List.of(x, token, entered, start, done, after), value)).isEqualTo(value);
    b.parameter(0, Shape.of(F32, 2), "x").optimizationBarrier();
    assertThat(run(value)).isEqualTo(value);
  }

  @Test
  void fusionAndAsyncRunTheirComputations() {
    HloInstruction p = parameter(Shape.of(F32, 2));
    HloInstruction sum = HloInstruction.of("sum", new Elementwise(Elementwise.Kind.ADD), p, p);
    HloComputation fused = HloComputation.create("fused", List.of(p, sum), sum);
    HloInstruction x = parameter(Shape.of(F32, 2)).renamed("x");
    HloInstruction fusion =
        calling("fusion", new Fusion(Fusion.Kind.LOOP), fused, Shape.of(F32, 2), x);
    HloInstruction q = parameter(Shape.of(F32, 2)).renamed("q");
    HloInstruction negated =
        HloInstruction.of("negated", new Elementwise(Elementwise.Kind.NEGATE), q);
    HloComputation wrapped = HloComputation.create("wrapped", List.of(q, negated), negated);
    Shape flying = Shape.tuple(Shape.tuple(Shape.of(F32, 2)), Shape.of(F32, 2), Shape.of(U32));
    HloInstruction start = calling("start", new AsyncStart(flying, ""), wrapped, flying, fusion);
    HloInstruction update = HloInstruction.of("update", new AsyncUpdate(), start);
    HloInstruction done = HloInstruction.of("done", new AsyncDone(), update);

    Literal value = Literal.of(new float[] {1, 2});
    assertThat(evaluate(List.of(x, fusion, start, update, done), value))
        .holds(new float[] {-2, -4});
  }

  /** Operands and the result may be bound after the start; nothing runs before all are. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        """
        s = ((), (), s32[]) async-start(), calls=w
        u = ((f32[2]), (), s32[]) async-update(s, x)
        v = ((f32[2], f32[2]), f32[2], ()) async-update(u, y)
        ROOT d = f32[2] async-done(v)
        """,
        """
        s = ((f32[2]), (), s32[]) async-start(x), calls=w
        u = ((f32[2], f32[2]), (), s32[]) async-update(s, y)
        ROOT d = f32[2] async-done(u)
        """,
        """
        s = ((), f32[2], s32[]) call-start(), to_apply=w, output_to_operand_aliasing={}
        u = ((f32[2], f32[2]), f32[2], s32[]) call-update(s, x, y)
        t = ((f32[2], f32[2]), f32[2], s32[]) call-update(u)
        ROOT d = f32[2] call-done(t)
        """,
        """
        z = (f32[2], f32[2]) tuple(x, y)
        s = (((f32[2], f32[2])), f32[2]) async-start(z), calls=elements
        ROOT d = f32[2] async-done(s)
        """
      })
  void asynchronousChains(String chain) {
    HloModule module =
        Parser.parse(
            """
            w { p = f32[2] parameter(0) q = f32[2] parameter(1) ROOT a = f32[2] subtract(p, q) }
            elements {
              r = (f32[2], f32[2]) parameter(0)
              g = f32[2] get-tuple-element(r), index=0
              h = f32[2] get-tuple-element(r), index=1
              ROOT b = f32[2] subtract(g, h)
            }
            ENTRY e { x = f32[2] parameter(0) y = f32[2] parameter(1)
            """
                + chain
                + "}");
    assertThat(
            Evaluators.both()
                .run(module, Literal.of(new float[] {5, 7}), Literal.of(new float[] {1, 2})))
        .holds(new float[] {4, 5});
  }

  @Test
  void bitcastFollowsTheLayouts() {
    Shape.Array columns = Shape.of(S32, 3, 2).withLayout(new Layout(Dims.of(0, 1), ""));
    Literal value = Literal.of(new int[][] {{1, 2, 3}, {4, 5, 6}});

    assertThat(bitcast(value, Shape.of(S32, 3, 2))).holds(new int[][] {{1, 2}, {3, 4}, {5, 6}});
    assertThat(bitcast(value, columns)).holds(new int[][] {{1, 4}, {2, 5}, {3, 6}});
    assertThat(bitcast(Literal.of(new int[] {0x04030201}), Shape.of(U8, 4)))
        .holds(new int[] {1, 2, 3, 4});
    assertThat(bitcast(Literal.of(U8, new int[] {1, 2, 3, 4}), Shape.of(S32))).holds(0x04030201);
    assertThat(bitcast(Literal.complex(C64, 1, 2), Shape.of(C64, 1)))
        .isEqualTo(Literal.complex(C64, 1, 2).withShape(Shape.of(C64, 1)));
    assertThat(bitcast(Literal.zeros(Shape.of(S32, 0, 2)), Shape.of(S32, 0)))
        .hasShape(Shape.of(S32, 0));
  }

  private static Literal bitcast(Literal value, Shape.Array to) {
    HloInstruction x = parameter(value.shape());
    return evaluate(List.of(x, HloInstruction.of("r", new Bitcast(to), x)), value);
  }

  @Test
  void replicaAndPartitionAreZeroOnOneDevice() {
    b.replicaId();
    assertThat(run()).isEqualTo(Literal.of(U32, 0));
    assertThat(evaluate(List.of(HloInstruction.of("p", new PartitionId()))))
        .isEqualTo(Literal.of(U32, 0));
  }

  private static HloInstruction parameter(Shape shape) {
    return HloInstruction.of("p0", new Parameter(0, shape));
  }

  private static HloInstruction calling(
      String name, Op op, HloComputation callee, Shape shape, HloInstruction operand) {
    return HloInstruction.create(name, op, List.of(operand), List.of(callee), shape, Metadata.NONE);
  }

  private static Literal evaluate(List<HloInstruction> instructions, Literal... arguments) {
    HloInstruction root = instructions.get(instructions.size() - 1);
    HloComputation entry = HloComputation.create("entry", instructions, root);
    return Evaluators.both().run(HloModule.create("m", entry), arguments);
  }
}
