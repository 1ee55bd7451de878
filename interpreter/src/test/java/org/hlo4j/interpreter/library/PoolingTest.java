package org.hlo4j.interpreter.library;

import static org.hlo4j.hlo.ElementType.F8E4M3FN;
import static org.hlo4j.hlo.ElementType.U8;
import static org.hlo4j.testing.LiteralSubject.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.common.truth.Truth;
import java.util.function.Function;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.builder.lib.Pooling;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.op.Window;
import org.hlo4j.interpreter.agreement.Evaluators;
import org.junit.jupiter.api.Test;

class PoolingTest {
  private static final Window SAME = Window.of(2).withStrides(2).withSamePadding(Dims.of(5));

  private static Literal run(Object x, Function<XlaOp, XlaOp> program) {
    XlaBuilder b = new XlaBuilder("pool");
    return Evaluators.both().run(b.build(program.apply(b.constant(x))));
  }

  @Test
  void maxPool() {
    assertThat(run(new float[] {-1, -5, -3, -2, -4}, x -> Pooling.maxPool(x, SAME)))
        .holds(new float[] {-1, -2, -4});
    assertThat(run(new boolean[] {false, true, false}, x -> Pooling.maxPool(x, Window.of(2))))
        .holds(new boolean[] {true, true});
    assertThat(
            run(
                Literal.of(U8, new int[] {0, 200, 7}),
                x -> Pooling.maxPool(x, Window.of(2).withPadding(Dims.of(2), Dims.of(0)))))
        .holds(new int[] {0, 0, 200, 200});
    assertThat(
            run(
                Literal.of(F8E4M3FN, new float[] {1}),
                x -> Pooling.maxPool(x, Window.of(1).withPadding(Dims.of(1), Dims.of(0)))))
        .holds(new float[] {-448, 1});
  }

  @Test
  void avgPool() {
    float[] values = {1, 3, 5, 7, 9};
    assertThat(run(values, x -> Pooling.avgPool(x, SAME, true))).holds(new float[] {2, 6, 4.5f});
    assertThat(run(values, x -> Pooling.avgPool(x, SAME, false))).holds(new float[] {2, 6, 9});
    assertThat(
            run(
                new float[][] {{1, 2, 3}, {4, 5, 6}},
                x -> Pooling.avgPool(x, Window.of(2, 2), true)))
        .holds(new float[][] {{3, 4}});
  }

  @Test
  void avgPoolGrad() {
    float[] grad = {2, 4, 6};
    assertThat(run(grad, g -> Pooling.avgPoolGrad(g, Dims.of(5), SAME, true)))
        .holds(new float[] {1, 1, 2, 2, 3});
    assertThat(run(grad, g -> Pooling.avgPoolGrad(g, Dims.of(5), SAME, false)))
        .holds(new float[] {1, 1, 2, 2, 6});
    assertThat(run(grad, g -> Pooling.avgPoolGrad(g, Dims.of(4), Window.of(2), true)))
        .holds(new float[] {1, 3, 5, 3});
    Window spread = Window.of(2).withWindowDilation(2).withPadding(Dims.of(1), Dims.of(0));
    assertThat(run(grad, g -> Pooling.avgPoolGrad(g, Dims.of(4), spread, true)))
        .holds(new float[] {2, 1 + 3, 2, 3});
    assertThat(run(new float[] {}, g -> Pooling.avgPoolGrad(g, Dims.of(1), Window.of(2), true)))
        .holds(new float[] {0});
  }

  @Test
  void avgPoolGradOfOtherPlacesIsRefused() {
    float[] grad = {2, 4, 6};
    Truth.assertThat(
            assertThrows(
                HloException.class,
                () -> run(grad, g -> Pooling.avgPoolGrad(g, Dims.of(5), Window.of(2), true))))
        .hasMessageThat()
        .startsWith(
            "avgPoolGrad: gradOutput got f32[3], want the places of window {size=2} on (5)\n"
                + "  at PoolingTest.java:");
    Truth.assertThat(
            assertThrows(
                HloException.class,
                () ->
                    run(
                        grad,
                        g ->
                            Pooling.avgPoolGrad(
                                g, Dims.of(2), Window.of(1).withBaseDilation(2), true))))
        .hasMessageThat()
        .startsWith(
            "avgPoolGrad: base dilation got {size=1 lhs_dilate=2}, want none\n"
                + "  at PoolingTest.java:");
  }
}
