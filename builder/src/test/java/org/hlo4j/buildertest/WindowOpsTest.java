package org.hlo4j.buildertest;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.ElementType.S32;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.function.BinaryOperator;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.hlo.op.Convolution;
import org.hlo4j.hlo.op.ConvolutionDimensionNumbers;
import org.hlo4j.hlo.op.Dot.Precision;
import org.hlo4j.hlo.op.Window;
import org.hlo4j.hlo.text.PrintOptions;
import org.hlo4j.hlo.text.Printer;
import org.junit.jupiter.api.Test;

class WindowOpsTest {
  private static final Window PAIRS = Window.of(2).withStrides(2);

  private final XlaBuilder b = new XlaBuilder("test");
  private final XlaOp x = b.parameter(0, Shape.of(F32, 5), "x");
  private final XlaOp zero = b.parameter(1, Shape.of(F32), "zero");

  private static HloComputation scalars(String name, BinaryOperator<XlaOp> body) {
    XlaBuilder inner = new XlaBuilder(name);
    XlaOp lhs = inner.parameter(0, Shape.of(F32), "lhs");
    return inner.buildComputation(body.apply(lhs, inner.parameter(1, Shape.of(F32), "rhs")));
  }

  private String text(XlaOp root) {
    HloModule module = b.build(root);
    Verifier.strict().verify(module);
    return Printer.print(module, PrintOptions.SHORT);
  }

  /** Asserts the printed line of the root. */
  private void root(String want, XlaOp root) {
    List<String> lines = text(root).lines().toList();
    assertThat(lines.get(lines.size() - 2).strip()).isEqualTo("ROOT " + want);
  }

  @Test
  void reduceWindowWithALambda() {
    assertThat(text(x.reduceWindow(zero, XlaOp::add, PAIRS)))
        .isEqualTo(
            """
            HloModule test, entry_computation_layout={(f32[5]{0}, f32[])->f32[2]{0}}

            region {
              p0 = f32[] parameter(0)
              p1 = f32[] parameter(1)
              ROOT add = f32[] add(p0, p1)
            }

            ENTRY test {
              x = f32[5] parameter(0)
              zero = f32[] parameter(1)
              ROOT reduce-window = f32[2] reduce-window(x, zero), window={size=2 stride=2}, to_apply=region
            }
            """);
  }

  @Test
  void reduceWindowWithAComputation() {
    root(
        "reduce-window = f32[2] reduce-window(x, zero), window={size=2 stride=2}, to_apply=sum",
        x.reduceWindow(zero, scalars("sum", XlaOp::add), PAIRS));
  }

  @Test
  void selectAndScatter() {
    XlaOp source = b.parameter(2, Shape.of(F32, 2), "source");
    root(
        "select-and-scatter = f32[5] select-and-scatter(x, source, zero), window={size=2 stride=2},"
            + " select=select, scatter=scatter",
        x.selectAndScatter((a, c) -> a.ge(c), PAIRS, source, zero, XlaOp::add));
  }

  @Test
  void selectAndScatterWithComputations() {
    XlaOp source = b.parameter(2, Shape.of(F32, 2), "source");
    root(
        "select-and-scatter = f32[5] select-and-scatter(x, source, zero), window={size=2 stride=2},"
            + " select=ge, scatter=sum",
        x.selectAndScatter(
            scalars("ge", (a, c) -> a.ge(c)), PAIRS, source, zero, scalars("sum", XlaOp::add)));
  }

  @Test
  void conv() {
    XlaOp image = b.parameter(2, Shape.of(F32, 1, 3, 8, 8), "image");
    XlaOp kernel = b.parameter(3, Shape.of(F32, 4, 3, 3, 3), "kernel");
    Window window = Window.of(3, 3);
    root(
        "convolution = f32[1,4,8,8] convolution(image, kernel), window={size=3x3 pad=1_1x1_1},"
            + " dim_labels=bf01_oi01->bf01",
        image.conv(kernel, window.withSamePadding(Dims.of(8, 8))));
  }

  @Test
  void convGeneralDilated() {
    XlaOp image = b.parameter(2, Shape.of(F32, 1, 8, 8, 4), "image");
    XlaOp kernel = b.parameter(3, Shape.of(F32, 3, 3, 2, 4), "kernel");
    Convolution convolution =
        Convolution.of(Window.of(3, 3).withStrides(2, 1).withReversal(false, true))
            .withDimensionNumbers(ConvolutionDimensionNumbers.fromLabels("b01f_01io->b01f"))
            .withFeatureGroupCount(2)
            .withOperandPrecision(Precision.HIGHEST, Precision.DEFAULT);
    root(
        "convolution = f32[1,3,6,4] convolution(image, kernel), window={size=3x3 stride=2x1"
            + " rhs_reversal=0x1}, dim_labels=b01f_01io->b01f, feature_group_count=2,"
            + " operand_precision={highest,default}",
        image.convGeneralDilated(kernel, convolution));
  }

