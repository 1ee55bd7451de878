package org.hlo4j.interpreter.engine;

import org.hlo4j.hlo.Literal;

/**
 * Computes one instruction. Made once for it, with all that can be known from shapes and
 * attributes; then run many times, by many threads at once, so that it keeps no state between runs.
 */
public interface Kernel {
  /**
   * The value of the instruction.
   *
   * @param operands the values of its operands, of their declared shapes, which are static
   * @param context what the kernel may use; storage for the result comes from it
   * @return the value, of the declared shape; each array of it has storage of its own, but those
   *     passed on
   */
  Literal run(Literal[] operands, KernelContext context);

  /**
   * Whether the result may lie where an operand lies, because each of its elements is read before,
   * and only for, the element of the result at the same position. {@link KernelContext#allocate}
   * then may hand out the storage of that operand.
   *
   * @param operand the number of the operand
   * @return whether it may
   */
  default boolean canReuseOperandBuffer(int operand) {
    return false;
  }

  /**
   * Which array of the operands an array of the result is: the kernel hands it on, in the storage
   * where it lies. All arrays are counted from left to right, those of tuples too.
   *
   * @param array the number of an array of the result
   * @return the number of that of the operands, or -1 if the result's has storage of its own
   */
  default int forwardedOperand(int array) {
    return -1;
  }

  /**
   * What it does, in a line, for the plan that is printed: {@code gemm f32 512x512x512, vectors of
   * 16}.
   *
   * @return the line
   */
  String describe();
}
