package org.hlo4j.interpreter.ops;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.interpreter.agreement.Evaluators;
import org.hlo4j.testing.LiteralSubject;
import org.junit.jupiter.api.Test;

/** Tuples, and computations that call others. */
class CallsTest {
  private final XlaBuilder b = new XlaBuilder("calls");

  private static Literal run(XlaOp root, Literal... arguments) {
    return Evaluators.both().run(root.builder().build(root), arguments);
  }

  @Test
  void tuplesNest() {
    XlaOp one = b.constant(1);
    XlaOp inner = b.tuple(one, b.constant(2f));
    XlaOp outer = b.tuple(inner, one);
    Literal result = run(b.tuple(outer.getTupleElement(0).getTupleElement(1), outer));
    assertThat(result)
        .isEqualTo(
            Literal.tuple(
                Literal.of(2f),
                Literal.tuple(Literal.tuple(Literal.of(1), Literal.of(2f)), Literal.of(1))));
  }

  @Test
  void emptyTuples() {
    Literal empty = Literal.tuple();
    XlaOp parameter = b.parameter(0, Shape.tuple(), "nothing");
    assertThat(run(b.tuple(b.tuple(), parameter), empty)).isEqualTo(Literal.tuple(empty, empty));
  }

  @Test
  void tuplesAsParameters() {
    Literal pair = Literal.tuple(Literal.of(3), Literal.of(new int[] {1, 2}));
    XlaOp x = b.parameter(0, pair.shape(), "pair");
    LiteralSubject.assertThat(run(x.getTupleElement(1).mul(x.getTupleElement(0)), pair))
        .holds(new int[] {3, 6});
  }

  @Test
  void callWithALambda() {
    XlaOp doubled = b.call("twice", (body, p) -> p.get(0).add(p.get(0)), b.constant(21));
    LiteralSubject.assertThat(run(doubled)).holds(42);
  }

  @Test
  void callWithoutOperands() {
    LiteralSubject.assertThat(run(b.call("seven", (body, p) -> body.constant(7)))).holds(7);
  }

  @Test
  void oneComputationCalledTwiceAndFromWithin() {
    HloComputation square =
        b.computation(
            "square", List.of(Shape.of(ElementType.S32)), (body, p) -> p.get(0).mul(p.get(0)));
    HloComputation fourth =
        b.computation(
            "fourth",
            List.of(Shape.of(ElementType.S32)),
            (body, p) -> body.call(square, body.call(square, p.get(0))));
    XlaOp two = b.constant(2);
    Literal result = run(b.tuple(b.call(square, two), b.call(fourth, two)));
    LiteralSubject.assertThat(result.element(0)).holds(4);
    LiteralSubject.assertThat(result.element(1)).holds(16);
  }

  @Test
  void operandsComeInOrder() {
    XlaOp difference =
        b.call("sub", (body, p) -> p.get(0).sub(p.get(1)), b.constant(10), b.constant(3));
    LiteralSubject.assertThat(run(difference)).holds(7);
  }

  @Test
  void reduceInsideACallInsideAReduce() {
    XlaOp matrix = b.constant(new int[][] {{1, 2}, {3, 4}});
    XlaOp sums =
        b.call("rows", (body, p) -> p.get(0).reduce(body.constant(0), XlaOp::add, 1), matrix);
    LiteralSubject.assertThat(run(sums.reduceAll(b.constant(1), XlaOp::mul))).holds(21);
  }

  @Test
  void aFaultInACallNamesEveryInstructionOnTheWay() {
    XlaOp large =
        b.call("inner", (body, p) -> body.full(Shape.of(ElementType.S32, 1L << 20, 1L << 20), 1));
    HloException fault = assertThrows(HloException.class, () -> run(large));
    assertThat(fault.facts().stream().map(HloException.Fact::text).toList())
        .containsAtLeast(
            "%broadcast = s32[1048576,1048576] broadcast(%constant)",
            "%call = s32[1048576,1048576] call()")
        .inOrder();
  }
}
