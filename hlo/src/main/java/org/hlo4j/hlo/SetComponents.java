package org.hlo4j.hlo;

import java.util.BitSet;
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
}
