package org.hlo4j.interpreter.engine;

import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;

/** The services that a kernel may use while it runs: storage, calls, and threads. */
public interface KernelContext {
  /**
   * Returns storage for an array of the result, in the form of {@link Literal#unsafeStorage}. It
   * may be longer than needed, as may the storage of an operand. A kernel calls this once for each
   * array of its result, in order, and for nothing else, because the storage may be that of an
   * operand.
   *
   * @param shape the shape of the array
   * @return the storage; its elements are undefined and all have to be written
   */
  Object allocate(Shape.Array shape);

  /**
   * Calls a computation. Only the thread that runs the kernel may call, not a worker: a run has one
   * frame.
   *
   * @param computation one that the instruction calls
   * @param arguments values of its parameters' shapes
   * @return its result
   */
  Literal call(HloComputation computation, Literal... arguments);

  /**
   * Returns the worker threads that share the work.
   *
   * @return the threads
   */
  Workers workers();

  /**
   * Throws if memory that a kernel needs beside its operands and results would exceed the limit on
   * bytes, together with the values that are alive. Called before the memory is allocated.
   *
   * @param bytes the number of bytes
   * @param purpose what they are for
   */
  default void requireMemory(long bytes, String purpose) {}

  /**
   * Counts iterations of a generated loop as steps of the run, and asks for its limits as {@link
   * Pieces} does for other loops: generated code calls this after each piece of its iterations.
   *
   * @param iterations the number of iterations since the last call
   */
  default void afterIterations(int iterations) {
    Limits.checkCurrent();
  }
}
