package org.hlo4j.interpreter.compiled.reduce;

import com.google.common.collect.ImmutableList;
import java.lang.reflect.Array;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A generated loop with the locations of its arrays. It may be able to process several short
 * consecutive rows as one long row: an array that has the same row for all is then replicated, so
 * that it is as long as the others.
 */
final class Strip {
  /**
   * The length of the longest rows whose shared arrays are replicated. For longer rows, the cost of
   * one loop per row is small, and the copies would not all stay in the nearest cache.
   */
  private static final int MAX_REPLICATED_LENGTH = 256;

  private static final @Nullable Object[] NO_COPIES = {};

  private final ReduceLoop loop;
  private final ArrayLocation[] locations;
  private final boolean[] isCopied;
  private final boolean canMergeRows;

  /**
   * Creates a strip.
   *
   * @param inner the length of a row
   */
  Strip(ReduceLoop loop, List<ArrayLocation> locations, int inner) {
    this.loop = loop;
    this.locations = locations.toArray(ArrayLocation[]::new);
    this.isCopied = new boolean[locations.size()];
    boolean isMerged = true;
    for (int k = 0; k < isCopied.length; k++) {
      ArrayLocation location = this.locations[k];
      isCopied[k] = !location.isContiguousAcrossRows(inner);
      isMerged &= !isCopied[k] || (inner <= MAX_REPLICATED_LENGTH && location.isSameForAllRows());
    }
    this.canMergeRows = isMerged;
  }

  ReduceLoop loop() {
    return loop;
  }

  ImmutableList<ArrayLocation> locations() {
    return ImmutableList.copyOf(locations);
  }

  /** {@return whether each array is contiguous across rows, or the same for all rows} */
  boolean canMergeRows() {
    return canMergeRows;
  }

  /** Runs a number of iterations, beginning at the current position of the frame. */
  void run(ChunkFrame frame, int count) {
    run(frame, count, NO_COPIES);
  }

  /** Processes a number of whole rows as one, beginning at the current row of the frame. */
  void runRows(ChunkFrame frame, int rows) {
    run(frame, rows * frame.inner, frame.copies.computeIfAbsent(this, _ -> copies(frame)));
  }

  /**
   * Runs a number of iterations.
   *
   * @param copies the arrays that are read from their beginning, or null for those of the frame
   */
  private void run(ChunkFrame frame, int count, @Nullable Object[] copies) {
    Object[] arrays = new Object[locations.length];
    int[] positions = new int[locations.length];
    for (int k = 0; k < arrays.length; k++) {
      Object copy = k < copies.length ? copies[k] : null;
      arrays[k] = copy == null ? frame.arrays[locations[k].slot()] : copy;
      positions[k] = copy == null ? locations[k].at(frame) : 0;
    }
    loop.run(arrays, positions, 0, count);
  }

  private @Nullable Object[] copies(ChunkFrame frame) {
    Object[] copies = new @Nullable Object[isCopied.length];
    for (int k = 0; k < copies.length; k++) {
      if (isCopied[k]) {
        Object array = frame.arrays[locations[k].slot()];
        int from = locations[k].at(frame);
        Object copy = Array.newInstance(array.getClass().getComponentType(), frame.strip);
        for (int to = 0; to < frame.strip; to += frame.inner) {
          System.arraycopy(array, from, copy, to, frame.inner);
        }
        copies[k] = copy;
      }
    }
    return copies;
  }
}
