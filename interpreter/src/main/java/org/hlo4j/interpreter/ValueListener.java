package org.hlo4j.interpreter;

import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloInstruction;

/**
 * Is told the value of every instruction as it is evaluated; given to a run by {@link
 * EvaluatorOptions.Builder#valueListener}. For traces, and for finding where values go wrong.
 *
 * <p>Instructions come in the order of evaluation: those of a called computation before the
 * instruction that calls it, those of a loop's body each time. Instructions of a computation that
 * an op applies element by element, such as {@code to_apply} of a reduce, are told only where the
 * evaluator does not compute them some other way. An instruction that fails is not told.
 */
@FunctionalInterface
public interface ValueListener {
  /**
   * Takes note of a value. Called by the thread that runs the device, so that with several devices
   * several calls may be under way at once. What it throws ends the run.
   *
   * @param device the number of the device, 0 if there is only one
   * @param instruction the instruction
   * @param value its value, of its shape
   */
  void onValue(int device, HloInstruction instruction, Literal value);
}
