package org.hlo4j.interpreter.compiled.conv;

import org.hlo4j.interpreter.compiled.gemm.Epilogue;
import org.hlo4j.interpreter.compiled.gemm.GemmAlgorithm;
import org.hlo4j.interpreter.engine.KernelContext;

/**
 * A product of a padded image, corrected where padding times an infinity or a NaN of the kernel
 * spoils a sum: see {@link PaddedPositions}.
 */
final class NonFinitePaddingFix implements GemmAlgorithm {
  private final GemmAlgorithm algorithm;
  private final PaddedPositions positions;

  NonFinitePaddingFix(GemmAlgorithm algorithm, PaddedPositions positions) {
    this.algorithm = algorithm;
    this.positions = positions;
  }

  @Override
  public void warmUp() {
    algorithm.warmUp();
  }

  @Override
  public void run(Object a, Object b, Object c, KernelContext context, Epilogue epilogue) {
    if (hasContiguousRows()) {
      algorithm.run(a, b, c, context, positions.correctBefore(epilogue, a, b, c));
    } else {
      algorithm.run(a, b, c, context, epilogue);
      positions.correct(a, b, c, context);
    }
  }

  /** The positions are corrected with elements of the right side, which is read in each run. */
  @Override
  public GemmAlgorithm withFixedRight() {
    return new NonFinitePaddingFix(algorithm.withFixedRight(), positions);
  }

  @Override
  public long keptBytes() {
    return algorithm.keptBytes();
  }

  @Override
  public boolean hasContiguousRows() {
    return algorithm.hasContiguousRows();
  }

  @Override
  public int columns() {
    return algorithm.columns();
  }

  @Override
  public String toString() {
    return algorithm.toString();
  }
}
