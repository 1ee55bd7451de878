package org.hlo4j.interpreter.compiled.gemm;

import static com.google.common.truth.Truth.assertThat;

import java.lang.reflect.Array;
import org.hlo4j.interpreter.compiled.tiering.WarmupInput;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class MicroKernelsTest {
  /** What runs beyond its arrays in practice is never ready. */
  @ParameterizedTest
  @CsvSource({"2, 2", "4, 2", "8, 2", "8, 4", "16, 4"})
  void warmupHasRoomForAllIterations(int lanes, int vectors) {
    MicroKernelShape tile =
        new MicroKernelShape(AccumulatorType.F32, lanes, 5, vectors, 1, true, 0, 1);
    MicroKernelShape byLanes =
        new MicroKernelShape(AccumulatorType.F32, lanes, 8, vectors, 16, true, 16, 1);
    MicroKernelShape ofRows =
        new MicroKernelShape(AccumulatorType.F32, lanes, 2, vectors, 32, true, 4 * 32, 4);
    for (MicroKernelShape form :
        new MicroKernelShape[] {tile, tile.unpacked(), tile.copier(), byLanes, ofRows}) {
      MicroKernels.warmup(form).call(reaching(form), WarmupInput.ITERATIONS);
    }
  }

  /** Reads nothing, but tells whether what is read and written last is there. */
  private static MicroKernel reaching(MicroKernelShape form) {
    return (a, aStart, aStride, b, bStart, c, cStart, cStride, steps, add) -> {
      int last = form.width() - 1;
      int ofA =
          form.copies()
              ? (steps - 1) * aStride + last
              : (form.rows() - 1) * aStride + (steps - 1) * form.stepStride();
      int rowsOfC = form.copies() ? steps : form.rows() * form.columns();
      int ofC = (rowsOfC - 1) * cStride + last;
      assertThat(aStart + ofA).isLessThan(Array.getLength(a));
      assertThat(cStart + ofC).isLessThan(Array.getLength(c));
      if (!form.copies()) {
        int apart = form.isLanewise() ? form.laneStride() : form.width();
        int ofLast = (form.columns() - 1) * (form.laneStride() / form.columns()) + last;
        assertThat(bStart + (steps - 1) * apart + ofLast).isLessThan(Array.getLength(b));
      }
    };
  }
}
