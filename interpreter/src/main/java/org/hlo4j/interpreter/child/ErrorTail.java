package org.hlo4j.interpreter.child;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Iterables;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.regex.Pattern;

/**
 * The last lines that a child has written to its standard error, which is read all the time: a full
 * pipe would stop the child.
 */
final class ErrorTail {
  private static final int KEPT_LINES = 200;
  private static final int TOLD_LINES = 8;

  /** Lines that are there whatever happens. Of HotSpot's report, signal and frame are kept. */
  private static final Pattern NOISE =
      Pattern.compile("WARNING: All log messages before absl::.*|\\s*|#(?! {2}SIG| C {2}\\[).*");

  /** Where the reason begins: a failed check as Abseil writes it, or the signal. */
  private static final Pattern REASON =
      Pattern.compile("F\\d{4} .*|.*Check fail(ed|ure).*|SIG\\w+ \\(0x.*|terminate called .*");

  private final Deque<String> lines = new ArrayDeque<>();
  private final Thread reader;

  ErrorTail(InputStream stream) {
    this.reader = Thread.ofPlatform().daemon().name("hlo4j-child-stderr").start(() -> read(stream));
  }

  private void read(InputStream stream) {
    try (BufferedReader in =
        new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
      in.lines().forEach(this::add);
    } catch (IOException | UncheckedIOException killed) {
      // The stream of a process that was killed is closed.
    }
  }

  private synchronized void add(String line) {
    if (!NOISE.matcher(line).matches()) {
      lines.addLast(line.startsWith("#") ? line.substring(1).strip() : line.strip());
      if (lines.size() > KEPT_LINES) {
        lines.removeFirst();
      }
    }
  }

  /** Forgets what was written so far. */
  synchronized void clear() {
    lines.clear();
  }

  /** Waits for the end of the stream, which a process that the child has left may keep open. */
  void await(long millis) throws InterruptedException {
    reader.join(millis);
  }

  /** Returns the lines that tell the reason: from that of a failed check on, or the last ones. */
  synchronized ImmutableList<String> told() {
    int reason = Iterables.indexOf(lines, line -> REASON.matcher(line).matches());
    int from = reason >= 0 ? reason : Math.max(0, lines.size() - TOLD_LINES);
    return lines.stream().skip(from).limit(TOLD_LINES).collect(toImmutableList());
  }
}
