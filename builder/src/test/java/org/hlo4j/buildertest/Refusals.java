package org.hlo4j.buildertest;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.hlo4j.hlo.HloException;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.function.Executable;

/**
 * Asserts that a call of the builder is refused, with the whole message.
 *
 * <p>Messages name lines of the test. There {@code :0} stands for the line of {@link #here()}, and
 * {@code :+1} and {@code :-2} for those after and before it, so that tests can move.
 */
final class Refusals {
  private static final StackWalker WALKER = StackWalker.getInstance();

  private Refusals() {}

  /** The line that calls this. */
  static int here() {
    return WALKER.walk(frames -> frames.skip(1).findFirst().orElseThrow().getLineNumber());
  }

  /** The message with its line numbers, counted from a line of the test. */
  static String counted(int from, String message) {
    StringBuilder text = new StringBuilder();
    int done = 0;
    String mark = ".java:";
    for (int at = message.indexOf(mark); at >= 0; at = message.indexOf(mark, done)) {
      int start = at + mark.length();
      int end = start + 1;
      while (end < message.length() && Character.isDigit(message.charAt(end))) {
        end++;
      }
      text.append(message, done, start);
      text.append(from + Integer.parseInt(message.substring(start, end)));
      done = end;
    }
    return text.append(message.substring(done)).toString();
  }

  /** Fails unless the call throws an {@link HloException} of just this message. */
  static void assertRefused(int from, String message, Executable call) {
    assertThat(assertThrows(HloException.class, call))
        .hasMessageThat()
        .isEqualTo(counted(from, message));
  }

  /** Null, where the type system says that there can be none. */
  @NullUnmarked
  static <T> T nullOf(Class<T> type) {
    return type.cast(null);
  }
}
