package org.hlo4j.interpreter.ops;

import static org.hlo4j.hlo.ElementType.F16;
import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.ElementType.F64;
import static org.hlo4j.testing.LiteralSubject.assertThat;

import com.google.common.base.Splitter;
import java.util.Random;
import java.util.function.Function;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.interpreter.agreement.Evaluators;
import org.hlo4j.interpreter.compiled.KernelTester;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BatchNormTest {
  private static final double[][] X = {{1, 10}, {3, 30}};

  private static Literal run(Function<XlaBuilder, XlaOp> program) {
    XlaBuilder b = new XlaBuilder("norm");
    return Evaluators.both().run(b.build(program.apply(b)));
  }

  private static XlaOp vector(XlaBuilder b, double... values) {
    return b.constant(values);
  }

  @Test
  void training() {
    Literal result =
        run(b -> b.constant(X).batchNormTraining(vector(b, 1, 2), vector(b, 0, 5), 3, 1));
    double deviation = Math.sqrt(103);
    assertThat(result.element(0))
        .holds(new double[][] {{-.5, -10 / deviation * 2 + 5}, {.5, 10 / deviation * 2 + 5}});
    assertThat(result.element(1)).holds(new double[] {2, 20});
    assertThat(result.element(2)).holds(new double[] {1, 100});
  }

  @Test
  void theFeatureDimensionMayBeAny() {
    Literal result =
        run(b -> b.constant(X).batchNormTraining(vector(b, 1, 1), vector(b, 0, 0), 0, 0));
    assertThat(result.element(0)).holds(new double[][] {{-1, 1}, {-1, 1}});
    assertThat(result.element(1)).holds(new double[] {5.5, 16.5});
    assertThat(result.element(2)).holds(new double[] {20.25, 182.25});
  }

  @Test
  void narrowTypesRoundOnce() {
    Literal result =
        run(b -> {
          XlaOp x = b.constant(F16, new float[][] {{2048}, {2050}, {2050}});
          XlaOp one = b.constant(F16, new float[] {1});
          return x.batchNormTraining(one, b.constant(F16, new float[] {0}), 0, 1);
        });
    assertThat(result.element(1)).holds(new float[] {2050});
    assertThat(result.element(2)).isEqualTo(Literal.of(F16, new double[] {8 / 9.}));
    assertThat(result.element(0))
        .isEqualTo(
            Literal.of(F16, new double[][] {{-Math.sqrt(2)}, {Math.sqrt(.5)}, {Math.sqrt(.5)}}));
  }

  @Test
  void inference() {
    assertThat(
            run(b ->
                b.constant(X)
                    .batchNormInference(
                        vector(b, 2, 3),
                        vector(b, 1, 0),
                        vector(b, 1, 10),
                        vector(b, 3, 99),
                        1,
                        1)))
        .holds(new double[][] {{1, 0}, {3, 6}});
  }

  @Test
  void epsilonIsOfTheOperandsType() {
    assertThat(
            run(b -> {
              XlaOp zero = b.constant(F64, new double[] {0});
              XlaOp one = b.constant(F64, new double[] {1});
              return one.batchNormInference(one, zero, zero, zero, 1e-10f, 0);
            }))
        .holds(new double[] {1 / Math.sqrt(1e-10f)});
  }

  @Test
  void grad() {
    Literal result =
        run(b ->
            b.constant(X)
                .batchNormGrad(
                    vector(b, 2, 1),
                    vector(b, 2, 20),
                    vector(b, 1, 100),
                    b.constant(new double[][] {{1, 0}, {2, 4}}),
                    3,
                    1));
    // Feature 0: centered -1, 1; sum of gradients 3; covered 1; variance 4.
    assertThat(result.element(1)).holds(new double[] {.5, 40 / Math.sqrt(103)});
    assertThat(result.element(2)).holds(new double[] {3, 4});
    double factor = 1 / Math.sqrt(103) / 2;
    assertThat(result.element(0))
        .holds(
            new double[][] {
              {.5 * (2 - 3 + .25), factor * (0 - 4 + 10 * 40 / 103.)},
              {.5 * (4 - 3 - .25), factor * (8 - 4 - 10 * 40 / 103.)}
            });
  }

  @Test
  void zeroSizes() {
    Literal result =
        run(b -> {
          XlaOp one = b.constant(new float[] {1});
          return b.zeros(Shape.of(F32, 0, 1)).batchNormTraining(one, one, 0, 1);
        });
    assertThat(result.element(0)).hasShape(Shape.of(F32, 0, 1));
    assertThat(result.element(1)).holds(new float[] {Float.NaN});
    assertThat(
            run(
                    b -> {
                      XlaOp none = b.zeros(Shape.of(F32, 0));
                      return b.zeros(Shape.of(F32, 3, 0)).batchNormTraining(none, none, 0, 1);
                    })
                .element(2))
        .hasShape(Shape.of(F32, 0));
  }

  /** Shape of the operand, its feature dimension, and the size of that. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "f32[4,7,5] 2 5",
        "f32[4,7,5] 1 7",
        "f32[4,7,5] 0 4",
        "bf16[6,3] 1 3",
        "f64[0,3] 1 3",
        "f32[3,0] 1 0",
        "f64[7] 0 7",
        "f32[300,130] 1 130",
        "f32[20,40,60] 1 40"
      })
  void expandedAsTheReferenceComputes(String row) {
    String[] columns = Splitter.on(' ').splitToList(row).toArray(String[]::new);
    String operand = columns[0];
    String vector = operand.replaceFirst("\\[.*", "[" + columns[2] + "]");
    String attributes = ", epsilon=0.01, feature_index=" + columns[1];
    String three = "(" + operand + ", " + vector + ", " + vector + ")";
    check(three, "batch-norm-training(p0, p1, p2)" + attributes, operand, vector, vector);
    check(
        operand,
        "batch-norm-inference(p0, p1, p2, p3, p4)" + attributes,
        operand,
        vector,
        vector,
        vector,
        vector);
    check(
        three,
        "batch-norm-grad(p0, p1, p2, p3, p4)" + attributes,
        operand,
        vector,
        vector,
        vector,
        operand);
  }

  private static void check(String shape, String op, String... parameters) {
    HloModule module = KernelTester.module("", shape, op, parameters);
    Evaluators.both().run(module, KernelTester.Values.UP_TO_ONE.arguments(module, new Random(1)));
  }
}
