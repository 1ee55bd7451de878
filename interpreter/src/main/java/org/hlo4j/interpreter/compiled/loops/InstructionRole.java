package org.hlo4j.interpreter.compiled.loops;

import java.util.Optional;
import org.hlo4j.hlo.Layout;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Bitcast;
import org.hlo4j.hlo.op.BitcastConvert;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Copy;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Movement;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.interpreter.compiled.expr.Term;
import org.hlo4j.interpreter.engine.OpTraits;
import org.hlo4j.interpreter.engine.OpTraits.Trait;

/** The role of an instruction in a loop nest. */
enum InstructionRole {
  /** An input. */
  PARAMETER,
  /** Computes each element of the result from the elements of the operands at the same index. */
  COMPUTES,
  /** Selects the real or the imaginary part of its operand. */
  SELECTS_PART,
  /** Makes complex numbers of its operands, which are the real and the imaginary part. */
  HAS_PARTS,
  /** Takes its elements from its operands at other indices, or is a constant or an iota. */
  MOVEMENT,
  /** Cannot be computed by a loop nest. */
  NONE;

  static InstructionRole of(HloInstruction instruction) {
    Op op = instruction.op();
    if (!isPlainArray(instruction)
        || !instruction.operands().stream().allMatch(InstructionRole::isPlainArray)) {
      return NONE;
    }
    boolean isComplex =
        isComplex(instruction)
            || instruction.operands().stream().anyMatch(InstructionRole::isComplex);
    return isComplex && !(op instanceof Parameter)
        ? ofComplex(op, instruction)
        : ofReal(op, instruction);
  }

  /**
   * Returns the role of an instruction on complex numbers. Arithmetic on them has been lowered to
   * arithmetic on their parts.
   */
  private static InstructionRole ofComplex(Op op, HloInstruction instruction) {
    if (op instanceof Elementwise elementwise) {
      return ofParts(elementwise.kind());
    }
    boolean isMovement =
        isComplex(instruction) && !(op instanceof Bitcast) && ofReal(op, instruction) == MOVEMENT;
    return isMovement ? MOVEMENT : NONE;
  }

  private static InstructionRole ofParts(Elementwise.Kind kind) {
    if (kind == Elementwise.Kind.MAKE_COMPLEX) {
      return HAS_PARTS;
    }
    return kind == Elementwise.Kind.REAL || kind == Elementwise.Kind.IMAG ? SELECTS_PART : NONE;
  }

  private static InstructionRole ofReal(Op op, HloInstruction instruction) {
    return switch (op) {
      case Parameter _ -> PARAMETER;
      case BitcastConvert _ when !keepsWidth(instruction) -> NONE;
      case Bitcast _ -> isRowMajor(instruction) && keepsWidth(instruction) ? MOVEMENT : NONE;
      case Constant constant -> constant.literal().isElided() ? NONE : MOVEMENT;
      case Copy _ -> MOVEMENT;
      default -> OpTraits.of(op).has(Trait.IN_LOOPS) ? inLoops(op, instruction) : NONE;
    };
  }

  private static InstructionRole inLoops(Op op, HloInstruction instruction) {
    if (op instanceof Movement) {
      return MOVEMENT;
    }
    return hasCode(op, instruction) ? COMPUTES : NONE;
  }

  /**
   * Returns which part of its operand an instruction selects: 0 for the real part, 1 for the
   * imaginary.
   */
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

  private static boolean keepsWidth(HloInstruction instruction) {
    return BitcastConvert.width(IndexLowering.type(instruction))
        == BitcastConvert.width(IndexLowering.type(instruction.operands().get(0)));
  }

  private static boolean isRowMajor(HloInstruction bitcast) {
    return isRowMajor(bitcast.shape()) && isRowMajor(bitcast.operands().get(0).shape());
  }

  private static boolean isRowMajor(Shape shape) {
    Optional<Layout> layout = ((Shape.Array) shape).layout();
    return layout.isEmpty() || layout.get().equals(Layout.rowMajor(((Shape.Array) shape).rank()));
  }
}
