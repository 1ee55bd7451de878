package org.hlo4j.interpreter.compiled.reduce;

import java.lang.reflect.Array;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A strip over several short rows that lie one behind the other, run as one long row: what is the
 * same for all rows is copied as often as there are rows, so that it is as long.
 */
final class MergedRows {
  /** Of longer rows a loop each costs little, and they would not all stay in the nearest cache. */
  private static final int LONGEST = 256;

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
    this.isCopied = new boolean[strip.places().size()];
    for (int k = 0; k < isCopied.length; k++) {
      isCopied[k] = !strip.places().get(k).runsOn(inner);
    }
  }

  /**
   * The strip over rows at once; empty if something runs along them in another way.
   *
   * @param inner how long rows are
   * @param most how many rows at once
   * @param number which of a frame's it is
   */
  static Optional<MergedRows> of(Strip strip, int inner, int most, int number) {
    boolean runs =
        strip.places().stream()
            .allMatch(
                place -> place.runsOn(inner) || (inner <= LONGEST && place.isSameForAllRows()));
    return runs ? Optional.of(new MergedRows(strip, inner, most, number)) : Optional.empty();
  }

  /** Runs over so many rows, the first of which is where the frame is. */
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
        ArrayLocation place = strip.places().get(k);
        copies[k] = copy(frame.arrays[place.slot()], place.at(frame));
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
