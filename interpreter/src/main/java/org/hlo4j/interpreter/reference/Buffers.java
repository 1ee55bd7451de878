package org.hlo4j.interpreter.reference;

import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.List;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.jspecify.annotations.Nullable;

/** Storage that was used and is free. */
final class Buffers {
  private final List<Object> free = new ArrayList<>();
  private final long mostIdleBytes;
  private long bytes;

  /** No storage yet; what no later step wants is kept up to this size only. */
  Buffers(long mostIdleBytes) {
    this.mostIdleBytes = mostIdleBytes;
  }

  /** Storage for such an array, or null. The one that came last is the likeliest in a cache. */
  @Nullable Object take(Shape.Array shape) {
    for (int i = free.size() - 1; i >= 0; i--) {
      if (LiteralBuilder.isStorage(free.get(i), shape)) {
        Object storage = free.remove(i);
        bytes -= bytesOf(storage);
        return storage;
      }
    }
    return null;
  }

  /** Takes storage that nobody reads any more. */
  void give(Object storage, boolean wantedLater) {
    long more = bytesOf(storage);
    if (wantedLater || bytes + more <= mostIdleBytes) {
      free.add(storage);
      bytes += more;
    }
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
