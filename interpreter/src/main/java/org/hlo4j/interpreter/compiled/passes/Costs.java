package org.hlo4j.interpreter.compiled.passes;

import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Iota;
import org.hlo4j.hlo.op.Reshape;
import org.hlo4j.hlo.op.Slice;

/** What costs no more to compute again than to read. */
final class Costs {
  private Costs() {}

  static boolean isCheap(HloInstruction instruction) {
    return switch (instruction.op()) {
      case Broadcast op -> true;
      case Iota op -> true;
      case Reshape op -> true;
      case Slice op -> true;
      case Convert op -> true;
      case Compare op -> readsOneArray(instruction);
      case Elementwise op -> isCheap(op.kind()) && readsOneArray(instruction);
      default -> false;
    };
  }

  private static boolean readsOneArray(HloInstruction instruction) {
    return instruction.operands().stream()
            .filter(operand -> Splats.splat(operand).isEmpty())
            .distinct()
            .count()
        <= 1;
  }

  private static boolean isCheap(Elementwise.Kind kind) {
    return switch (kind) {
      case ABS,
          ADD,
          AND,
          CEIL,
          FLOOR,
          IMAG,
          IS_FINITE,
          MAKE_COMPLEX,
          MAXIMUM,
          MINIMUM,
          MULTIPLY,
          NEGATE,
          NOT,
          OR,
          REAL,
          ROUND_NEAREST_EVEN,
          SHIFT_LEFT,
          SHIFT_RIGHT_ARITHMETIC,
          SHIFT_RIGHT_LOGICAL,
          SUBTRACT,
          XOR ->
          true;
      case ACOS,
          ACOSH,
          ASIN,
          ASINH,
          ATAN,
          ATAN2,
          ATANH,
          CBRT,
          COSH,
          COSINE,
          COUNT_LEADING_ZEROS,
          DIVIDE,
          ERF,
          EXPONENTIAL,
          EXPONENTIAL_MINUS_ONE,
          LOG,
          LOG_PLUS_ONE,
          LOGISTIC,
          MULHI,
          POPCNT,
          POWER,
          REMAINDER,
          ROUND_NEAREST_AFZ,
          RSQRT,
          SIGN,
          SINE,
          SINH,
          SQRT,
          TAN,
          TANH ->
          false;
    };
  }
}
