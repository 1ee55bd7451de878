package org.hlo4j.hlo;

import com.google.common.collect.ImmutableList;
import java.util.Arrays;

/** Stack traces without the frames of hlo4j above the first frame of the user's program. */
final class UserFrames {
  private static final boolean ALL = System.getProperty("hlo4j.traces", "").equals("full");

  /**
   * The packages whose frames are skipped. Frames of the JDK occur in between where hlo4j runs a
   * lambda, such as in a stream.
   */
  private static final ImmutableList<String> PASSED =
      ImmutableList.of(
          "org.hlo4j.hlo.",
          "org.hlo4j.builder.",
          "org.hlo4j.check.",
          "org.hlo4j.interpreter.",
          "org.hlo4j.pjrt.",
          "org.hlo4j.stablehlo.",
          "java.",
          "jdk.");

  private UserFrames() {}

  /** Returns the frames to show; all of them if the system property asks for that. */
  static StackTraceElement[] of(StackTraceElement[] frames) {
    return ALL ? frames : fromUser(frames);
  }

  /**
   * Returns the frames from the first of the user on. Returns all frames if there is none, which is
   * so in threads of hlo4j and in tests of its packages.
   */
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
