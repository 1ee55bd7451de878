package org.hlo4j.interpreter.compiled.gemm;

import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.engine.Kernel;
import org.hlo4j.interpreter.engine.KernelContext;

/** A dot or convolution, something else of which may follow upon. */
public interface GemmKernel extends Kernel {
  /** Whether the last dimension is so long. */
  static boolean isOfRows(Shape.Array shape, int columns) {
    int rank = shape.sizes().count();
    return rank > 0 && shape.sizes().get(rank - 1) == columns;
  }

  /** Whether it computes whole elements of the result's type, in rows of its last dimension. */
  boolean takesFinish();

  /** Stores all elements in the result; for one that takes a finish. */
  void run(Literal[] operands, Object result, KernelContext context, Epilogue finish);
}
