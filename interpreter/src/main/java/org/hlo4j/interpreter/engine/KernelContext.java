package org.hlo4j.interpreter.engine;

import java.util.function.Supplier;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
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
   * Counts memory that a kernel is about to allocate beside its operands and results, on all
   * threads together. Like the other methods for memory, it is called by the thread that runs the
   * kernel.
   *
   * @param bytes the number of bytes
   * @param purpose says what they are for
   * @throws org.hlo4j.hlo.HloException if they would exceed the limit on bytes, together with what
   *     is alive
   */
  default void reserve(long bytes, Supplier<String> purpose) {}

  /**
   * Counts memory no longer that the kernel has let go of. After an exception the run is over, and
   * nothing needs to be unreserved.
   *
   * @param bytes the number of bytes that were reserved
   */
  default void unreserve(long bytes) {}

  /**
   * Does some work while memory for it is counted.
   *
   * @param bytes the number of bytes
   * @param purpose says what they are for
   * @param work the work
   * @throws org.hlo4j.hlo.HloException if they would exceed the limit on bytes
   */
  default void reserving(long bytes, Supplier<String> purpose, Runnable work) {
    reserve(bytes, purpose);
    work.run();
    unreserve(bytes);
  }

  /**
   * Returns storage for an array that a kernel needs while it runs. It is counted until {@link
   * #giveBack}, and used again by other kernels and later runs.
   *
   * @param shape the shape of the array
   * @param purpose what it is for
   * @return the storage, which may be longer than needed; its elements are undefined
   * @throws org.hlo4j.hlo.HloException if it would exceed the limit on bytes
   */
  default Object borrow(Shape.Array shape, String purpose) {
    reserve(Liveness.bytes(shape), () -> purpose);
    return LiteralBuilder.newStorage(shape);
  }

  /**
   * Gives back storage that was borrowed.
   *
   * @param shape the shape for which it was borrowed
   * @param storage the storage
   */
  default void giveBack(Shape.Array shape, Object storage) {
    unreserve(Liveness.bytes(shape));
  }

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
