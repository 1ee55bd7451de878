package org.hlo4j.interpreter.engine;

import com.google.common.collect.ImmutableMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.ForwardingOp;
import org.hlo4j.hlo.op.Fusion;
import org.jspecify.annotations.Nullable;

/**
 * The peak memory of the arrays of a module, if its instructions are run in order and each array
 * has storage of its own from the step that makes it to its last use.
 *
 * @param bytes the most bytes that are live at one time, without arguments and constants
 * @param instruction the instruction that is computed then
 * @param bytesByInstruction the bytes of the arrays that are live then, by the instruction that
 *     made them
 */
public record ModulePeak(
    long bytes, HloInstruction instruction, ImmutableMap<HloInstruction, Long> bytesByInstruction) {
  /**
   * Returns the peak of a module. Computations are visited callees first, so that deep nesting
   * needs no deep recursion.
   */
  public static ModulePeak of(HloModule module) {
    Finder finder = new Finder();
    module.computations().forEach(finder::peak);
    return finder.peak(module.entry());
  }

  private static final class Finder {
    private final Map<HloComputation, ModulePeak> known = new HashMap<>();

    ModulePeak peak(HloComputation computation) {
      ModulePeak peak = known.get(computation);
      if (peak == null) {
        peak = find(computation);
        known.put(computation, peak);
      }
      return peak;
    }

    private ModulePeak find(HloComputation computation) {
      List<HloInstruction> instructions = computation.instructions();
      Map<HloInstruction, Integer> slots = new HashMap<>();
      int[][] operands = new int[instructions.size()][];
      long[] calleeBytes = new long[instructions.size()];
      for (int i = 0; i < operands.length; i++) {
        operands[i] = instructions.get(i).operands().stream().mapToInt(slots::get).toArray();
        calleeBytes[i] = calleeBytes(instructions.get(i));
        slots.put(instructions.get(i), i);
      }
      Liveness liveness =
          new Liveness(
              instructions,
              operands,
              new @Nullable Kernel[operands.length],
              instructions.indexOf(computation.root()));
      Liveness.Peak peak = liveness.peak(calleeBytes);
      return withInner(
          new ModulePeak(
              peak.bytes(), instructions.get(peak.slot()), liveness.liveBytesAt(peak.slot())),
          calleeBytes[peak.slot()]);
    }

    /**
     * Adds the arrays that are live inside the called computation, in place of the result of the
     * call.
     */
    private ModulePeak withInner(ModulePeak peak, long calleeBytes) {
      if (calleeBytes == 0) {
        return peak;
      }
      ModulePeak inner = largest(peak.instruction);
      Map<HloInstruction, Long> alive = new LinkedHashMap<>(peak.bytesByInstruction);
      alive.remove(peak.instruction);
      alive.putAll(inner.bytesByInstruction);
      return new ModulePeak(peak.bytes, inner.instruction, ImmutableMap.copyOf(alive));
    }

    private ModulePeak largest(HloInstruction instruction) {
      return instruction.called().stream()
          .map(this::peak)
          .max((a, b) -> Long.compare(a.bytes, b.bytes))
          .orElseThrow();
    }

    /**
     * Returns the bytes that a call needs beyond its result, which is the result of the called
     * computation.
     */
    private long calleeBytes(HloInstruction instruction) {
      boolean calls =
          instruction.op() instanceof ForwardingOp
              && !(instruction.op() instanceof Fusion)
              && !instruction.called().isEmpty();
      return calls ? Math.max(0, largest(instruction).bytes - bytes(instruction)) : 0;
    }

    private static long bytes(HloInstruction instruction) {
      return instruction.shape().arrays().stream().mapToLong(Liveness::bytes).sum();
    }
  }
}
