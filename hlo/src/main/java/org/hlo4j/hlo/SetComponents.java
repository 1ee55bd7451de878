package org.hlo4j.hlo;

import java.util.BitSet;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Which components of an array were set. As long as they are set in order, this is one number; only
 * those set ahead of others take a bit each.
 */
final class SetComponents {
  private final int count;

  /** All before this one are set. */
  private int inOrder;

  /** Those set ahead of {@link #inOrder}; it may have overtaken some. */
  private @Nullable BitSet ahead;

  SetComponents(int count, boolean areAllSet) {
    this.count = count;
    this.inOrder = areAllSet ? count : 0;
  }

  void set(int component) {
    if (component == inOrder) {
      inOrder++;
    } else if (component > inOrder) {
      setAhead(component, component + 1);
    }
  }

  void set(int from, int to) {
    if (from <= inOrder) {
      inOrder = Math.max(inOrder, to);
    } else {
      setAhead(from, to);
    }
  }

  private void setAhead(int from, int to) {
    if (ahead == null) {
      ahead = new BitSet(count);
    }
    ahead.set(from, to);
  }

  boolean isSet(int component) {
    return component < inOrder || (ahead != null && ahead.get(component));
  }

  /** Returns the first that was not set, or their number. */
  int firstNotSet() {
    return ahead == null ? inOrder : ahead.nextClearBit(inOrder);
  }

  /** That an element of an array of a shape was not set: which is the first, and how many were. */
  HloException incomplete(Shape.Array shape) {
    int width = shape.elementType().componentCount();
    int first = firstNotSet() / width;
    long set =
        LongStream.range(0, shape.elementCount())
            .filter(i -> isSet((int) i * width) && isSet((int) i * width + width - 1))
            .count();
    Dims strides = shape.sizes().rowMajorStrides();
    Dims index =
        Dims.copyOf(
            IntStream.range(0, shape.rank())
                .mapToObj(d -> first / strides.get(d) % shape.size(d))
                .toList());
    String got = set + " of " + shape.elementCount() + " elements of " + shape;
    return new HloException(
        "",
        "literal: got "
            + got
            + ", want all: nothing set index "
            + index
            + ", position "
            + first
            + "; LiteralBuilder.zeros and full begin with a value everywhere");
  }
}
