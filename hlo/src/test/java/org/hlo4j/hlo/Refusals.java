package org.hlo4j.hlo;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.function.Executable;

/** Asserts that a call is refused, and checks the whole message. */
public final class Refusals {
  private Refusals() {}

  /** Fails unless the call throws an {@link HloException} with exactly this message. */
  @SuppressWarnings("exports") // a module exports none of its tests
  public static void assertRefused(String message, Executable call) {
    assertThat(assertThrows(HloException.class, call)).hasMessageThat().isEqualTo(message);
  }
}
