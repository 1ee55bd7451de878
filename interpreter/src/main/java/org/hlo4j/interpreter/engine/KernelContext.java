package org.hlo4j.interpreter.engine;

import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;

/** What a kernel may use while it runs. */
public interface KernelContext {
  /**
   * Storage for an array of the result, as {@link Literal#unsafeStorage} has it, long enough: it
   * may have room for more elements, as may the storage of an operand. To be asked for once for
   * each array of the result, in order, and for nothing else: it may be where an operand lies.
   *
   * @param shape the shape of the result
   * @return the storage; its elements are undefined and all have to be written
   */
  Object allocate(Shape.Array shape);

  /**
   * The result of a computation.
   *
   * @param computation one that the instruction calls
   * @param arguments values of its parameters' shapes
   * @return its result
   */
  Literal call(HloComputation computation, Literal... arguments);

  /**
   * The threads that share the work.
   *
   * @return the threads
   */
  Workers workers();

  /** Stops a run that is interrupted or late; called now and then by long loops. */
  void checkLimits();

  /**
   * As {@link #checkLimits()}, by loops whose iterations count as steps of the run.
   *
   * @param iterations how many there were since the last time
   */
  default void checkLimits(int iterations) {
    checkLimits();
  }
}
