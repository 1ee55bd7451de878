package org.hlo4j.pjrt.binding;

import java.lang.foreign.MemorySegment;
import java.lang.ref.PhantomReference;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.hlo4j.hlo.HloException;

/**
 * A native object that is ours to free, once: when it was closed, or its owner was forgotten, and
 * no call uses it any more. A call holds it from before it begins until the plugin says that its
 * work is done, so that closing while a program runs is safe.
 */
public final class Handle extends PhantomReference<Object> {
  /** Set in {@link #state} once it is closed; the rest of the bits counts who uses it. */
  private static final int CLOSED = 1 << 30;

  private final Handles all;
  private final long address;
  private final Function destroy;
  private final Object what;
  private final long bytes;
  private final AtomicInteger state = new AtomicInteger();
  private volatile boolean isDonated;

  Handle(Object owner, Handles all, long address, Function destroy, Object what, long bytes) {
    super(owner, all.forgotten());
    this.all = all;
    this.address = address;
    this.destroy = destroy;
    this.what = what;
    this.bytes = bytes;
  }

  /** {@return the address, for who holds it} */
  public long address() {
    return address;
  }

  /** {@return the address as a pointer, for who holds it} */
  public MemorySegment pointer() {
    return MemorySegment.ofAddress(address);
  }

  /** {@return how many bytes of a device it keeps} */
  public long bytes() {
    return bytes;
  }

  /**
   * Keeps it alive until {@link #release}.
   *
   * @return this
   * @throws HloException if it is closed
   */
  public Handle hold() {
    int now = state.getAndIncrement();
    if ((now & CLOSED) != 0) {
      release();
      throw new HloException("", "pjrt: " + this + " " + (isDonated ? DONATED : "is closed"));
    }
    return this;
  }

  private static final String DONATED = "was donated to a run, which may have written to it";

  /** Ends one {@link #hold}, the last of which frees what is closed. */
  public void release() {
    if (state.decrementAndGet() == CLOSED) {
      free();
    }
  }

  /** Runs a call that uses it. */
  public <T> T using(Supplier<T> call) {
    hold();
    try {
      return call.get();
    } finally {
      release();
    }
  }

  /** Closes it: from now on nobody can hold it. Does nothing the second time. */
  public void close() {
    int before = state.getAndUpdate(now -> now | CLOSED);
    if ((before & ~CLOSED) == 0) {
      free();
    }
  }

  /** Closes it as one that a run has used up. */
  public void donate() {
    isDonated = true;
    close();
  }

  /** {@return whether it was closed} */
  public boolean isClosed() {
    return (state.get() & CLOSED) != 0;
  }

  private void free() {
    if (Upcalls.isInside()) {
      enqueue(); // the next call frees it
      return;
    }
    // A hold of a closed handle goes up and down again, so that two could come here.
    if (all.remove(this)) {
      try {
        destroy.call(address);
      } finally {
        all.freed(this);
      }
    }
  }

  @Override
  public String toString() {
    return destroy.name().replaceAll("PJRT_(Loaded)?|_Destroy", "").toLowerCase(Locale.ROOT)
        + (what.equals("") ? "" : " " + what);
  }
}
