package org.hlo4j.interpreter.engine;

import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.jspecify.annotations.Nullable;

/**
 * The storage of one run at a time, kept for later runs: new storage has to be cleared, and lies in
 * no cache. Temporary arrays have the buffers that were planned for them. What leaves a computation
 * that is called, as the state of a loop, takes what such arrays have left.
 */
final class BufferPool {
  /** A free array, and whether a later step of this run wants it. */
  private record Idle(Object storage, boolean isWanted) {}

  private final IdentityHashMap<Schedule, Object[]> planned = new IdentityHashMap<>();
  private final List<Idle> free = new ArrayList<>();
  private final long mostBytes;
  private long idleBytes;
  private long liveBytes;

  /**
   * The buffers of a computation. A run has no more than one call of each under way, since none
   * calls itself.
   */
  Object[] of(Schedule schedule) {
    return planned.computeIfAbsent(
        schedule, missing -> missing.buffers().stream().map(LiteralBuilder::newStorage).toArray());
  }

  /** No storage yet; what no later step wants is kept up to this size of all, used or not. */
  BufferPool(long mostBytes) {
    this.mostBytes = mostBytes;
  }

  /** A run begins, and does not care what an earlier one wanted. */
  void begin() {
    liveBytes = 0;
    free.replaceAll(idle -> new Idle(idle.storage, false));
  }

  /** Storage for such an array, or null. The one that came last is the likeliest in a cache. */
  @Nullable Object take(Shape.Array shape) {
    long bytes = Liveness.bytes(shape);
    liveBytes += bytes;
    for (int i = free.size() - 1; i >= 0; i--) {
      if (LiteralBuilder.isStorage(free.get(i).storage, shape)) {
        idleBytes -= bytes;
        return free.remove(i).storage;
      }
    }
    makeRoom();
    return null;
  }

  /** Lets go of what has been free for longest. */
  private void makeRoom() {
    for (int i = 0; i < free.size() && liveBytes + idleBytes > mostBytes; ) {
      if (free.get(i).isWanted) {
        i++;
      } else {
        idleBytes -= bytesOf(free.remove(i).storage);
      }
    }
  }

  /** Takes storage that nobody reads any more. */
  void give(Object storage, boolean wantedLater) {
    free.add(new Idle(storage, wantedLater));
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
