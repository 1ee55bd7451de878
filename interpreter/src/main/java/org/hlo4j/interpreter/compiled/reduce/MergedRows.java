package org.hlo4j.interpreter.compiled.reduce;

import java.lang.reflect.Array;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A {@link Strip} that processes several short consecutive rows as one long row. An array that has
 * the same row for all is replicated, so that it is as long as the others.
 */
final class MergedRows {
  /**
   * The length of the longest rows whose shared arrays are replicated. For longer rows, the cost of
   * one loop per row is small, and the copies would not all stay in the nearest cache.
   */
  private static final int MAX_REPLICATED_LENGTH = 256;

  private final Strip strip;
  private final int inner;
  private final boolean[] isCopied;
  private final int most;
  private final int number;

  private MergedRows(Strip strip, int inner, int most, int number) {
    this.strip = strip;
    this.inner = inner;
    this.most = most;
    this.number = number;
    this.isCopied = new boolean[strip.locations().size()];
    for (int k = 0; k < isCopied.length; k++) {
      isCopied[k] = !strip.locations().get(k).isContiguousAcrossRows(inner);
    }
  }

  /**
   * {@return the strip over several rows at once; empty if some array is neither contiguous across
   * rows nor the same for all rows}
   *
   * @param inner the length of a row
   * @param most the maximum number of rows at once
   * @param number the index of its copies in a frame
   */
  static Optional<MergedRows> of(Strip strip, int inner, int most, int number) {
    boolean runs =
        strip.locations().stream()
            .allMatch(location ->
                location.isContiguousAcrossRows(inner)
                    || (inner <= MAX_REPLICATED_LENGTH && location.isSameForAllRows()));
    return runs ? Optional.of(new MergedRows(strip, inner, most, number)) : Optional.empty();
  }

  /** Processes a number of rows, beginning at the current row of the frame. */
  void run(ChunkFrame frame, int rows) {
    Object[] copies = frame.copies[number];
    if (copies == null) {
      copies = copies(frame);
      frame.copies[number] = copies;
    }
    strip.run(frame, rows * inner, copies);
  }

  private @Nullable Object[] copies(ChunkFrame frame) {
    Object[] copies = new @Nullable Object[isCopied.length];
    for (int k = 0; k < copies.length; k++) {
      if (isCopied[k]) {
        ArrayLocation location = strip.locations().get(k);
        copies[k] = copy(frame.arrays[location.slot()], location.at(frame));
      }
    }
    return copies;
  }

  private Object copy(Object array, int from) {
    Object copy = Array.newInstance(array.getClass().getComponentType(), most * inner);
    for (int row = 0; row < most; row++) {
      System.arraycopy(array, from, copy, row * inner, inner);
    }
    return copy;
  }
}
