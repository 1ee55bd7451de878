package org.hlo4j.interpreter;

import java.util.List;
import java.util.function.Function;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloInstruction;

/**
 * A listener that receives the value of every instruction as it is evaluated, for traces and for
 * finding where values go wrong, and may replace them, to ask what a program would give then. It is
 * given to a run by {@link EvaluatorOptions.Builder#valueListener}.
 *
 * <p>Instructions are reported in the order of evaluation: those of a called computation before the
 * instruction that calls it, those of a loop's body in each iteration. Instructions of a
 * computation that an op applies element by element, such as {@code to_apply} of a reduce, are
 * reported only where the evaluator does not compute them in another way. An instruction that fails
 * is not reported.
 */
@FunctionalInterface
public interface ValueListener {
  /**
   * Receives a value. The thread that runs the device makes this call, so that with several devices
   * several calls may be in progress at once. An exception from this method ends the run. The value
   * may be kept, no run writes to it again; an argument of the run is given as it is, see {@link
   * Literal#unsafeOf}.
   *
   * @param device the number of the device, 0 if there is only one
   * @param instruction the instruction
   * @param value its value, of its shape
   */
  void onValue(int device, HloInstruction instruction, Literal value);

  /**
   * Returns the value of an instruction. The default applies {@code op} to {@code operands}; an
   * override may apply it to other operands or return another value. It is called on the thread
   * that calls {@link #onValue} afterwards. To replace the value of a constant takes the reference
   * evaluator, since kernels of the compiled one may contain constants.
   *
   * @param device the number of the device, 0 if there is only one
   * @param instruction the instruction
   * @param operands the values of its operands, which may be kept
   * @param op computes the instruction from operands of these shapes, with all that it calls. It
   *     may be applied several times, which repeats the effects of the instruction, or not at all
   * @return the value, of the instruction's shape
   */
  default Literal value(
      int device,
      HloInstruction instruction,
      List<Literal> operands,
      Function<List<Literal>, Literal> op) {
    return op.apply(operands);
  }
}
