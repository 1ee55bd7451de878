package org.hlo4j.interpreter.engine;

import com.google.common.math.LongMath;
import java.util.HashMap;
import java.util.Map;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Contraction;
import org.hlo4j.hlo.op.Convolution;
import org.hlo4j.hlo.op.DynamicUpdateSlice;
import org.hlo4j.hlo.op.External;
import org.hlo4j.hlo.op.Fft;
import org.hlo4j.hlo.op.ForwardingOp;
import org.hlo4j.hlo.op.HigherOrder;
import org.hlo4j.hlo.op.ReduceWindow;
import org.hlo4j.hlo.op.Routine;
import org.hlo4j.hlo.op.SelectAndScatter;
import org.hlo4j.hlo.op.SetDimensionSize;
import org.hlo4j.hlo.op.Sort;
import org.hlo4j.hlo.op.Topk;
import org.hlo4j.hlo.op.Window;

/** An upper bound on the live bytes of a run, computed without running it. */
public final class PeakMemory {
  /**
   * More bytes than a kernel may need for each byte of the operand of an FFT, beside the arrays.
   */
  private static final long FFT_BYTES = 1 << 12;

  /** The same for the operands of a sort. */
  private static final long SORT_BYTES = 1 << 6;

  /** The same for each element of matrices: copies in double, each row an array of its own. */
  private static final long MATRIX_BYTES = 160;

  /** The same for operands and result of products: widened, and packed. */
  private static final long PRODUCT_BYTES = 24;

  /** The same for reductions: the results of parts. */
  private static final long REDUCTION_BYTES = 48;

  /** The same for each element of a window. */
  private static final long WINDOW_BYTES = 1 << 10;

  /** What the smallest ones need for blocks of a fixed size, of some threads. */
  private static final long BLOCKS = 1 << 26;

  private PeakMemory() {}

  /**
   * Returns an upper bound on the live bytes of a run: the values of each computation, plus twice
   * the bound of each computation that it calls, since a loop holds the old and the new state at
   * once, and the most that one kernel {@linkplain KernelContext#reserve reserves}. Returns the
   * greatest long if an array is too large for Java.
   */
  static long upperBound(HloModule module) {
    Map<HloComputation, Long> known = new HashMap<>();
    long most = 0;
    for (HloComputation computation : module.computations()) {
      long bytes = 0;
      for (HloInstruction instruction : computation.instructions()) {
        if (!(instruction.op() instanceof ForwardingOp) || instruction.called().isEmpty()) {
          bytes = LongMath.saturatedAdd(bytes, bytes(instruction.shape()));
          most = Math.max(most, workspace(instruction));
        }
        for (HloComputation called : instruction.called()) {
          long calleeBytes = known.getOrDefault(called, Long.MAX_VALUE / 2);
          bytes = LongMath.saturatedAdd(bytes, LongMath.saturatedMultiply(2, calleeBytes));
        }
      }
      known.put(computation, bytes);
    }
    return LongMath.saturatedAdd(known.getOrDefault(module.entry(), Long.MAX_VALUE), most);
  }

  /**
   * Returns an upper bound on the bytes that the kernel of an instruction {@linkplain
   * KernelContext#reserve reserves} at one time, with those of the instructions that it calls.
   */
  static long workspace(HloInstruction instruction) {
    return instruction.called().stream()
        .flatMap(called -> called.instructions().stream())
        .mapToLong(PeakMemory::workspace)
        .reduce(ownWorkspace(instruction), LongMath::saturatedAdd);
  }

  private static long ownWorkspace(HloInstruction instruction) {
    return switch (instruction.op()) {
      case Fft _ -> times(FFT_BYTES, bytesOfOperands(instruction));
      case Sort _, Topk _ -> times(SORT_BYTES, bytesOfOperands(instruction));
      // the whole array is kept beside the part of it
      case SetDimensionSize _ -> bytesOfOperands(instruction);
      case DynamicUpdateSlice _ when instruction.shape().isDynamic() ->
          bytesOfOperands(instruction);
      case Convolution op ->
          LongMath.saturatedAdd(blocks(PRODUCT_BYTES, instruction), padded(op, instruction));
      case Contraction _ -> blocks(PRODUCT_BYTES, instruction);
      case ReduceWindow op -> windows(op.window(), instruction);
      case SelectAndScatter op -> windows(op.window(), instruction);
      case HigherOrder _ -> blocks(REDUCTION_BYTES, instruction);
      case Routine _, External _ -> blocks(MATRIX_BYTES, instruction);
      case Object _ -> 0;
    };
  }

  private static long blocks(long each, HloInstruction instruction) {
    long all =
        instruction.operands().stream()
            .mapToLong(operand -> elements(operand.shape()))
            .reduce(elements(instruction.shape()), LongMath::saturatedAdd);
    return LongMath.saturatedAdd(BLOCKS, times(each, all));
  }

  private static long windows(Window window, HloInstruction instruction) {
    long each = window.sizes().stream().reduce(WINDOW_BYTES, LongMath::saturatedMultiply);
    return LongMath.saturatedAdd(blocks(REDUCTION_BYTES, instruction), each);
  }

  /** Returns the bytes of image and kernel in double, with padding and what dilation adds. */
  private static long padded(Convolution op, HloInstruction instruction) {
    Window window = op.window();
    Shape.Array image = (Shape.Array) instruction.operands().get(0).shape();
    double elements = elements(image);
    for (int i = 0; i < window.rank(); i++) {
      double size = Math.max(1, image.size(op.dimLabels().inputSpatialDimensions().getInt(i)));
      double padding = Math.abs(window.paddingLow().get(i)) + Math.abs(window.paddingHigh().get(i));
      elements *= window.baseDilation().get(i) + padding / size;
    }
    return (long) (Double.BYTES * elements);
  }

  private static long bytesOfOperands(HloInstruction instruction) {
    return instruction.operands().stream()
        .mapToLong(operand -> bytes(operand.shape()))
        .reduce(0, LongMath::saturatedAdd);
  }

  private static long times(long count, long bytes) {
    return LongMath.saturatedMultiply(count, bytes);
  }

  private static long elements(Shape shape) {
    return shape.arrays().stream()
        .mapToLong(array -> array.hasUnbounded() ? Long.MAX_VALUE : array.elementCount())
        .reduce(0, LongMath::saturatedAdd);
  }

  /** Returns the bytes of all arrays in a shape; the greatest long if no array can hold them. */
  public static long bytes(Shape shape) {
    long bytes = 0;
    for (Shape.Array array : shape.arrays()) {
      boolean countable =
          !array.hasUnbounded() && array.elementCount() <= LiteralBuilder.MAX_COMPONENTS;
      bytes = countable ? LongMath.saturatedAdd(bytes, Liveness.bytes(array)) : Long.MAX_VALUE;
    }
    return bytes;
  }
}