  @Test
  void explainConvolution() {
    Convolution op = Convolution.of(Window.of(2)).withBatchGroupCount(2);
    assertThat(op.explain())
        .isEqualTo(
            """
                    dim 0      dim 1      dim 2
            lhs     batch      feature    spatial 0
            kernel  output     input      spatial 0
            result  batch      feature    spatial 0
            1 feature groups, 2 batch groups
            dimension 0: 2 elements, every 1, padding 0 before and 0 behind
               0  1  2  3
               ^  ^
                  ^  ^
                     ^  ^
            """);
  }

  @Test
  void batchNormTraining() {
    root(
        "batch-norm-training = (f32[5], f32[5], f32[5]) batch-norm-training(x, x, x),"
            + " epsilon=0.001, feature_index=0",
        x.batchNormTraining(x, x, .001f, 0));
  }

  @Test
  void batchNormInference() {
    root(
        "batch-norm-inference = f32[5] batch-norm-inference(x, x, x, x, x), epsilon=1e-10,"
            + " feature_index=0",
        x.batchNormInference(x, x, x, x, 1e-10f, 0));
  }

  @Test
  void batchNormGrad() {
    root(
        "batch-norm-grad = (f32[5], f32[5], f32[5]) batch-norm-grad(x, x, x, x, x), epsilon=inf,"
            + " feature_index=0",
        x.batchNormGrad(x, x, x, x, Float.POSITIVE_INFINITY, 0));
  }

  @Test
  void mapWithLambda() {
    root(
        "map = pred[5] map(x, x), dimensions={0}, to_apply=region",
        b.map(List.of(x, x), (inner, p) -> p.get(0).lt(p.get(1))));
  }

  @Test
  void mapOfScalars() {
    root(
        "map = f32[] map(zero, zero), dimensions={}, to_apply=sum",
        b.map(List.of(zero, zero), scalars("sum", XlaOp::add)));
  }

  private static void refused(String want, Runnable call) {
    HloException refusal = assertThrows(HloException.class, call::run);
    String message = String.valueOf(refusal.getMessage());
    assertThat(message.replaceAll("WindowOpsTest.java:\\d+", "HERE")).isEqualTo(want);
  }

  @Test
  void errorsNameOperandsAndLine() {
    refused(
        """
        reduce-window: window got 2 dimensions, want 1, as many as f32[5]: {size=2x2} [reduce_window C4]
          x      f32[5]   parameter 0   HERE
          zero   f32[]    parameter 1   HERE
          at HERE\
        """,
        () -> x.reduceWindow(zero, XlaOp::add, Window.of(2, 2)));
    refused(
        """
        reduce-window: result of to_apply got pred[], want f32[] [reduce_window C13]
          x      f32[5]   parameter 0   HERE
          zero   f32[]    parameter 1   HERE
          fits: max or min as the result, or a select by the comparison
          at HERE\
        """,
        () -> x.reduceWindow(zero, (a, c) -> a.lt(c), PAIRS));
    refused(
        """
        select-and-scatter: source got f32[5], want f32[2], the places of window {size=2 stride=2} on f32[5] [select_and_scatter C2]
          x      f32[5]   parameter 0   HERE
          zero   f32[]    parameter 1   HERE
          at HERE\
        """,
        () -> x.selectAndScatter((a, c) -> a.ge(c), PAIRS, x, zero, XlaOp::add));
    refused(
        """
        convolution: ranks got 1 of lhs f32[5] and 0 of kernel f32[], want the same [convolution C1]
          x      f32[5]   parameter 0   HERE
          zero   f32[]    parameter 1   HERE
          layout bf_oi->bf
          at HERE\
        """,
        () -> x.conv(zero, Window.of()));
    refused(
        """
        batch-norm-training: scale got f32[], want f32[5]: a value for each index of dimension 0 of operand f32[5] [batch_norm_training C3]
          x      f32[5]   parameter 0   HERE
          zero   f32[]    parameter 1   HERE
          at HERE\
        """,
        () -> x.batchNormTraining(zero, x, 0, 0));
    refused(
        """
        map: sizes of operand 1 got f32[], want those of operand 0, f32[5] [map C1]
          x      f32[5]   parameter 0   HERE
          zero   f32[]    parameter 1   HERE
          at HERE\
        """,
        () -> b.map(List.of(x, zero), (inner, p) -> p.get(0)));
    refused(
        """
        map: operand count got 0, want at least 1
          at HERE\
        """,
        () -> b.map(List.of(), (inner, p) -> inner.constant(1)));
  }

  @Test
  void bodyTypeMismatch() {
    assertThat(
            assertThrows(
                HloException.class,
                () ->
                    x.reduceWindow(zero, scalars("s", (a, c) -> a.convertElementType(S32)), PAIRS)))
        .hasMessageThat()
        .startsWith("reduce-window: result of to_apply got s32[], want f32[] [reduce_window C13]");
  }
}
