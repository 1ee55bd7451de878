package org.hlo4j.interpreter.child;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.hlo4j.hlo.HloException;

/**
 * How a child ended that had not answered.
 *
 * @param activity what it was doing
 * @param doing the same, with the name of the program
 * @param status how it ended
 * @param lines the lines of its standard error that tell why
 */
record ChildEnd(String activity, String doing, String status, ImmutableList<String> lines) {
  /** The status of a process that a signal ended is this and the number of the signal. */
  private static final int SIGNALLED = 128;

  private static final ImmutableMap<Integer, String> SIGNALS =
      ImmutableMap.of(
          4, "SIGILL", 6, "SIGABRT", 7, "SIGBUS", 8, "SIGFPE", 9, "SIGKILL", 11, "SIGSEGV", 15,
          "SIGTERM");

  /** The place of a check, as Abseil's logs have it, or the place of a crash in a library. */
  private static final Pattern PLACE =
      Pattern.compile("\\b([\\w./]+\\.(?:cc|cpp|h):\\d+)|^C {2}\\[([^]]+)");

  /** What of a reason is another each time: the time and the thread, the address. */
  private static final Pattern VARYING = Pattern.compile("^F\\d{4} \\S+ +\\d+ | at pc=.*");

  /** The signal in HotSpot's report, after which the status is 1. */
  private static final Pattern REPORTED = Pattern.compile("(SIG\\w+) \\(0x.*");

  static String status(int exit) {
    String signal = SIGNALS.get(exit - SIGNALLED);
    return signal == null ? "" + exit : exit + " (" + signal + ")";
  }

  private String how() {
    Matcher reported = REPORTED.matcher(reason());
    return reported.matches() ? reported.group(1) : "status " + status;
  }

  private String reason() {
    return lines.isEmpty() ? "" : VARYING.matcher(lines.get(0)).replaceAll("");
  }

  /** Returns the report; its fact {@code ended} is the same for the same kind of end. */
  HloException exception() {
    String reason = reason().isEmpty() ? "" : ": " + reason();
    HloException report =
        new HloException(
                HloException.Kind.ENDED, "child: ended with " + how() + " while " + doing + reason)
            .with("ended", "ended with " + how() + " while " + activity + place());
    return lines.size() < 2
        ? report
        : report.with("stderr", String.join("\n", lines.subList(1, lines.size())));
  }

  private String place() {
    for (String line : lines) {
      Matcher place = PLACE.matcher(line);
      if (place.find()) {
        return " at " + (place.group(1) == null ? place.group(2) : place.group(1));
      }
    }
    return "";
  }
}
