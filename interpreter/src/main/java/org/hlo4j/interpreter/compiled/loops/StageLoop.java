package org.hlo4j.interpreter.compiled.loops;

import com.google.common.collect.ImmutableList;
import org.hlo4j.interpreter.compiled.tiering.Tiered;
import org.jspecify.annotations.Nullable;

/** A stage ready to run: its code, and the arithmetic of the bases that the code starts from. */
final class StageLoop {
  private static final int BLOCK_STRIDE = 15;

  private final Tiered<LoopMethod> body;
  private final ArraySlot[] slots;
  private final LoopNest nest;
  private final int width;
  private final int least;
  private final boolean isForVectors;

  StageLoop(StageCode code) {
    body = LoopMethods.of(code);
    slots = code.slots().toArray(ArraySlot[]::new);
    nest = code.nest();
    width = LoopMethods.width(code);
    least = Tiered.least(width);
    isForVectors = code.isForVectors();
  }

  Tiered<LoopMethod> body() {
    return body;
  }

  ImmutableList<ArraySlot> slots() {
    return ImmutableList.copyOf(slots);
  }

  /** Whether vectors do most of a row of so many elements. */
  boolean hasVectors(int elements) {
    return isForVectors && width > 1 && elements >= width;
  }

  /** Whether the form of vectors is ready; if not, its warm-up starts. */
  boolean isReady() {
    return body.second(LoopMethods.ENOUGH_ELEMENTS) != null;
  }

  /** Whether it writes, or reads, any of some arrays. */
  boolean writes(int firstArray, int lastArray) {
    return slots().stream()
        .anyMatch(slot -> slot.array() >= firstArray && slot.array() < lastArray);
  }

  /** Whether something is read that is contiguous not within a row, but from row to row. */
  boolean readsColumns() {
    return slots().stream()
        .filter(slot -> slot.array() != ArraySlot.NO_ARRAY && !slot.workspace())
        .anyMatch(slot ->
            Math.abs(nest.innerStride(slot.position())) > BLOCK_STRIDE
                && Math.abs(nest.rowStride(slot.position())) == 1);
  }

  /** Room for the bases. */
  int[] newBases() {
    int[] bases = new int[2 * slots.length];
    for (int s = 0; s < slots.length; s++) {
      bases[2 * s + 1] = slots[s].workspace() ? 0 : (int) nest.rowStride(slots[s].position());
    }
    return bases;
  }

  /** The bases where some counters have run, the innermost standing at 0. */
  void setBases(int[] bases, long[] counters) {
    for (int s = 0; s < slots.length; s++) {
      if (!slots[s].workspace()) {
        bases[2 * s] = (int) slots[s].position().at(counters);
      }
    }
  }

  /** Workspace arrays hold a strip from here on. */
  void setStrip(int[] bases, int start) {
    for (int s = 0; s < slots.length; s++) {
      if (slots[s].workspace()) {
        bases[2 * s] = -start;
      }
    }
  }

  /** Computes elements of some rows: by the second form as far as it goes, the rest one by one. */
  void run(Object[] arrays, int[] bases, int rows, int from, int to) {
    int next = from;
    if (to - from >= least) {
      @Nullable LoopMethod second = body.second((long) rows * (to - from));
      if (second != null) {
        next = to - (to - from) % width;
        second.run(arrays, bases, rows, from, next);
      }
    }
    if (next < to) {
      body.first().run(arrays, bases, rows, next, to);
    }
  }
}
