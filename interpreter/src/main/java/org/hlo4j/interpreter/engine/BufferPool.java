package org.hlo4j.interpreter.engine;

import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.jspecify.annotations.Nullable;

/**
 * A pool of array storage, used by one run at a time and kept for later runs. Reuse pays because
 * newly allocated storage has to be cleared and is in no cache. Temporary arrays use the buffers
 * that {@link BufferPlan} assigned to them. Arrays that leave a called computation, such as the
 * carried values of a loop, reuse the storage of earlier such arrays.
 */
final class BufferPool {
  /** A free array, and whether a later step of this run needs such an array. */
  private record Idle(Object storage, boolean isNeededLater) {}

  private final IdentityHashMap<Schedule, Object[]> planned = new IdentityHashMap<>();
  private final List<Idle> free = new ArrayList<>();
  private final long maxBytes;
  private long borrowedBytes;
  private long mostBorrowed;
  private long idleBytes;
  private long liveBytes;

  /**
   * Returns the buffers of a computation. One set is enough, since no computation calls itself and
   * a run therefore has at most one call of it active.
   */
  Object[] of(Schedule schedule) {
    return planned.computeIfAbsent(
        schedule, missing -> missing.buffers().stream().map(LiteralBuilder::newStorage).toArray());
  }

  /**
   * Creates an empty pool. Free arrays that no later step needs are dropped when used and free
   * storage together would exceed this size.
   */
  BufferPool(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  /** Begins a run: no free array is marked as needed by it yet. */
  void begin() {
    liveBytes = 0;
    borrowedBytes = 0;
    free.replaceAll(idle -> new Idle(idle.storage, false));
  }

  /**
   * Returns storage for an array of this shape, or null if none is free. Takes the storage that was
   * released last, which is the most likely to be in a cache.
   */
  @Nullable Object acquire(Shape.Array shape) {
    long bytes = Liveness.bytes(shape);
    liveBytes += bytes;
    for (int i = free.size() - 1; i >= 0; i--) {
      if (LiteralBuilder.isStorage(free.get(i).storage, shape)) {
        idleBytes -= bytes;
        return free.remove(i).storage;
      }
    }
    evictIdle();
    return null;
  }

  /**
   * Returns storage that a kernel needs for itself, or null if none is free. There is room for the
   * most that was borrowed at one time.
   */
  @Nullable Object borrow(Shape.Array shape) {
    borrowedBytes += Liveness.bytes(shape);
    mostBorrowed = Math.max(mostBorrowed, borrowedBytes);
    return acquire(shape);
  }

  /** Takes back what was borrowed. */
  void giveBack(Object storage) {
    borrowedBytes -= bytesOf(storage);
    release(storage, false);
  }

  /** Drops the arrays that have been free for longest and are not needed, until the rest fits. */
  private void evictIdle() {
    for (int i = 0; i < free.size() && liveBytes + idleBytes > maxBytes + mostBorrowed; ) {
      if (free.get(i).isNeededLater) {
        i++;
      } else {
        idleBytes -= bytesOf(free.remove(i).storage);
      }
    }
  }

  /** Adds storage that nobody reads any more. */
  void release(Object storage, boolean isNeededLater) {
    free.add(new Idle(storage, isNeededLater));
    long bytes = bytesOf(storage);
    idleBytes += bytes;
    liveBytes = Math.max(0, liveBytes - bytes);
  }

  private static long bytesOf(Object storage) {
    int each =
        switch (storage) {
          case byte[] values -> 1;
          case short[] values -> 2;
          case int[] values -> 4;
          case float[] values -> 4;
          case Object values -> 8;
        };
    return (long) Array.getLength(storage) * each;
  }
}
