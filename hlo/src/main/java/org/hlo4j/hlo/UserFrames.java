package org.hlo4j.hlo;

import com.google.common.collect.ImmutableList;
import java.util.Arrays;

/** Stack traces without the frames of hlo4j above the first of its user. */
final class UserFrames {
  private static final boolean ALL = System.getProperty("hlo4j.traces", "").equals("full");

  /** Java's own frames stand between where hlo4j runs a lambda, as in a stream. */
  private static final ImmutableList<String> PASSED =
      ImmutableList.of(
          "org.hlo4j.hlo.",
          "org.hlo4j.builder.",
          "org.hlo4j.interpreter.",
          "org.hlo4j.stablehlo.",
          "java.",
          "jdk.");

  private UserFrames() {}

  /** The frames to be shown; all of them if that was asked for. */
  static StackTraceElement[] of(StackTraceElement[] frames) {
    return ALL ? frames : fromUser(frames);
  }

  /** All frames where there is no user: in threads of hlo4j's own, and in tests of its packages. */
  static StackTraceElement[] fromUser(StackTraceElement[] frames) {
    int first = 0;
    while (first < frames.length && isPassed(frames[first].getClassName())) {
      first++;
    }
    boolean hasUser =
        first < frames.length && !frames[first].getClassName().startsWith("org.junit.");
    return hasUser ? Arrays.copyOfRange(frames, first, frames.length) : frames;
  }

  private static boolean isPassed(String className) {
    for (String start : PASSED) {
      if (className.startsWith(start)) {
        return true;
      }
    }
    return false;
  }
}
