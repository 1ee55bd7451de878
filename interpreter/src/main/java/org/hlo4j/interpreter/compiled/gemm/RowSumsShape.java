package org.hlo4j.interpreter.compiled.gemm;

import org.hlo4j.interpreter.compiled.codegen.HiddenClasses;
import org.hlo4j.interpreter.compiled.tiering.WarmupInput;

/**
 * The parameters of generated {@link RowSums}.
 *
 * @param accumulatorType the type of the elements
 * @param lanes the number of elements of a vector
 * @param group the number of rows whose sums are stored as a vector: its lanes, or the number of
 *     all rows if they are fewer
 * @param rows the number of rows at a time, whose partial sums are in registers
 */
record RowSumsShape(AccumulatorType accumulatorType, int lanes, int group, int rows)
    implements MicroKernels.Shape<RowSums> {
  /** The steps of each row in the warm-up. */
  private static final int STEPS = 2 * Gemv.LANES;

  @Override
  public RowSums generate() {
    return HiddenClasses.instance(
        RowSums.class, "RowSums" + accumulatorType, code -> new RowSumsCode(this, code).emit());
  }

  @Override
  public WarmupInput<RowSums> warmup() {
    MatrixCopies copies = MatrixCopies.of(accumulatorType);
    Object[] arrays = {
      copies.allocate(STEPS),
      copies.allocate(STEPS),
      copies.allocate(WarmupInput.ITERATIONS * lanes)
    };
    return (sums, iterations) -> {
      int rows = iterations > 0 ? iterations * lanes : iterations;
      sums.run(arrays, 0, 0, 0, STEPS, 0, 0, rows);
    };
  }
}
