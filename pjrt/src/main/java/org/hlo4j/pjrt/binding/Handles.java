package org.hlo4j.pjrt.binding;

import com.google.common.collect.ImmutableList;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.util.Comparator;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * The native objects of one client. Those whose owner was forgotten are closed by the next call, on
 * its thread: a plugin is never called by the garbage collector's.
 */
public final class Handles {
  private final Set<Handle> live = ConcurrentHashMap.newKeySet();
  private final ReferenceQueue<Object> forgotten = new ReferenceQueue<>();
  private final LongAdder bytes = new LongAdder();
  private final CompletableFuture<Void> empty = new CompletableFuture<>();
  private volatile boolean isClosed;

  ReferenceQueue<Object> forgotten() {
    return forgotten;
  }

  /**
   * Takes a native object.
   *
   * @param owner the Java object that has it; the handle is closed once that is forgotten
   * @param address its address
   * @param destroy the function that frees it
   * @param what the shape of a buffer, the name of an executable, for messages; or an empty text
   * @param size how many bytes of a device it keeps
   * @return its handle, closed already if this is
   */
  public Handle take(Object owner, long address, Function destroy, Object what, long size) {
    Handle handle = new Handle(owner, this, address, destroy, what, size);
    bytes.add(size);
    live.add(handle);
    if (isClosed) {
      handle.close();
    }
    return handle;
  }

  boolean remove(Handle handle) {
    return live.remove(handle);
  }

  void freed(Handle handle) {
    bytes.add(-handle.bytes());
    completeIfEmpty();
  }

  /** {@return whether it was closed} */
  public boolean isClosed() {
    return isClosed;
  }

  /** Closes what was forgotten. */
  public void drain() {
    for (Reference<?> each; !Upcalls.isInside() && (each = forgotten.poll()) != null; ) {
      ((Handle) each).close();
    }
  }

  /** {@return how many bytes of its devices are kept} */
  public long bytes() {
    return bytes.sum();
  }

  /** {@return how many there are} */
  public int count() {
    return live.size();
  }

  /** {@return the largest, first the one that keeps most} */
  public ImmutableList<Handle> largest(int count) {
    return live.stream()
        .sorted(Comparator.comparingLong(Handle::bytes).reversed())
        .limit(count)
        .collect(ImmutableList.toImmutableList());
  }

  /**
   * Closes all, and what is made later.
   *
   * @return completed when the last of them is freed, which waits for the runs that use them
   */
  public CompletableFuture<Void> close() {
    isClosed = true;
    live.forEach(Handle::close);
    completeIfEmpty();
    return empty;
  }

  private void completeIfEmpty() {
    if (isClosed && live.isEmpty()) {
      empty.complete(null);
    }
  }
}
