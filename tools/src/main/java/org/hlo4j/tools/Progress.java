package org.hlo4j.tools;

import java.io.PrintWriter;

/** One line on stderr that says how far long work is, if a person is looking at a terminal. */
final class Progress implements AutoCloseable {
  /** Set by the launcher, which knows; Java sees only both streams together. */
  static final String TERMINAL = "hlo4j.terminal";

  private static final long EVERY_NANOS = 100_000_000;
  private static final int WIDEST = 60;

  private final PrintWriter err;
  private final int total;
  private final boolean isShown;
  private int done;
  private long shownAt = System.nanoTime();
  private boolean isDirty;

  Progress(PrintWriter err, int total) {
    this.err = err;
    this.total = total;
    this.isShown = Boolean.getBoolean(TERMINAL);
  }

  /** The next piece of work begins. */
  void next(String name) {
    done++;
    if (isShown && System.nanoTime() - shownAt > EVERY_NANOS) {
      shownAt = System.nanoTime();
      String end = name.substring(Math.max(0, name.length() - WIDEST));
      err.print("\r\033[K[" + done + "/" + total + "] " + end);
      err.flush();
      isDirty = true;
    }
  }

  /** Makes room for a line of output. */
  void clear() {
    if (isDirty) {
      err.print("\r\033[K");
      err.flush();
      isDirty = false;
    }
  }

  @Override
  public void close() {
    clear();
  }
}
