package org.hlo4j.hlo;

import org.jspecify.annotations.NullUnmarked;

/** Null values for tests of callers that pass null where it is not permitted. */
public final class Nulls {
  private Nulls() {}

  /** Returns null where the nullness annotations permit none. */
  @NullUnmarked
  public static <T> T of(Class<T> type) {
    return type.cast(null);
  }
}
