package org.hlo4j.interpreter.engine;

import org.hlo4j.hlo.Literal;

/**
 * A kernel: the object that computes one instruction. It is created once, specialized to the shapes
 * and attributes of the instruction, and then run many times, by many threads at once. It therefore
 * keeps no state between runs, but for operands that are the same in all of them.
 */
public interface Kernel {
  /**
   * Computes the value of the instruction.
   *
   * @param operands the values of the operands, of their declared shapes, which are static
   * @param context the services a kernel may use, such as storage for the result
   * @return the value, of the declared shape; each array of it has storage of its own, except for
   *     arrays that the kernel forwards
   */
  Literal run(Literal[] operands, KernelContext context);

  /**
   * Starts to prepare the fastest form in the background, if that takes time. Called once it is
   * certain that the kernel is to be run; making a kernel has no effects. It also runs without.
   */
  default void warmUp() {}

  /**
   * Returns a kernel for runs that all have the same literal for an operand. It may keep the
   * operand in a form of its own from one run to the next; this kernel if it has no use for that.
   *
   * @param operand the number of the operand
   * @param forms the forms of the operand, which kernels share
   * @return the kernel
   */
  default Kernel withFixedOperand(int operand, KeptForms forms) {
    return this;
  }

  /**
   * Returns whether runs that begin now read the elements of an operand. If not, the operand may be
   * a literal without elements. Once this is false, it stays so.
   *
   * @param operand the number of the operand
   * @return false only if the operand is fixed and kept in a form of the kernel's own
   */
  default boolean readsOperand(int operand) {
    return true;
  }

  /**
   * Returns whether the result may be written to the storage of an operand. It may if the element
   * of the operand at each position is read only to compute the element of the result at that
   * position, and before that is written. {@link KernelContext#allocate} may then return the
   * storage of the operand.
   *
   * @param operand the number of the operand
   * @return whether the storage may be shared
   */
  default boolean canReuseOperandBuffer(int operand) {
    return false;
  }

  /**
   * Returns which array of the operands the kernel forwards, uncopied, as an array of the result.
   * Arrays are numbered from left to right, with tuples flattened.
   *
   * @param array the number of an array of the result
   * @return the number of the array of the operands, or -1 if the result has storage of its own
   */
  default int forwardedOperand(int array) {
    return -1;
  }

  /**
   * Describes the kernel in one line of the printed plan, such as {@code gemm f32 512x512x512,
   * vectors of 16}.
   *
   * @return the line
   */
  String describe();
}
