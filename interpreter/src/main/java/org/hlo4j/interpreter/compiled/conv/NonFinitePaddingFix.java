package org.hlo4j.interpreter.compiled.conv;

import org.hlo4j.interpreter.compiled.gemm.Epilogue;
import org.hlo4j.interpreter.compiled.gemm.FixedRhs;
import org.hlo4j.interpreter.compiled.gemm.GemmAlgorithm;
import org.hlo4j.interpreter.engine.KeptForms;
import org.hlo4j.interpreter.engine.KernelContext;
import org.jspecify.annotations.Nullable;

/**
 * A product of a padded image, corrected where padding times an infinity or a NaN of the kernel
 * spoils a sum: see {@link PaddedPositions}.
 *
 * @param algorithm multiplies the padded image
 * @param positions those to correct
 */
record NonFinitePaddingFix(GemmAlgorithm algorithm, PaddedPositions positions)
    implements GemmAlgorithm {
  @Override
  public void warmUp() {
    algorithm.warmUp();
  }

  @Override
  public void run(Object a, Object b, Object c, KernelContext context, Epilogue epilogue) {
    @Nullable Object packed = packedRight();
    Object right = packed == null ? b : packed;
    if (hasContiguousRows()) {
      algorithm.run(a, b, c, context, positions.correctBefore(epilogue, a, right, c));
    } else {
      algorithm.run(a, b, c, context, epilogue);
      positions.correct(a, right, c, context);
    }
  }

  @Override
  public GemmAlgorithm withFixedRight(KeptForms forms) {
    return new NonFinitePaddingFix(algorithm.withFixedRight(forms), positions);
  }

  @Override
  public @Nullable FixedRhs packedRight() {
    return algorithm.packedRight();
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
