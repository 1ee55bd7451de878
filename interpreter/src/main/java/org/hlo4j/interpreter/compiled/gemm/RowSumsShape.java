package org.hlo4j.interpreter.compiled.gemm;

import org.hlo4j.interpreter.compiled.tiering.WarmupInput;

/**
 * The parameters of a {@link RowSums}.
 *
 * @param accumulatorType the type of the elements
 * @param lanes the number of elements of a vector
 * @param hasColumn whether rows are multiplied with a column; if not, they have {@link Gemv#LANES}
 *     elements
 */
record RowSumsShape(AccumulatorType accumulatorType, int lanes, boolean hasColumn)
    implements MicroKernels.Shape<RowSums> {
  /** The number of iterations for each row in the warm-up. */
  private static final int ITERATIONS = 2;

  /** {@return the last argument of {@link RowSums#run}} */
  Object order() {
    return RowSumsCode.order(accumulatorType, lanes);
  }

  @Override
  public RowSums generate() {
    return RowSumsCode.generate(this);
  }

  @Override
  public WarmupInput<RowSums> warmup() {
    MatrixCopies copies = MatrixCopies.of(accumulatorType);
    int steps = ITERATIONS * Gemv.LANES;
    int rows = WarmupInput.ITERATIONS * lanes;
    Object a = copies.allocate(rows * steps);
    Object b = copies.allocate(steps);
    Object to = copies.allocate(rows);
    Object order = order();
    return (sums, iterations) -> {
      int count = iterations > 0 ? iterations : iterations - 1;
      sums.run(a, 0, steps, b, 0, ITERATIONS, to, 0, count, order);
    };
  }
}
