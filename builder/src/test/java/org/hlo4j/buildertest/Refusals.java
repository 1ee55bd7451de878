package org.hlo4j.buildertest;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.regex.Pattern;
import org.hlo4j.hlo.HloException;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.function.Executable;

/**
 * Asserts that a call of the builder is refused, with the whole message.
 *
 * <p>Messages name lines of the test. There {@code .java:+1} stands for the line after that of
 * {@link #here()}, and {@code .java:@} for the line of the call, so that tests can move.
 */
final class Refusals {
  private static final StackWalker WALKER = StackWalker.getInstance();
  private static final String PACKAGE = Refusals.class.getPackageName();
  private static final Pattern LINE = Pattern.compile("(?<=\\.java:)(@|\\+\\d+)");

  private Refusals() {}

  /** The line that calls this. */
  static int here() {
    return WALKER.walk(frames -> frames.skip(1).findFirst().orElseThrow().getLineNumber());
  }

  /** Fails unless the call throws an {@link HloException} of just this message. */
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

  /** The line of the test that was calling the builder, as the JVM tells it. */
  private static int calledFrom(HloException refusal) {
    return Arrays.stream(refusal.getStackTrace())
        .filter(frame -> frame.getClassName().startsWith(PACKAGE))
        .findFirst()
        .orElseThrow()
        .getLineNumber();
  }

  /** Null, where the type system says that there can be none. */
  @NullUnmarked
  static <T> T nullOf(Class<T> type) {
    return type.cast(null);
  }
}
