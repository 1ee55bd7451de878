package org.hlo4j.interpreter.compiled.gemm;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.reflect.Array;
import java.util.List;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.compiled.tiering.WarmupInput;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class MicroKernelsTest {
  /** A micro-kernel that runs beyond its arrays during warm-up never becomes ready. */
  @ParameterizedTest
  @CsvSource({"2, 2", "4, 2", "8, 2", "8, 4", "16, 4"})
  void warmupArraysFitAllIterations(int lanes, int vectors) {
    MicroKernelShape microKernel =
        new MicroKernelShape(AccumulatorType.F32, lanes, 5, vectors, 0, 1, true);
    MicroKernelShape inPlace =
        new MicroKernelShape(AccumulatorType.F32, lanes, 5, vectors, 0, 0, false);
    MicroKernelShape fixed =
        new MicroKernelShape(AccumulatorType.F32, lanes, 6, vectors, 1040, 1, true);
    MicroKernelShape steps =
        new MicroKernelShape(AccumulatorType.F32, lanes, 6, vectors, 1, 112, true);
    for (MicroKernelShape shape : List.of(microKernel, inPlace, fixed, steps)) {
      shape.warmup().call(boundsChecker(shape), WarmupInput.ITERATIONS);
    }
  }

  /** Pixels, taps, stride, dilation, and the columns in the image. */
  @ParameterizedTest
  @CsvSource({
    "F32, 14, 3, 1, 1, 0, 16",
    "F32, 14, 7, 64, 63, 0, 1211",
    "F32, 6, 16, 4, 3, 0, 66",
    "I32, 7, 7, 64, 63, 0, 763",
    "I32, 3, 16, 64, 63, 0, 1074",
    "F32, 7, 3, 2, 1, 1, 14",
    "F32, 1, 2, 1, 1, 2, 2",
    "I32, 14, 1, 1, 1, 0, 14",
    "F32, 1, 1, 0, 1, 0, 1"
  })
  void warmupArraysFitDepthwiseKernels(
      AccumulatorType type, int pixels, int taps, int stride, int dilation, int before, int end) {
    assumeTrue(Machine.isVectorApiOn(), "needs the Vector API");
    DepthwiseShape shape = new DepthwiseShape(type, 4, pixels, taps, stride, dilation, before, end);
    DepthwiseKernel kernel = shape.generate();
    for (int i = 1; i <= WarmupInput.ITERATIONS; i++) {
      shape.warmup().call(kernel, i);
    }
  }

  /** Strides are arguments, so that the next product need not wait for a class of its own. */
  @Test
  void productsOfOtherStridesShareMicroKernels() {
    assumeTrue(Machine.isVectorApiOn(), "needs the Vector API");
    boolean _ = transposed(40).isReady(1);
    boolean _ = depthwise(80).isReady();
    MicroKernels.await();

    assertThat(transposed(41).isReady(1)).isTrue();
    assertThat(depthwise(96).isReady()).isTrue();
  }

  private static MicroKernelSet transposed(int stride) {
    GemmConfig config = GemmConfig.dot(AccumulatorType.F32, product(stride), null, null);
    GemmPlan plan = GemmPlanner.choose(config, Machine.vectorBits());
    return new MicroKernelSet(config, plan);
  }

  private static DepthwiseGemm depthwise(int stride) {
    GemmConfig config =
        GemmConfig.convolution(
            AccumulatorType.F32, product(stride), product(stride), true, ImageBorder.NONE);
    return new DepthwiseGemm(config, GemmPlanner.choose(config, Machine.vectorBits()));
  }

  /** {@return a product of 12 rows, 32 steps with a stride in a, and 64 columns} */
  private static GemmProblem product(int stride) {
    DimensionOffsets single = DimensionOffsets.strided(1, 0);
    DimensionOffsets columns = DimensionOffsets.strided(64, 1);
    return new GemmProblem(
        single,
        DimensionOffsets.strided(12, 1),
        DimensionOffsets.strided(32, stride),
        single,
        DimensionOffsets.strided(32, 64),
        columns,
        single,
        DimensionOffsets.strided(12, 64),
        columns);
  }

  /** {@return a micro-kernel that only checks that its last accesses are within its arrays} */
  private static MicroKernel boundsChecker(MicroKernelShape shape) {
    return (a, aStart, aStride, aStep, b, bStart, bStride, c, cStart, cStride, steps, add) -> {
      int last = shape.width() - 1;
      int ofA = (shape.rows() - 1) * aStride + (steps - 1) * aStep;
      int ofC = (shape.rows() - 1) * cStride + last;
      assertThat(aStart + ofA).isLessThan(Array.getLength(a));
      assertThat(cStart + ofC).isLessThan(Array.getLength(c));
      assertThat(bStart + (steps - 1) * bStride + last).isLessThan(Array.getLength(b));
    };
  }
}
