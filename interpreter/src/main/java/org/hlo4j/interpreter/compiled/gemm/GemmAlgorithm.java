package org.hlo4j.interpreter.compiled.gemm;

import org.hlo4j.interpreter.engine.KernelContext;

/** What computes a {@link GemmProblem}. */
public interface GemmAlgorithm {
  /** Stores all elements of the result in c. */
  void run(Object a, Object b, Object c, KernelContext context, Epilogue finish);

  /** Whether the left side is taken as its own type has it, and widened where it is read. */
  default boolean widensLeft() {
    return false;
  }

  /** The same of the right side; asked before each run. */
  default boolean widensRight() {
    return false;
  }

  /** Whether the result is stored in rows one after the other, as a finish wants them. */
  boolean hasRows();

  /** How long a row is. */
  int columns();
}
