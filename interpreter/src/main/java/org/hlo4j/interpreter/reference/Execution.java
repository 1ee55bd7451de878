package org.hlo4j.interpreter.reference;

import java.util.List;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Transfers;

/** The run that an instruction is evaluated in: what it may call and what it is given. */
interface Execution {
  /** The result of a computation on arguments of its parameters' shapes. */
  Literal call(HloComputation computation, List<Literal> arguments);

  /** What the user gave to the run. */
  EvaluatorOptions options();

  /** The device that runs this. */
  Device device();

  /** The module that is run. */
  HloModule module();

  /** Where the run stands in its random numbers. */
  RandomState random();

  /** Stops a run that is interrupted or late; called now and then by long loops. */
  void checkLimits();

  /** The queues between the run and the world outside. */
  Transfers transfers();
}
