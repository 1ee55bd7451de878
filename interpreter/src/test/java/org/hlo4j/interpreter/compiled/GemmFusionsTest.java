package org.hlo4j.interpreter.compiled;

import static com.google.common.truth.Truth.assertThat;

import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Dot;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.agreement.Evaluators;
import org.hlo4j.interpreter.compiled.conv.Convolutions;
import org.hlo4j.interpreter.compiled.gemm.DotKernels;
import org.hlo4j.interpreter.compiled.gemm.Products;
import org.hlo4j.interpreter.engine.KernelChoice;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Fusions of a product and its element-wise epilogue, against the reference evaluator. */
class GemmFusionsTest {
  private static KernelChoice kernel(HloInstruction fusion) {
    return GemmFusions.kernel(
        fusion,
        false,
        product ->
            product.op() instanceof Dot
                ? DotKernels.kernel(product)
                : Convolutions.kernel(product));
  }

  /** Returns the text of a fusion that computes {@code max(product + bias, 0) - residual}. */
  private static String layer(String x, String w, String bias, String result, String product) {
    int last = result.split(",", -1).length - 1;
    String type = result.substring(0, result.indexOf('['));
    return """
    HloModule m
    layer {
      x = %1$s parameter(0)
      w = %2$s parameter(1)
      b = %3$s parameter(2)
      r = %4$s parameter(3)
      d = %4$s %5$s
      c = %4$s broadcast(b), dimensions={%6$d}
      s = %4$s add(d, c)
      zero = %7$s[] constant(0)
      z = %4$s broadcast(zero), dimensions={}
      h = %4$s maximum(s, z)
      ROOT t = %4$s subtract(h, r)
    }
    ENTRY e {
      x = %1$s parameter(0)
      w = %2$s parameter(1)
      b = %3$s parameter(2)
      r = %4$s parameter(3)
      ROOT f = %4$s fusion(x, w, b, r), kind=kOutput, calls=layer
    }
    """
        .formatted(x, w, bias, result, product, last, type);
  }

  private static String dense(String type, int m, int k, int n) {
    return layer(
        "%s[%d,%d]".formatted(type, m, k),
        "%s[%d,%d]".formatted(type, k, n),
        "%s[%d]".formatted(type, n),
        "%s[%d,%d]".formatted(type, m, n),
        "dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}");
  }

  @ParameterizedTest
  @CsvSource({
    "f32, 7, 8, 9",
    "f32, 1, 257, 65",
    "f32, 13, 600, 130",
    "f32, 128, 257, 300",
    "f32, 300, 700, 70",
    "f32, 257, 0, 13",
    "f64, 7, 8, 9",
    "f64, 130, 300, 130",
    "s32, 7, 8, 9",
    "s32, 130, 300, 130"
  })
  void denseLayers(String type, int m, int k, int n) {
    Products.check(GemmFusionsTest::kernel, dense(type, m, k, n), 7, k + 3);
  }

  /** What {@link #denseLayers} leaves to the night. */
  @Tag("nightly")
  @ParameterizedTest
  @CsvSource({
    "f32, 1, 13, 7",
    "f32, 6, 257, 257",
    "f32, 7, 257, 13",
    "f32, 257, 65, 257",
    "f64, 257, 65, 257"
  })
  void denseLayersAtNight(String type, int m, int k, int n) {
    denseLayers(type, m, k, n);
  }

  @ParameterizedTest
  @ValueSource(ints = {3, 13, 130})
  void batches(int m) {
    String product =
        "dot(x, w), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2},"
            + " rhs_contracting_dims={1}";
    String x = "f32[3,%d,65]".formatted(m);
    String result = "f32[3,%d,133]".formatted(m);
    String text = layer(x, "f32[3,65,133]", "f32[133]", result, product);
    Products.check(GemmFusionsTest::kernel, text, m, 68);
  }

  /** Rows and columns of the product are exchanged; those of the epilogue are not. */
  @ParameterizedTest
  @ValueSource(ints = {2, 3, 5})
  void transposedBatches(int n) {
    String product =
        "dot(x, w), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={1},"
            + " rhs_contracting_dims={1}";
    String w = "f32[3,40,%d]".formatted(n);
    String text =
        layer("f32[3,40,70]", w, "f32[%d]".formatted(n), "f32[3,70,%d]".formatted(n), product);
    Products.check(GemmFusionsTest::kernel, text, n, 43);
  }

  @ParameterizedTest
  @ValueSource(ints = {3, 64})
  void convolutions(int features) {
    String same = "convolution(x, w), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f";
    String x = "f32[2,13,17,%d]".formatted(features);
    String w = "f32[3,3,%d,65]".formatted(features);
    String text = layer(x, w, "f32[65]", "f32[2,13,17,65]", same);
    Products.check(GemmFusionsTest::kernel, text, features, 9 * features + 3);
  }

  @Test
  void narrowIntegers() {
    String product = "dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}";
    String text = layer("s8[33,1100]", "s8[1100,70]", "s32[70]", "s32[33,70]", product);
    Products.check(GemmFusionsTest::kernel, text, 7, 1100);
  }

  @Test
  void unsupportedProductsAreDeclined() {
    String grouped =
        "convolution(x, w), window={size=3x3}, dim_labels=b01f_01io->b01f, feature_group_count=2";
    assertNone(layer("f32[2,9,9,6]", "f32[3,3,3,8]", "f32[8]", "f32[2,7,7,8]", grouped));
    assertNone(dense("f32", 0, 7, 13));
    String narrow = "dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}";
    assertNone(layer("bf16[7,8]", "bf16[8,9]", "bf16[9]", "bf16[7,9]", narrow));
    assertNone(layer("f32[7,8]", "f32[8,9,4]", "f32[4]", "f32[7,9,4]", narrow));
  }

  private static void assertNone(String text) {
    assertThat(kernel(Parser.parse(text).entry().root()).kernel()).isEmpty();
  }

  /** A sort of the total order tells NaNs apart; those of a product are quiet and positive. */
  @Test
  void nanBitsThatAreObserved() {
    HloModule module =
        Parser.parse(
            """
            HloModule m
            less {
              a = f32[] parameter(0)
              b = f32[] parameter(1)
              ROOT r = pred[] compare(a, b), direction=LT, type=TOTALORDER
            }
            ENTRY main {
              x = f32[16,16] parameter(0)
              w = f32[16,16] parameter(1)
              p = pred[16,16] parameter(2)
              d = f32[16,16] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
              zero = f32[] constant(0)
              zeros = f32[16,16] broadcast(zero), dimensions={}
              s = f32[16,16] select(p, d, zeros)
              t = f32[16,16] sort(s), dimensions={1}, to_apply=less
              ROOT r = s32[16,16] bitcast-convert(t)
            }
            """);
    Shape.Array matrix = Shape.of(ElementType.F32, 16, 16);
    Evaluators.both()
        .run(
            module,
            Literal.full(matrix, Float.POSITIVE_INFINITY),
            Literal.zeros(matrix),
            Literal.full(matrix.withElementType(ElementType.PRED), true));
  }
}
