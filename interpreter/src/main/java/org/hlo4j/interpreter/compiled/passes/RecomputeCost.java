package org.hlo4j.interpreter.compiled.passes;

import static org.hlo4j.interpreter.compiled.passes.Simplification.array;

import com.google.common.math.LongMath;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Dot;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.interpreter.compiled.expr.CheapOps;
import org.hlo4j.interpreter.engine.OpTraits;
import org.hlo4j.interpreter.engine.OpTraits.Trait;
import org.hlo4j.interpreter.engine.ScalarBodies;

/** Rough costs of instructions: relative to reading a value, or in operations. */
final class RecomputeCost {
  private static final int MIN_BROADCAST = 16;

  private RecomputeCost() {}

  /** Returns whether recomputing an instruction costs no more than reading its value. */
  static boolean isCheap(HloInstruction instruction) {
    return switch (instruction.op()) {
      case Compare _ -> readsOneArray(instruction);
      case Elementwise op -> CheapOps.contains(op.kind()) && readsOneArray(instruction);
      default -> OpTraits.of(instruction.op()).has(Trait.CHEAP);
    };
  }

  private static boolean readsOneArray(HloInstruction instruction) {
    return instruction.operands().stream()
            .filter(operand -> !isBroadcast(operand))
            .distinct()
            .count()
        <= 1;
  }

  /**
   * Returns whether an operand is uniform, or a broadcast of a few numbers that stay in the L1
   * cache.
   */
  private static boolean isBroadcast(HloInstruction operand) {
    if (!(operand.op() instanceof Broadcast)) {
      return UniformValues.scalar(operand).isPresent();
    }
    return array(operand, 0).elementCount() <= array(operand).elementCount() / MIN_BROADCAST;
  }

  /**
   * Returns roughly how many operations an instruction takes; {@link Long#MAX_VALUE} if unknown.
   */
  static long operations(HloInstruction instruction) {
    return switch (OpTraits.of(instruction.op()).family()) {
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
