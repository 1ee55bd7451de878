package org.hlo4j.interpreter.compiled.passes;

import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Elementwise.Kind;
import org.hlo4j.hlo.op.Iota;
import org.hlo4j.hlo.op.Reshape;
import org.hlo4j.hlo.op.Slice;

/** What costs no more to compute again than to read. */
final class Costs {
  private static final ImmutableSet<Kind> CHEAP =
      Sets.immutableEnumSet(
          Kind.ABS,
          Kind.ADD,
          Kind.AND,
          Kind.CEIL,
          Kind.FLOOR,
          Kind.IMAG,
          Kind.IS_FINITE,
          Kind.MAKE_COMPLEX,
          Kind.MAXIMUM,
          Kind.MINIMUM,
          Kind.MULTIPLY,
          Kind.NEGATE,
          Kind.NOT,
          Kind.OR,
          Kind.REAL,
          Kind.ROUND_NEAREST_EVEN,
          Kind.SHIFT_LEFT,
          Kind.SHIFT_RIGHT_ARITHMETIC,
          Kind.SHIFT_RIGHT_LOGICAL,
          Kind.SUBTRACT,
          Kind.XOR);

  private Costs() {}

  static boolean isCheap(HloInstruction instruction) {
    return switch (instruction.op()) {
      case Broadcast op -> true;
      case Iota op -> true;
      case Reshape op -> true;
      case Slice op -> true;
      case Convert op -> true;
      case Compare op -> readsOneArray(instruction);
      case Elementwise op -> CHEAP.contains(op.kind()) && readsOneArray(instruction);
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
}
