package org.hlo4j.interpreter.compiled.loops;

import java.util.Optional;
import org.hlo4j.hlo.Layout;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Bitcast;
import org.hlo4j.hlo.op.BitcastConvert;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Clamp;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Concatenate;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.Copy;
import org.hlo4j.hlo.op.DynamicSlice;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Iota;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Pad;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.ReducePrecision;
import org.hlo4j.hlo.op.Reshape;
import org.hlo4j.hlo.op.Reverse;
import org.hlo4j.hlo.op.Select;
import org.hlo4j.hlo.op.Slice;
import org.hlo4j.hlo.op.Transpose;
import org.hlo4j.interpreter.compiled.expr.Term;

/** What an instruction is to a loop. */
enum InstructionRole {
  /** An input. */
  PARAMETER,
  /** Computes each element of the result from those of the operands at the same index. */
  COMPUTES,
  /** Is a part of each complex number of its operand. */
  SELECTS_PART,
  /** Has its operands for parts of complex numbers. */
  HAS_PARTS,
  /** Has elements of its operands, or of its own, at other indices. */
  MOVEMENT,
  /** Nothing that a loop can do. */
  NONE;

  static InstructionRole of(HloInstruction instruction) {
    Op op = instruction.op();
    if (!isPlainArray(instruction)
        || !instruction.operands().stream().allMatch(InstructionRole::isPlainArray)) {
      return NONE;
    }
    if (op instanceof Parameter) {
      return PARAMETER;
    }
    if (isComplex(instruction)
        || instruction.operands().stream().anyMatch(InstructionRole::isComplex)) {
      return ofComplex(op, instruction);
    }
    if (computes(op, instruction)) {
      return hasCode(op, instruction) ? COMPUTES : NONE;
    }
    return moves(op, instruction) ? MOVEMENT : NONE;
  }

  /** Arithmetic on complex numbers comes as arithmetic on their parts. */
  private static InstructionRole ofComplex(Op op, HloInstruction instruction) {
    if (op instanceof Elementwise elementwise) {
      return switch (elementwise.kind().name()) {
        case "REAL", "IMAG" -> SELECTS_PART;
        case "MAKE_COMPLEX" -> HAS_PARTS;
        default -> NONE;
      };
    }
    boolean isOther = op instanceof Bitcast || op instanceof Iota;
    return isComplex(instruction) && moves(op, instruction) && !isOther ? MOVEMENT : NONE;
  }

  /** Which part of its operand an instruction is. */
  static int part(HloInstruction instruction) {
    return instruction.op().equals(new Elementwise(Elementwise.Kind.IMAG)) ? 1 : 0;
  }

  private static boolean isComplex(HloInstruction instruction) {
    return IndexLowering.parts(instruction) > 1;
  }

  private static boolean isPlainArray(HloInstruction instruction) {
    return instruction.shape() instanceof Shape.Array array && !array.isDynamic();
  }

  private static boolean hasCode(Op op, HloInstruction instruction) {
    return Term.Applied.of(
            op, IndexLowering.type(instruction), instruction.operands(), IndexLowering::type)
        .traits()
        .isSupported();
  }

  private static boolean computes(Op op, HloInstruction instruction) {
    return op instanceof Elementwise
        || op instanceof Compare
        || op instanceof Select
        || op instanceof Clamp
        || op instanceof Convert
        || op instanceof ReducePrecision
        || (op instanceof BitcastConvert && keepsWidth(instruction));
  }

  private static boolean moves(Op op, HloInstruction instruction) {
    return (op instanceof Constant constant && !constant.literal().isElided())
        || op instanceof Iota
        || op instanceof Broadcast
        || op instanceof Transpose
        || op instanceof Slice
        || op instanceof Reverse
        || op instanceof Reshape
        || op instanceof Pad
        || op instanceof Concatenate
        || op instanceof DynamicSlice
        || op instanceof Copy
        || (op instanceof Bitcast && isRowMajor(instruction) && keepsWidth(instruction));
  }

  private static boolean keepsWidth(HloInstruction instruction) {
    return IndexLowering.type(instruction).bits()
        == IndexLowering.type(instruction.operands().get(0)).bits();
  }

  private static boolean isRowMajor(HloInstruction bitcast) {
    return isRowMajor(bitcast.shape()) && isRowMajor(bitcast.operands().get(0).shape());
  }

  private static boolean isRowMajor(Shape shape) {
    Optional<Layout> layout = ((Shape.Array) shape).layout();
    return layout.isEmpty() || layout.get().equals(Layout.rowMajor(((Shape.Array) shape).rank()));
  }
}
