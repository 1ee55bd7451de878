package org.hlo4j.interpreter.ops;

import static org.hlo4j.hlo.ElementType.BF16;
import static org.hlo4j.hlo.ElementType.C64;
import static org.hlo4j.hlo.ElementType.F16;
import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.ElementType.PRED;
import static org.hlo4j.hlo.ElementType.S32;
import static org.hlo4j.hlo.ElementType.S4;
import static org.hlo4j.testing.LiteralSubject.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.common.truth.Truth;
import java.time.Duration;
import java.util.List;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Window;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.interpreter.agreement.Evaluators;
import org.junit.jupiter.api.Test;

/** Reduce-window, select-and-scatter and map. */
class WindowsTest {

  private static Literal run(Function<XlaBuilder, XlaOp> program) {
    XlaBuilder b = new XlaBuilder("test");
    HloModule module = b.build(program.apply(b));
    return Evaluators.both().run(module);
  }

  private static Literal reduced(
      Literal operand, Literal init, BinaryOperator<XlaOp> body, String window) {
    return run(b -> b.constant(operand).reduceWindow(b.constant(init), body, Window.parse(window)));
  }

  private static void sums(Object want, Object operand, String window) {
    assertThat(reduced(Literal.of(operand), Literal.of(100), XlaOp::add, window)).holds(want);
  }

  @Test
  void reduceWindowCases() {
    int[][] x = {{1, 2}, {3, 4}, {5, 6}};
    Literal zero = Literal.of(0);
    assertThat(
            reduced(
                Literal.of(x),
                zero,
                XlaOp::add,
                "size=2x1 stride=4x1 pad=2_1x0_0 lhs_dilate=2x1 rhs_dilate=3x1"))
        .holds(new int[][] {{0, 0}, {3, 4}});
    assertThat(
            reduced(
                Literal.of(x),
                zero,
                XlaOp::add,
                "size=3x1 stride=4x1 pad=2_1x0_0 lhs_dilate=2x1 rhs_dilate=3x1"))
        .holds(new int[][] {{5, 6}});
  }

  @Test
  void initialValueOnceAndPaddingNever() {
    int[] x = {1, 2, 3};
    sums(new int[] {103, 105}, x, "size=2");
    sums(new int[] {101, 103, 105, 103}, x, "size=2 pad=1_1");
    sums(new int[] {101, 102, 102, 103}, x, "size=2 lhs_dilate=2");
    sums(new int[] {102, 103}, x, "size=1 pad=-1_0");
    sums(new int[] {104}, x, "size=2 rhs_dilate=2");
    sums(new int[] {100, 100, 101, 102, 103}, x, "size=1 pad=2_0");
    sums(new int[] {}, x, "size=1 pad=-2_-2");
    sums(new int[] {}, new int[] {}, "size=1");
    sums(new int[] {100}, new int[] {}, "size=1 pad=1_0");
    sums(105, 5, "");
    sums(
        new int[][] {{110, 114}, {122, 122}},
        new int[][] {{1, 2, 3}, {3, 4, 5}, {9, 6, 7}},
        "size=2x2");
  }

  @Test
  void rowMajorOrderWhateverTheReversal() {
    Literal x = Literal.of(new int[] {1, 2, 3});
    for (String window : List.of("size=2", "size=2 rhs_reversal=1")) {
      assertThat(reduced(x, Literal.of(100), XlaOp::sub, window)).holds(new int[] {97, 95});
    }
    BinaryOperator<XlaOp> last = (a, b) -> b;
    assertThat(reduced(x, Literal.of(0), last, "size=2")).holds(new int[] {2, 3});
  }

  @Test
  void sumsOfFloatsRoundOnce() {
    float[] x = {1 << 24, 1, -(1 << 24)};
    assertThat(reduced(Literal.of(x), Literal.of(0f), XlaOp::add, "size=3")).holds(new float[] {1});
    Literal narrow = Literal.of(BF16, new float[] {256, 1, 1});
    assertThat(reduced(narrow, Literal.of(BF16, 0f), XlaOp::add, "size=3"))
        .holds(new float[] {258});
  }

  private static void maximum(ElementType type, Object want, Object operand, Object least) {
    assertThat(
            reduced(
                Literal.of(type, operand), Literal.of(type, least), XlaOp::max, "size=2 stride=2"))
        .holds(want);
  }

  @Test
  void elementTypes() {
    maximum(S4, new int[] {7, -8}, new int[] {-1, 7, -8, -8}, -8);
    maximum(F16, new float[] {2, Float.NaN}, new float[] {1, 2, Float.NaN, 3}, -65504f);
    maximum(PRED, new boolean[] {true, false}, new boolean[] {false, true, false, false}, false);
    Literal i = Literal.of(C64, new float[][] {{1, 2}, {3, 4}});
    assertThat(reduced(i, Literal.complex(C64, 1, 1), XlaOp::add, "size=2"))
        .isEqualTo(Literal.of(C64, new float[][] {{5, 7}}));
  }

  @Test
  void severalArraysAtOnce() {
    Literal result =
        run(b -> {
          XlaOp values = b.constant(new float[] {3, 1, 2, 5});
          XlaOp numbers = b.iota(S32, 4);
          return b.reduceWindow(
              List.of(values, numbers),
              List.of(b.constant(Float.NEGATIVE_INFINITY), b.constant(-1)),
              (inner, p) -> {
                XlaOp keep = p.get(0).ge(p.get(2));
                return inner.tuple(
                    keep.select(p.get(0), p.get(2)), keep.select(p.get(1), p.get(3)));
              },
              Window.of(2));
        });
    assertThat(result.element(0)).holds(new float[] {3, 2, 5});
    assertThat(result.element(1)).holds(new int[] {0, 2, 3});
  }

