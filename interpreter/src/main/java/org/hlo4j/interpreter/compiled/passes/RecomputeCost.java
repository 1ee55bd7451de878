package org.hlo4j.interpreter.compiled.passes;

import static org.hlo4j.interpreter.compiled.passes.Simplification.array;

import com.google.common.math.LongMath;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.Dot;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Iota;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.hlo.op.Reshape;
import org.hlo4j.hlo.op.Slice;
import org.hlo4j.interpreter.compiled.expr.CheapOps;

/** What instructions cost, roughly: compared with reading a value, or in operations. */
final class RecomputeCost {
  private static final int MIN_BROADCAST = 16;

  private RecomputeCost() {}

  /** Whether it costs no more to compute it again than to read it. */
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
            .filter(operand -> !isBroadcast(operand))
            .distinct()
            .count()
        <= 1;
  }

  /** Whether it is the same everywhere, or a few numbers that stay in the nearest cache. */
  private static boolean isBroadcast(HloInstruction operand) {
    if (!(operand.op() instanceof Broadcast)) {
      return UniformValues.scalar(operand).isPresent();
    }
    return array(operand, 0).elementCount() <= array(operand).elementCount() / MIN_BROADCAST;
  }

  /** About how many operations an instruction is; {@link Long#MAX_VALUE} if that is not known. */
  static long operations(HloInstruction instruction) {
    return switch (OpFamily.of(instruction.op())) {
      case PLUMBING -> 0;
      case ELEMENTWISE, MOVEMENT -> array(instruction).elementCount();
      case OTHER -> ofOther(instruction);
      case EFFECT, CONTROL -> Long.MAX_VALUE;
    };
  }

  private static long ofOther(HloInstruction instruction) {
    if (instruction.op() instanceof Dot dot) {
      long steps = array(instruction, 0).sizes().at(dot.lhsContractingDims()).product();
      return LongMath.saturatedMultiply(array(instruction).elementCount(), steps);
    }
    boolean isOfScalars =
        instruction.op() instanceof Reduce
            && ScalarBodies.isElementwise(instruction.called().get(0));
    return isOfScalars ? array(instruction, 0).elementCount() : Long.MAX_VALUE;
  }
}
