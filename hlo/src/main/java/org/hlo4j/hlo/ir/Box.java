package org.hlo4j.hlo.ir;

import java.lang.foreign.MemorySegment;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;

/**
 * The elements that a part of an array has in the whole array.
 *
 * @param whole the whole array
 * @param part the part, which may go beyond the whole
 * @param start where it begins
 */
record Box(Shape.Array whole, Shape.Array part, Dims start) {
  /** Copies the part out of the whole array. */
  void copyOut(Object from, Object to) {
    copy(LiteralBuilder.segment(from), LiteralBuilder.segment(to), true);
  }

  /** Copies the part into the whole array. */
  void copyIn(Object from, Object to) {
    copy(LiteralBuilder.segment(to), LiteralBuilder.segment(from), false);
  }

  private void copy(MemorySegment whole, MemorySegment part, boolean isOut) {
    long elements = this.part.elementCount();
    long width = elements == 0 ? 0 : part.byteSize() / elements;
    rows(
        0,
        0,
        0,
        (inWhole, inPart, count) -> {
          MemorySegment from = isOut ? whole : part;
          MemorySegment to = isOut ? part : whole;
          long source = (isOut ? inWhole : inPart) * width;
          long target = (isOut ? inPart : inWhole) * width;
          MemorySegment.copy(from, source, to, target, count * width);
        });
  }

  private interface Row {
    void at(long inWhole, long inPart, long count);
  }

  private void rows(int dimension, long inWhole, long inPart, Row row) {
    if (dimension == start.count()) {
      row.at(inWhole, inPart, 1);
      return;
    }
    long first = start.get(dimension);
    long to = inWhole * whole.size(dimension) + first;
    long from = inPart * part.size(dimension);
    long count = Math.min(part.size(dimension), whole.size(dimension) - first);
    if (dimension == start.count() - 1) {
      if (count > 0) {
        row.at(to, from, count);
      }
      return;
    }
    for (long i = 0; i < count; i++) {
      rows(dimension + 1, to + i, from + i, row);
    }
  }
}
