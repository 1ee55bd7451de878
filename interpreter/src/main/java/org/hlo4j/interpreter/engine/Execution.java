package org.hlo4j.interpreter.engine;

import java.util.List;
import java.util.function.Supplier;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.interpreter.EvaluatorOptions;

/**
 * The run in which an instruction is evaluated: its module, options, device and state, and calls of
 * other computations.
 */
public interface Execution extends KernelContext {
  /** Returns the result of a computation on arguments of its parameters' shapes. */
  Literal call(HloComputation computation, List<Literal> arguments);

  /**
   * Returns the result of a computation on arguments of its parameters' shapes, some arrays of
   * which may be overwritten.
   *
   * @param donated for each array of the arguments, in order, whether the callee may overwrite it
   *     since nobody else needs it; empty if none may be overwritten
   */
  Literal call(HloComputation computation, boolean[] donated, Literal... arguments);

  /**
   * Returns the result of a computation that is not part of the module but computes a part of one
   * of its instructions, such as a sum over devices. Listeners are not told of its values.
   *
   * @param key what the computation is; computations of equal keys are the same
   * @param making makes the computation if there is none for the key yet
   * @param donated for each array of the arguments, in order, whether it may be overwritten
   */
  Literal compute(
      Object key, Supplier<HloComputation> making, boolean[] donated, Literal... arguments);

  /**
   * Returns, for each array of a computation's result, whether every call allocates it anew; or an
   * empty array if none is known to be.
   */
  boolean[] freshResults(HloComputation computation);

  /**
   * Asks whether the run is interrupted or past its deadline. The reference evaluator does so after
   * some elements; kernels leave it to {@link Pieces}.
   */
  default void checkLimits() {
    Limits.checkCurrent();
  }

  /** Returns the module that is run. */
  HloModule module();

  /** Returns the options that the user gave. */
  EvaluatorOptions options();

  /** Returns the device that executes this run. */
  Device device();

  /** Returns the state of the random number generator. */
  RandomState random();

  /** Returns the arrays that those with bounded sizes were cut from. */
  WholeArrays wholeArrays();

  /**
   * Returns a value that is about to leave the run, with copies of the arrays that are arguments of
   * the run: their owner may write to them afterwards.
   */
  Literal detached(Literal value);

  /** Returns the queues for infeed, outfeed, send and receive. */
  TransferQueues transfers();
}
