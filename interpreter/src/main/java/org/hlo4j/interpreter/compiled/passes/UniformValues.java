package org.hlo4j.interpreter.compiled.passes;

import java.lang.foreign.MemorySegment;
import java.util.Optional;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.interpreter.compiled.arrays.Storages;

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

  /** Returns the value that all elements of a literal have, bit for bit; empty if they differ. */
  static Optional<Literal> uniform(Literal literal) {
    ElementType type = literal.elementType();
    int parts = type.componentCount();
    int components = literal.elementCount() * parts;
    if (components == 0) {
      return Optional.empty();
    }
    // equal to itself shifted by one element
    long bytes = Storages.bytes(literal.unsafeStorage()).byteSize();
    long step = bytes / literal.elementCount();
    MemorySegment all = Storages.bytes(literal.unsafeStorage());
    boolean same = all.asSlice(step).mismatch(all.asSlice(0, bytes - step)) < 0;
    if (!same) {
      return Optional.empty();
    }
    LiteralBuilder scalar = new LiteralBuilder(Shape.of(type));
    scalar.copy(0, literal, 0);
    return Optional.of(scalar.build());
  }
}
