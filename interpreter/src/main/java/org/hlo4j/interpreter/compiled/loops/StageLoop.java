package org.hlo4j.interpreter.compiled.loops;

import com.google.common.collect.ImmutableList;
import java.util.Arrays;
import java.util.Collections;
import java.util.stream.IntStream;
import org.hlo4j.interpreter.compiled.tiering.Tiered;
import org.jspecify.annotations.Nullable;

/**
 * A stage that is ready to run: its code, and the computation of the bases that the code starts
 * from.
 */
final class StageLoop {
  private static final int BLOCK_STRIDE = 15;

  /** The weight of operations that take longer than another call for all rows. */
  private static final int MUCH = 16;

  private final Tiered<LoopMethod> body;
  private final ArraySlot[] slots;
  private final LoopNest nest;
  private final int width;
  private final int minElements;
  private final boolean isVectorizable;
  private final int weight;
  private final int[] arrayNumbers;

  StageLoop(StageCode code) {
    body = LoopMethods.of(code);
    slots = code.slots().toArray(ArraySlot[]::new);
    nest = code.nest();
    width = LoopMethods.width(code);
    minElements = Tiered.minElements(width);
    isVectorizable = code.isVectorizable();
    Stage stage = code.stage();
    boolean isOneWay = Collections.disjoint(stage.loads().values(), stage.saves().values());
    weight = isOneWay ? code.weight() : 0;
    IntStream all = Arrays.stream(slots).mapToInt(ArraySlot::array);
    arrayNumbers = all.filter(number -> number != ArraySlot.NO_ARRAY).distinct().toArray();
  }

  Tiered<LoopMethod> body() {
    return body;
  }

  ImmutableList<ArraySlot> slots() {
    return ImmutableList.copyOf(slots);
  }

  /** Returns whether vectors do most of a row of {@code elements} elements. */
  boolean hasVectors(int elements) {
    return isVectorizable && width > 1 && elements >= width;
  }

  /** Returns whether the second form of the code is ready. Starts its warm-up if it is not. */
  boolean isReady() {
    return body.second(LoopMethods.WARMUP_THRESHOLD) != null;
  }

  /**
   * Returns whether the code reads or writes any of the arrays from {@code firstArray} to {@code
   * lastArray}, exclusive.
   */
  boolean accesses(int firstArray, int lastArray) {
    return slots().stream()
        .anyMatch(slot -> slot.array() >= firstArray && slot.array() < lastArray);
  }

  /** Returns whether an array is read that is not contiguous within a row, but from row to row. */
  boolean readsColumns() {
    return slots().stream()
        .filter(slot -> slot.array() != ArraySlot.NO_ARRAY && !slot.isWorkspace())
        .anyMatch(slot ->
            Math.abs(nest.innerStride(slot.position())) > BLOCK_STRIDE
                && Math.abs(nest.rowStride(slot.position())) == 1);
  }

  /** Returns new bases, in which only the distances from row to row are set. */
  long[] newBases() {
    long[] bases = new long[2 * slots.length];
    for (int s = 0; s < slots.length; s++) {
      bases[2 * s + 1] = slots[s].isWorkspace() ? 0 : nest.rowStride(slots[s].position());
    }
    return bases;
  }

  /** Sets the bases for some values of the counters. That of the innermost loop is 0. */
  void setBases(long[] bases, long[] counters) {
    for (int s = 0; s < slots.length; s++) {
      if (!slots[s].isWorkspace()) {
        bases[2 * s] = slots[s].position().at(counters);
      }
    }
  }

  /** Sets the bases of workspace arrays, which hold the strip that begins at {@code start}. */
  void setStrip(long[] bases, int start) {
    for (int s = 0; s < slots.length; s++) {
      if (slots[s].isWorkspace()) {
        bases[2 * s] = -start;
      }
    }
  }

  /**
   * Computes some elements of some rows: as many as possible by the second form, the rest by the
   * first. If the rest is much to compute, the second form computes it together with some elements
   * before it once more, unless the code reads what it writes.
   */
  void run(Object[] arrays, long[] bases, int rows, int from, int to) {
    int next = from;
    @Nullable LoopMethod second =
        to - from >= minElements ? body.second((long) rows * (to - from)) : null;
    if (second != null) {
      next = to - (to - from) % width;
      second.run(arrays, bases, rows, from, next);
      if ((to - next) * weight >= MUCH && !isInPlace(arrays)) {
        second.run(arrays, bases, rows, to - width, to);
        return;
      }
    }
    if (next < to) {
      body.first().run(arrays, bases, rows, next, to);
    }
  }

  /** Returns whether two of the arrays are the same one, so that one may be read and written. */
  private boolean isInPlace(Object[] arrays) {
    for (int first : arrayNumbers) {
      for (int second : arrayNumbers) {
        if (first != second && arrays[first] == arrays[second]) {
          return true;
        }
      }
    }
    return false;
  }
}
