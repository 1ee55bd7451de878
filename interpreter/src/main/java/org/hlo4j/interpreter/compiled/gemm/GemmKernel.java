package org.hlo4j.interpreter.compiled.gemm;

import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.engine.Kernel;
import org.hlo4j.interpreter.engine.KernelContext;

/** A kernel of a dot or convolution that can run an epilogue on its result. */
public interface GemmKernel extends Kernel {
  /** {@return whether the last dimension of a shape has {@code columns} elements} */
  static boolean hasRowLength(Shape.Array shape, int columns) {
    int rank = shape.sizes().count();
    return rank > 0 && shape.sizes().get(rank - 1) == columns;
  }

  /**
   * {@return whether an epilogue is possible: the kernel computes whole elements of the result
   * type, in rows of the last dimension}
   */
  boolean supportsEpilogue();

  /** Stores all elements in the result and runs an epilogue. Requires {@link #supportsEpilogue}. */
  void run(Literal[] operands, Object result, KernelContext context, Epilogue epilogue);
}