  @Test
  void cumulativeSum() {
    sums(new int[] {101, 103, 106, 110}, new int[] {1, 2, 3, 4}, "size=4 pad=3_0");
  }

  @Test
  void endlessWindowsStopAtTheDeadline() {
    XlaBuilder b = new XlaBuilder("slow");
    XlaOp x = b.zeros(Shape.of(F32, 3000, 3000));
    x.reduceWindow(
        b.constant(0f), XlaOp::add, Window.of(3000, 3000).withSamePadding(x.arrayShape().sizes()));
    EvaluatorOptions options = EvaluatorOptions.builder().deadline(Duration.ofMillis(200)).build();
    HloException refusal =
        assertThrows(HloException.class, () -> Evaluators.both(options).run(b.build()));
    Truth.assertThat(refusal.summary()).isEqualTo("run: got beyond the deadline of 200 ms");
  }

  /** Cumulative reductions of the reference take a step for each element, not for each pair. */
  @Test
  void cumulativeInTheReference() {
    int count = 1 << 17;
    XlaBuilder b = new XlaBuilder("test");
    XlaOp ones = b.constant(1).broadcast(count);
    XlaOp zero = b.constant(0);
    Window before = Window.parse("size=" + count + " pad=" + (count - 1) + "_0");
    Window after = Window.parse("size=" + count + " pad=0_" + (count - 1));
    XlaOp forward = ones.reduceWindow(zero, XlaOp::add, before);
    XlaOp backward = ones.reduceWindow(zero, XlaOp::add, after);
    HloModule module = b.build(b.tuple(forward, backward));
    EvaluatorOptions options = EvaluatorOptions.builder().deadline(Duration.ofSeconds(20)).build();
    Literal sums = Interpreter.reference(options).run(module);
    Truth.assertThat(sums.element(0).longAt(1000)).isEqualTo(1001);
    Truth.assertThat(sums.element(1).longAt(1000)).isEqualTo(count - 1000);
  }

  private static Literal scattered(
      Object operand, Object source, Object init, BinaryOperator<XlaOp> scatter, String window) {
    return run(b ->
        b.constant(operand)
            .selectAndScatter(
                XlaOp::ge, Window.parse(window), b.constant(source), b.constant(init), scatter));
  }

  @Test
  void selectAndScatterCases() {
    float[] x = {1, 5, 3, 2, 4};
    assertThat(scattered(x, new float[] {10, 20}, 0f, XlaOp::add, "size=2 stride=2"))
        .holds(new float[] {0, 10, 20, 0, 0});
    assertThat(scattered(x, new float[] {10, 20, 30, 40}, 0f, XlaOp::add, "size=2"))
        .holds(new float[] {0, 30, 30, 0, 40});
    assertThat(scattered(x, new float[] {10, 20}, 0f, XlaOp::add, "size=2 stride=2 rhs_dilate=2"))
        .holds(new float[] {0, 0, 10, 0, 20});
    assertThat(
            scattered(
                new float[] {-1, -5, -3, -2, -4},
                new float[] {10, 20, 30, 40},
                0f,
                XlaOp::add,
                "size=2 stride=2 pad=2_1"))
        .holds(new float[] {20, 0, 0, 30, 40});
    assertThat(scattered(7f, 3f, 1f, XlaOp::add, "")).holds(4f);
    assertThat(scattered(new float[] {}, new float[] {}, 0f, XlaOp::add, "size=2"))
        .holds(new float[] {});
  }

  @Test
  void initialValueIsReducedInOnce() {
    assertThat(scattered(new int[] {1, 9, 1}, new int[] {10, 20}, 5, XlaOp::add, "size=2"))
        .holds(new int[] {5, 35, 5});
  }

  @Test
  void sourceComesFirstAndTheFirstOfEqualsIsKept() {
    assertThat(scattered(new int[] {1, 1, 2, 2}, new int[] {10}, 3, XlaOp::sub, "size=4"))
        .holds(new int[] {3, 3, 7, 3});
  }

  @Test
  void selectsOverTwoDimensions() {
    assertThat(
            scattered(
                new int[][] {{4, 1, 2}, {3, 9, 8}},
                new int[][] {{1, 10}},
                0,
                XlaOp::add,
                "size=2x2"))
        .holds(new int[][] {{0, 0, 0}, {0, 11, 0}});
  }

  @Test
  void maps() {
    assertThat(
            run(b ->
                b.map(
                    List.of(
                        b.constant(new int[][] {{1, 2}, {3, 4}}),
                        b.constant(new float[][] {{.5f, 1}, {2, 4}})),
                    (inner, p) -> p.get(0).convertElementType(F32).mul(p.get(1)))))
        .holds(new float[][] {{.5f, 2}, {6, 16}});
    assertThat(run(b -> b.constant(new int[] {1, -1}).map(x -> x.gt(x.zerosLike()))))
        .holds(new boolean[] {true, false});
    assertThat(run(b -> b.constant(3).map(XlaOp::neg))).holds(-3);
    assertThat(run(b -> b.zeros(Shape.of(F32, 0, 2)).map(XlaOp::neg)))
        .hasShape(Shape.of(F32, 0, 2));
  }
}
