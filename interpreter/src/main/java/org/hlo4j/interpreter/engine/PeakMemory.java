package org.hlo4j.interpreter.engine;

import com.google.common.math.LongMath;
import java.util.HashMap;
import java.util.Map;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.DynamicUpdateSlice;
import org.hlo4j.hlo.op.Fft;
import org.hlo4j.hlo.op.ForwardingOp;
import org.hlo4j.hlo.op.SetDimensionSize;
import org.hlo4j.hlo.op.Sort;
import org.hlo4j.hlo.op.Topk;

/** An upper bound on the live bytes of a run, computed without running it. */
final class PeakMemory {
  /** At least the bytes that a kernel may need for each number of an FFT, beside the arrays. */
  private static final long FFT_BYTES = 1 << 9;

  /** The same for the elements of a sort. */
  private static final long SORT_BYTES = 1 << 6;

  private PeakMemory() {}

  /**
   * Returns an upper bound on the live bytes of a run: the values of each computation, plus twice
   * the bound of each computation that it calls, since a loop holds the old and the new state at
   * once, and what {@link KernelContext#requireMemory} is asked for. Returns the greatest long if
   * an array is too large for Java.
   */
  static long upperBound(HloModule module) {
    Map<HloComputation, Long> known = new HashMap<>();
    for (HloComputation computation : module.computations()) {
      long bytes = 0;
      for (HloInstruction instruction : computation.instructions()) {
        if (!(instruction.op() instanceof ForwardingOp) || instruction.called().isEmpty()) {
          bytes = LongMath.saturatedAdd(bytes, bytes(instruction.shape()));
          bytes = LongMath.saturatedAdd(bytes, workspace(instruction));
        }
        for (HloComputation called : instruction.called()) {
          long calleeBytes = known.getOrDefault(called, Long.MAX_VALUE / 2);
          bytes = LongMath.saturatedAdd(bytes, LongMath.saturatedMultiply(2, calleeBytes));
        }
      }
      known.put(computation, bytes);
    }
    return known.getOrDefault(module.entry(), Long.MAX_VALUE);
  }

  private static long workspace(HloInstruction instruction) {
    long each =
        switch (instruction.op()) {
          case Fft _ -> FFT_BYTES;
          case Sort _, Topk _ -> SORT_BYTES;
          // the whole array is kept beside the part of it
          case SetDimensionSize _ -> 1;
          case DynamicUpdateSlice _ when instruction.shape().isDynamic() -> 1;
          case Object _ -> 0;
        };
    return each == 0
        ? 0
        : instruction.operands().stream()
            .mapToLong(operand -> LongMath.saturatedMultiply(each, bytes(operand.shape())))
            .reduce(0, LongMath::saturatedAdd);
  }

  private static long bytes(Shape shape) {
    long bytes = 0;
    for (Shape.Array array : Liveness.arrays(shape)) {
      boolean countable =
          !array.hasUnbounded() && array.elementCount() <= LiteralBuilder.MAX_COMPONENTS;
      bytes = countable ? LongMath.saturatedAdd(bytes, Liveness.bytes(array)) : Long.MAX_VALUE;
    }
    return bytes;
  }
}
