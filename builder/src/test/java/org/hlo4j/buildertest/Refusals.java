package org.hlo4j.buildertest;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.regex.Pattern;
import org.hlo4j.hlo.HloException;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.function.Executable;

/**
 * Asserts that a call of the builder fails with a given message.
 *
 * <p>Messages contain line numbers of the test. To keep tests movable, {@code .java:+1} stands for
 * the line after that of {@link #here()}, and {@code .java:@} for the line of the call.
 */
final class Refusals {
  private static final StackWalker WALKER = StackWalker.getInstance();
  private static final String PACKAGE = Refusals.class.getPackageName();
  private static final Pattern LINE = Pattern.compile("(?<=\\.java:)(@|\\+\\d+)");

  private Refusals() {}

  /** Returns the line number of the caller. */
  static int here() {
    return WALKER.walk(frames -> frames.skip(1).findFirst().orElseThrow().getLineNumber());
  }

  /** Asserts that the call throws an {@link HloException} with exactly this message. */
  static void assertRefused(int here, String message, Executable call) {
    HloException refusal = assertThrows(HloException.class, call);
    assertThat(refusal)
        .hasMessageThat()
        .isEqualTo(
            LINE.matcher(message)
                .replaceAll(mark ->
                    mark.group(1).equals("@")
                        ? Integer.toString(calledFrom(refusal))
                        : Integer.toString(here + Integer.parseInt(mark.group(1)))));
  }

  /** Returns the line of the test that called the builder, according to the stack trace. */
  private static int calledFrom(HloException refusal) {
    return Arrays.stream(refusal.getStackTrace())
        .filter(frame -> frame.getClassName().startsWith(PACKAGE))
        .findFirst()
        .orElseThrow()
        .getLineNumber();
  }

  /** Returns null as a non-null type, to test null checks. */
  @NullUnmarked
  static <T> T nullOf(Class<T> type) {
    return type.cast(null);
  }
}
