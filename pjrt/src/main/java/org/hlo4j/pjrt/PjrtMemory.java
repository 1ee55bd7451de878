package org.hlo4j.pjrt;

import java.lang.foreign.MemorySegment;

/**
 * A memory that a device reaches, as that of the device itself or pinned memory of the host. It
 * lives as long as its client.
 */
public final class PjrtMemory {
  private final PjrtClient client;
  private final MemorySegment address;
  private final String kind;

  PjrtMemory(PjrtClient client, MemorySegment address) {
    this.client = client;
    this.address = address;
    this.kind = client.text("PJRT_Memory_Kind", address, "kind");
  }

  /**
   * Returns what kind of memory it is.
   *
   * @return as {@code device}, {@code pinned_host} or {@code unpinned_host}
   */
  public String kind() {
    return kind;
  }

  /**
   * Returns the client.
   *
   * @return the client
   */
  public PjrtClient client() {
    return client;
  }

  MemorySegment address() {
    return address;
  }

  /** Returns the kind. */
  @Override
  public String toString() {
    return kind;
  }
}
