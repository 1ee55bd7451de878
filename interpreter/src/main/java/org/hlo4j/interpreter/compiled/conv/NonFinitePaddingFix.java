package org.hlo4j.interpreter.compiled.conv;

import org.hlo4j.interpreter.compiled.gemm.Epilogue;
import org.hlo4j.interpreter.compiled.gemm.GemmAlgorithm;
import org.hlo4j.interpreter.engine.KernelContext;

/**
 * A product of a padded image, corrected where padding times an infinity or a NaN of the kernel
 * spoils a sum: see {@link PaddedPositions}.
 */
final class NonFinitePaddingFix implements GemmAlgorithm {
  private final GemmAlgorithm multiplication;
  private final PaddedPositions places;

  NonFinitePaddingFix(GemmAlgorithm multiplication, PaddedPositions places) {
    this.multiplication = multiplication;
    this.places = places;
  }

  @Override
  public void run(Object a, Object b, Object c, KernelContext context, Epilogue finish) {
    if (hasRows()) {
      multiplication.run(a, b, c, context, places.before(finish, a, b, c));
    } else {
      multiplication.run(a, b, c, context, finish);
      places.mend(a, b, c, context);
    }
  }

  @Override
  public boolean hasRows() {
    return multiplication.hasRows();
  }

  @Override
  public int columns() {
    return multiplication.columns();
  }

  @Override
  public String toString() {
    return multiplication.toString();
  }
}
