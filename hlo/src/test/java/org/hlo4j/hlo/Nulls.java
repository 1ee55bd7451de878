package org.hlo4j.hlo;

import org.jspecify.annotations.NullUnmarked;

/** Nulls for tests of what happens to callers that do not check for them. */
public final class Nulls {
  private Nulls() {}

  /** Null, where the type system says that there can be none. */
  @NullUnmarked
  public static <T> T of(Class<T> type) {
    return type.cast(null);
  }
}
