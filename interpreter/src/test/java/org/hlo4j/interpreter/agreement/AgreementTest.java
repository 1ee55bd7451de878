package org.hlo4j.interpreter.agreement;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.ElementType.C64;
import static org.hlo4j.hlo.ElementType.S32;

import java.util.List;
import java.util.Optional;
import java.util.function.BinaryOperator;
import java.util.function.UnaryOperator;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Interpreter;
import org.junit.jupiter.api.Test;

class AgreementTest {
  private static final Literal X = Literal.of(new float[] {0.5f, 1.25f, -3, 2});

  /**
   * Returns the difference reported for a result whose first element is too large by {@code steps}
   * representable values.
   */
  private static Optional<String> differenceAfter(UnaryOperator<XlaOp> program, int steps) {
    XlaBuilder b = new XlaBuilder("m");
    HloModule module = b.build(program.apply(b.parameter(0, X.shape(), "x")));
    Literal want = Interpreter.reference().run(module, X);
    LiteralBuilder got = new LiteralBuilder(want.arrayShape());
    for (int i = 0; i < want.elementCount(); i++) {
      got.setBits(i, want.bitsAt(i) + (i == 0 ? steps : 0));
    }
    return Agreement.difference(
        module,
        EvaluatorOptions.defaults(),
        got.build(),
        want,
        (other, options) -> () -> Interpreter.reference(options).run(other, X));
  }

  @Test
  void exactOpsMustMatchBitForBit() {
    assertThat(differenceAfter(x -> x.mul(x).add(x), 0)).isEmpty();
    assertThat(differenceAfter(x -> x.mul(x).add(x), 1))
        .hasValue(
            "f32[4] at [0] got 0.75000006, want 0.75, 1 ulp apart; roundings justify no other"
                + " value");
    assertThat(differenceAfter(x -> x.convertElementType(S32), 1))
        .hasValue("s32[4] at [0] got 1, want 0; roundings justify no other value");
  }

  @Test
  void functionsMayDifferByAnUlp() {
    assertThat(differenceAfter(XlaOp::exp, 1)).isEmpty();
    assertThat(differenceAfter(XlaOp::exp, 2)).isPresent();
  }

  /** Only the computed elements have a tolerance: the first element, or the others. */
  @Test
  void errorsFollowMovedElements() {
    assertThat(differenceAfter(x -> joined(part(x, 0, 1).exp(), part(x, 1, 4)), 1)).isEmpty();
    assertThat(differenceAfter(x -> joined(part(x, 0, 1), part(x, 1, 4).exp()), 1)).isPresent();
  }

  private static XlaOp part(XlaOp x, long start, long limit) {
    return x.sliceInDim(start, limit, 1, 0);
  }

  private static XlaOp joined(XlaOp first, XlaOp second) {
    return first.builder().concatInDim(List.of(first, second), 0);
  }

  /** The difference of nearly equal numbers may consist of error alone. */
  @Test
  void errorsGrowThroughAChain() {
    assertThat(differenceAfter(x -> x.exp().sub(x.fullLike(1.6487212f)).mul(x), 1 << 22)).isEmpty();
    assertThat(differenceAfter(x -> x.exp().sub(x.fullLike(1.5f)).mul(x), 1 << 10)).isPresent();
  }

  private static XlaOp reduced(XlaOp x, BinaryOperator<XlaOp> body) {
    return x.reduce(x.builder().constant(0f), body, 0).broadcast(2);
  }

  @Test
  void sumsMayDifferByTheirTermCount() {
    assertThat(differenceAfter(x -> reduced(x, XlaOp::add), 4)).isEmpty();
    assertThat(differenceAfter(x -> reduced(x, XlaOp::add), 1000)).isPresent();
    assertThat(differenceAfter(x -> reduced(x, XlaOp::max), 1)).isPresent();
  }

  /** Returns two sums in sequence, each with a tolerance from the magnitudes of its own terms. */
  private static XlaOp complexReduced(XlaOp x) {
    XlaOp none = x.builder().zeros(Shape.of(C64));
    XlaOp once = x.complex(x).reduce(none, XlaOp::add, 0).broadcast(2);
    return once.reduce(none, XlaOp::add, 0).broadcast(2).real();
  }

  @Test
  void complexSumsMayDifferByTheirTermCount() {
    assertThat(differenceAfter(AgreementTest::complexReduced, 4)).isEmpty();
    assertThat(differenceAfter(AgreementTest::complexReduced, 1000)).isPresent();
  }

  @Test
  void errorsGrowThroughLoops() {
    assertThat(differenceAfter(x -> thrice(x, XlaOp::exp), 4)).isEmpty();
    assertThat(differenceAfter(x -> thrice(x, XlaOp::abs), 1)).isPresent();
  }

  private static XlaOp thrice(XlaOp x, UnaryOperator<XlaOp> function) {
    XlaBuilder b = x.builder();
    return b.whileLoop(
            b.tuple(b.constant(0), x.neg()),
            state -> state.getTupleElement(0).lt(state.builder().constant(3)),
            state ->
                state
                    .builder()
                    .tuple(
                        state.getTupleElement(0).add(state.builder().constant(1)),
                        function.apply(state.getTupleElement(1))))
        .getTupleElement(1);
  }
}
