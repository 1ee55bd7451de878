package org.hlo4j.interpreter.compiled.window;

import org.hlo4j.interpreter.compiled.copy.CellCopies;
import org.hlo4j.interpreter.compiled.copy.CopyGrid;

/**
 * A copy of a part of some arrays in which elements with the stride {@code stride} are contiguous:
 * the elements at 0, {@code stride}, {@code 2 * stride} and so on, then those at 1, {@code stride +
 * 1} and so on.
 */
final class Deinterleaving {
  /**
   * The maximum number of elements that are copied, as a multiple of the elements that lines span.
   */
  private static final int MAX_UNREAD = 2;

  private final int stride;
  private final Object[] copies;
  private int capacity;

  /** Creates a copy of a number of arrays. */
  Deinterleaving(int stride, int arrays) {
    this.stride = stride;
    this.copies = new Object[arrays];
  }

  /**
   * Copies the elements of some lines, which have that stride.
   *
   * @param from the arrays
   * @param lines the index at which each line begins in the arrays; on return, in the copies
   * @param count the number of lines
   * @param length the number of elements in a line
   * @return the copies; an empty array if the lines are too far from each other
   */
  Object[] run(Object[] from, int[] lines, int count, int length) {
    int first = lines[0];
    int last = lines[0];
    for (int i = 1; i < count; i++) {
      first = Math.min(first, lines[i]);
      last = Math.max(last, lines[i]);
    }
    int size = last - first + (length - 1) * stride + 1;
    if (size > (double) MAX_UNREAD * stride * count * length) {
      return new Object[0];
    }
    int each = Math.ceilDiv(size, stride);
    for (int k = 0; k < copies.length; k++) {
      CellCopies cells = CellCopies.of(from[k].getClass().componentType());
      copies[k] = capacity < each * stride ? cells.newArray(each * stride) : copies[k];
      for (int i = 0; i < stride && i < size; i++) {
        int own = Math.ceilDiv(size - i, stride);
        CopyGrid line = new CopyGrid(1, own, 1, 1, stride, each, 1);
        cells.tile(line, 1, own, from[k], first + i, copies[k], i * each);
      }
    }
    capacity = Math.max(capacity, each * stride);
    for (int i = 0; i < count; i++) {
      int offset = lines[i] - first;
      int position = offset / stride;
      lines[i] = (offset - position * stride) * each + position;
    }
    return copies;
  }
}
