package org.hlo4j.interpreter.compiled.passes;

import java.util.Optional;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Constant;

/** Constants, and values whose elements are all the same. */
final class UniformValues {
  private UniformValues() {}

  /** Returns the value of an instruction that is a constant array with known elements. */
  static Optional<Literal> constant(HloInstruction instruction) {
    return instruction.op() instanceof Constant constant
            && constant.literal().shape() instanceof Shape.Array
            && !constant.literal().isElided()
        ? Optional.of(constant.literal())
        : Optional.empty();
  }

  /** Returns the value of a constant scalar. */
  static Optional<Literal> scalar(HloInstruction instruction) {
    return constant(instruction).filter(literal -> literal.arrayShape().isScalar());
  }

  /**
   * Returns the scalar that all elements of a value are: of a constant scalar, or a broadcast of
   * one.
   */
  static Optional<Literal> splat(HloInstruction instruction) {
    return instruction.op() instanceof Broadcast
        ? scalar(instruction.operands().get(0))
        : scalar(instruction);
  }

  /** Returns the operand of a broadcast of a scalar; the instruction itself if it is none. */
  static HloInstruction broadcastScalar(HloInstruction instruction) {
    return instruction.op() instanceof Broadcast
            && instruction.operands().get(0).shape() instanceof Shape.Array array
            && array.isScalar()
        ? instruction.operands().get(0)
        : instruction;
  }

  /** Returns whether an instruction is a broadcast of a scalar. */
  static boolean isBroadcastScalar(HloInstruction instruction) {
    return broadcastScalar(instruction) != instruction;
  }
}
