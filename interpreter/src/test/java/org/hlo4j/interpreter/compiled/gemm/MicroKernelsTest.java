package org.hlo4j.interpreter.compiled.gemm;

import static com.google.common.truth.Truth.assertThat;

import java.lang.reflect.Array;
import org.hlo4j.interpreter.compiled.tiering.WarmupInput;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class MicroKernelsTest {
  /** A micro-kernel that runs beyond its arrays during warm-up never becomes ready. */
  @ParameterizedTest
  @CsvSource({"2, 2", "4, 2", "8, 2", "8, 4", "16, 4"})
  void warmupArraysFitAllIterations(int lanes, int vectors) {
    MicroKernelShape microKernel =
        new MicroKernelShape(AccumulatorType.F32, lanes, 5, vectors, 1, true, 0, 1);
    MicroKernelShape byLanes =
        new MicroKernelShape(AccumulatorType.F32, lanes, 8, vectors, 16, true, 16, 1);
    MicroKernelShape ofRows =
        new MicroKernelShape(AccumulatorType.F32, lanes, 2, vectors, 32, true, 4 * 32, 4);
    for (MicroKernelShape shape :
        new MicroKernelShape[] {
          microKernel, microKernel.unpacked(), microKernel.copier(), byLanes, ofRows
        }) {
      MicroKernels.warmup(shape).call(boundsChecker(shape), WarmupInput.ITERATIONS);
    }
  }

  /** {@return a micro-kernel that only checks that its last accesses are within its arrays} */
  private static MicroKernel boundsChecker(MicroKernelShape shape) {
    return (a, aStart, aStride, b, bStart, c, cStart, cStride, steps, add) -> {
      int last = shape.width() - 1;
      int ofA =
          shape.isCopy()
              ? (steps - 1) * aStride + last
              : (shape.rows() - 1) * aStride + (steps - 1) * shape.stepStride();
      int rowsOfC = shape.isCopy() ? steps : shape.rows() * shape.columns();
      int ofC = (rowsOfC - 1) * cStride + last;
      assertThat(aStart + ofA).isLessThan(Array.getLength(a));
      assertThat(cStart + ofC).isLessThan(Array.getLength(c));
      if (!shape.isCopy()) {
        int stride = shape.isLanewise() ? shape.laneStride() : shape.width();
        int ofLast = (shape.columns() - 1) * (shape.laneStride() / shape.columns()) + last;
        assertThat(bStart + (steps - 1) * stride + ofLast).isLessThan(Array.getLength(b));
      }
    };
  }
}
