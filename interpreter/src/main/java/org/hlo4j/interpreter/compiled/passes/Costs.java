package org.hlo4j.interpreter.compiled.passes;

import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Iota;
import org.hlo4j.hlo.op.Reshape;
import org.hlo4j.hlo.op.Slice;
import org.hlo4j.interpreter.compiled.bodies.CheapOps;

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
      case Elementwise op -> CheapOps.contains(op.kind()) && readsOneArray(instruction);
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
