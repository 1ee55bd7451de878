package org.hlo4j.interpreter.engine;

import java.util.List;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.interpreter.EvaluatorOptions;

/** The run that an instruction is evaluated in: what it may call and what it is given. */
public interface Execution extends KernelContext {
  /** The result of a computation on arguments of its parameters' shapes. */
  Literal call(HloComputation computation, List<Literal> arguments);

  /**
   * The result of a computation on arguments of its parameters' shapes, some arrays of which may be
   * overwritten.
   *
   * @param given for each array of the arguments, in order, whether nobody else needs it; empty for
   *     none
   */
  Literal call(HloComputation computation, boolean[] given, Literal... arguments);

  /** For each array of a computation's result whether it is made anew at each call; or empty. */
  boolean[] freshResults(HloComputation computation);

  /** The module that is run. */
  HloModule module();

  /** What the user gave to the run. */
  EvaluatorOptions options();

  /** The device that runs this. */
  Device device();

  /** Where the run stands in its random numbers. */
  RandomState random();

  /** The queues between the run and the world outside. */
  TransferQueues transfers();
}
