package org.hlo4j.interpreter.reference;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.interpreter.kernel.Kernel;
import org.jspecify.annotations.Nullable;

/** A computation with its operands as slot numbers, and when each value is used last. */
final class Schedule {
  private final List<HloInstruction> instructions;
  private final int[][] operandSlots;
  private final List<List<Integer>> deadAfter = new ArrayList<>();
  private final boolean[] hasBounds;
  private final @Nullable Kernel[] kernels;
  private final int rootSlot;

  Schedule(HloComputation computation, Function<HloInstruction, Optional<Kernel>> source) {
    instructions = computation.instructions();
    operandSlots = new int[instructions.size()][];
    hasBounds = new boolean[instructions.size()];
    kernels = new @Nullable Kernel[instructions.size()];
    Map<HloInstruction, Integer> slots = new HashMap<>();
    int[] lastUse = new int[instructions.size()];
    for (int i = 0; i < operandSlots.length; i++) {
      HloInstruction instruction = instructions.get(i);
      operandSlots[i] = instruction.operands().stream().mapToInt(slots::get).toArray();
      for (int slot : operandSlots[i]) {
        lastUse[slot] = i;
      }
      slots.put(instruction, i);
      lastUse[i] = i;
      hasBounds[i] = ActualSizes.concern(instruction);
      kernels[i] = hasBounds[i] ? null : source.apply(instruction).orElse(null);
      deadAfter.add(new ArrayList<>());
    }
    rootSlot = instructions.indexOf(computation.root());
    for (int slot = 0; slot < lastUse.length; slot++) {
      if (slot != rootSlot) {
        deadAfter.get(lastUse[slot]).add(slot);
      }
    }
  }

  List<HloInstruction> instructions() {
    return instructions;
  }

  /** The values of an instruction's operands. */
  Literal[] operands(int slot, Literal[] values) {
    int[] slots = operandSlots[slot];
    Literal[] operands = new Literal[slots.length];
    for (int i = 0; i < slots.length; i++) {
      operands[i] = values[slots[i]];
    }
    return operands;
  }

  /** Whether an instruction's shape or that of an operand says bounds in place of sizes. */
  boolean hasBounds(int slot) {
    return hasBounds[slot];
  }

  /** What computes an instruction; null for the reference. */
  @Nullable Kernel kernel(int slot) {
    return kernels[slot];
  }

  /** The slots whose values nobody needs once this one is computed. */
  List<Integer> deadAfter(int slot) {
    return deadAfter.get(slot);
  }

  int rootSlot() {
    return rootSlot;
  }
}
