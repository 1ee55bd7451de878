package org.hlo4j.interpreter.compiled.passes;

import static org.hlo4j.interpreter.compiled.passes.Simplification.array;

import com.google.common.math.LongMath;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Bitcast;
import org.hlo4j.hlo.op.BitcastConvert;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Clamp;
import org.hlo4j.hlo.op.Collective;
import org.hlo4j.hlo.op.CollectiveStart;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Concatenate;
import org.hlo4j.hlo.op.Contraction;
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.Dot;
import org.hlo4j.hlo.op.DynamicSlice;
import org.hlo4j.hlo.op.DynamicUpdateSlice;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.External;
import org.hlo4j.hlo.op.ForwardingOp;
import org.hlo4j.hlo.op.Gather;
import org.hlo4j.hlo.op.HigherOrder;
import org.hlo4j.hlo.op.Iota;
import org.hlo4j.hlo.op.Pad;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.hlo.op.ReducePrecision;
import org.hlo4j.hlo.op.Reshape;
import org.hlo4j.hlo.op.Reverse;
import org.hlo4j.hlo.op.Routine;
import org.hlo4j.hlo.op.Select;
import org.hlo4j.hlo.op.Sizing;
import org.hlo4j.hlo.op.Slice;
import org.hlo4j.hlo.op.StochasticConvert;
import org.hlo4j.hlo.op.Transpose;
import org.hlo4j.interpreter.compiled.expr.CheapOps;

/** Rough costs of instructions: relative to reading a value, or in operations. */
final class RecomputeCost {
  private static final int MIN_BROADCAST = 16;

  private RecomputeCost() {}

  /** Returns whether recomputing an instruction costs no more than reading its value. */
  static boolean isCheap(HloInstruction instruction) {
    return switch (instruction.op()) {
      case Broadcast op -> true;
      case Iota op -> true;
      case Reshape op -> true;
      case Slice op -> true;
      case Convert op -> true;
      case Compare op -> readsOneArray(instruction);
      case Elementwise op -> CheapOps.contains(op.kind()) && readsOneArray(instruction);
      case Bitcast _,
          BitcastConvert _,
          Clamp _,
          Collective _,
          CollectiveStart _,
          Concatenate _,
          Contraction _,
          DynamicSlice _,
          DynamicUpdateSlice _,
          External _,
          Gather _,
          HigherOrder _,
          Pad _,
          ForwardingOp _,
          ReducePrecision _,
          Reverse _,
          Routine _,
          Select _,
          Sizing _,
          StochasticConvert _,
          Transpose _ ->
          false;
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
