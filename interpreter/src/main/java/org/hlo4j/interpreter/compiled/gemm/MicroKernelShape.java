package org.hlo4j.interpreter.compiled.gemm;

import org.hlo4j.interpreter.compiled.tiering.WarmupInput;

/**
 * The parameters of a micro-kernel. Each combination has a generated class of its own.
 *
 * @param accumulatorType the type of the elements
 * @param lanes the number of elements of a vector
 * @param rows the number of rows of a
 * @param vectors the number of vectors of a row of the panel
 * @param rowStride the stride of the rows of a; 0 if it is an argument
 * @param stepStride the stride of the elements of a row of a; 0 if it is an argument
 * @param isPacked whether the rows of b are stored one after another; otherwise their stride is an
 *     argument
 */
record MicroKernelShape(
    AccumulatorType accumulatorType,
    int lanes,
    int rows,
    int vectors,
    int rowStride,
    int stepStride,
    boolean isPacked)
    implements MicroKernels.Shape<MicroKernel> {
  /** {@return the width of the panel} */
  int width() {
    return vectors * lanes;
  }

  /** {@return the number of accumulators, each of a vector} */
  int accumulatorCount() {
    return rows * vectors;
  }

  /** {@return the shape with other numbers of rows and vectors} */
  MicroKernelShape withRowsAndVectors(int rows, int vectors) {
    return new MicroKernelShape(
        accumulatorType, lanes, rows, vectors, rowStride, stepStride, isPacked);
  }

  @Override
  public MicroKernel generate() {
    return MicroKernelCode.generate(this);
  }

  /** {@return the input of the warm-up} Its stride of rows of a is the number of iterations. */
  @Override
  public WarmupInput<MicroKernel> warmup() {
    MatrixCopies copies = MatrixCopies.of(accumulatorType);
    int width = width();
    int maxSteps = WarmupInput.ITERATIONS;
    int aStep = stepStride == 0 ? width : stepStride;
    int aStride = rowStride == 0 ? maxSteps : rowStride;
    Object a = copies.allocate(rows * aStride + maxSteps * aStep + width);
    Object b = copies.allocate((maxSteps + 1) * width);
    Object c = copies.allocate(rows * width);
    return (microKernel, iterations) -> {
      int steps = iterations > 0 ? iterations : iterations - 1;
      microKernel.run(a, 0, aStride, aStep, b, 0, width, c, 0, width, steps, steps % 2 == 0);
    };
  }
}
