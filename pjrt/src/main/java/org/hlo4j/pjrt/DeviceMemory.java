package org.hlo4j.pjrt;

import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.hlo4j.pjrt.binding.Handles;

/**
 * The memory of a client's devices, of whose size the garbage collector knows nothing: forgotten
 * buffers are freed before more is taken than wanted, and before a refusal is believed.
 */
final class DeviceMemory {
  /** How many buffers a refusal names. */
  private static final int NAMED = 5;

  /** How long the collector may take to say what it found. */
  private static final long PATIENCE_MILLIS = 50;

  private final Handles made;
  private final PjrtOptions options;
  private volatile long limit;

  DeviceMemory(Handles made, PjrtOptions options) {
    this.made = made;
    this.options = options;
    limit = options.memoryLimit();
  }

  /**
   * Runs a call that takes memory; a second time if there was none and forgotten buffers had it.
   */
  <T> T taking(Supplier<T> call) {
    made.drain();
    if (made.bytes() > limit) {
      collect();
      limit = Math.max(options.memoryLimit(), 2 * made.bytes());
    }
    try {
      return call.get();
    } catch (PjrtException refused) {
      return retried(call, refused);
    }
  }

  private <T> T retried(Supplier<T> call, PjrtException refused) {
    if (refused.code() != PjrtException.Code.RESOURCE_EXHAUSTED) {
      throw refused;
    }
    collect();
    try {
      return call.get();
    } catch (PjrtException again) {
      throw again.code() == PjrtException.Code.RESOURCE_EXHAUSTED
          ? again.with("memory", described())
          : again;
    }
  }

  private String described() {
    String largest =
        made.largest(NAMED).stream()
            .filter(each -> each.bytes() > 0)
            .map(each -> "\n" + each.bytes() + " bytes: " + each)
            .collect(Collectors.joining());
    String all = made.bytes() + " bytes are in " + made.count() + " buffers and executables";
    return all + largest + "\noptions: " + options.values();
  }

  private void collect() {
    System.gc();
    try {
      Thread.sleep(PATIENCE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    made.drain();
  }
}
