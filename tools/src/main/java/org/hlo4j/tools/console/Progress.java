package org.hlo4j.tools.console;

import java.io.PrintWriter;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.hlo4j.hlo.source.ControlCharacters;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/**
 * The progress of a long command: one line on stderr once the command takes longer than a second,
 * if stderr is a terminal. It also records the current work for the case that the user interrupts
 * the command. While progress is shown, output is flushed at once.
 */
public final class Progress implements AutoCloseable {
  /**
   * A property that the launcher sets to whether stderr is a terminal; Java can only test both
   * streams together.
   */
  public static final String TERMINAL = "hlo4j.terminal";

  private static final long EVERY_MILLIS = 100;
  private static final double SILENT_SECONDS = 1;
  private static final int MAX_WORK_LENGTH = 60;
  private static final String CLEAR = "\r\033[K";
  private static final AtomicReference<@Nullable Progress> CURRENT = new AtomicReference<>();

  private final PrintWriter out;
  private final PrintWriter err;
  private final int total;
  private final boolean isShown;
  private final LongSupplier clock;
  private final long start;
  private final LongAdder steps = new LongAdder();
  private final AtomicInteger startedCount = new AtomicInteger();
  private volatile String work = "";
  private boolean isDirty;
  private volatile boolean isOver;

  /** Creates a progress that is updated when {@link #tick} is called. */
  Progress(PrintWriter out, PrintWriter err, int total, boolean isShown, LongSupplier clock) {
    this.out = out;
    this.err = err;
    this.total = total;
    this.isShown = isShown;
    this.clock = clock;
    this.start = clock.getAsLong();
  }

  /** Returns the progress of a command with a known number of steps, or 0 if it is not known. */
  public static Progress of(CommandSpec spec, int total) {
    Progress progress =
        new Progress(
            spec.commandLine().getOut(),
            spec.commandLine().getErr(),
            total,
            Boolean.getBoolean(TERMINAL),
            System::nanoTime);
    CURRENT.set(progress);
    Thread.ofPlatform().daemon().name("hlo4j-progress").start(progress::tickUntilOver);
    return progress;
  }

  /** Returns the work that was in progress when the user interrupted the command, if any. */
  public static Optional<String> interrupted() {
    return Optional.ofNullable(CURRENT.get())
        .map(progress -> {
          progress.isOver = true;
          return (progress.isShown ? CLEAR : "")
              + "hlo4j: interrupted after "
              + progress.statusText();
        });
  }

  /** Returns the counter of the steps of a run. */
  public LongAdder steps() {
    return steps;
  }

  /** Begins the next step: {@code running f.hlo}. */
  public void next(String name) {
    startedCount.incrementAndGet();
    String shown = ControlCharacters.escape(name);
    work = shown.substring(Math.max(0, shown.length() - MAX_WORK_LENGTH));
  }

  /** Prints output, and removes the line of progress first. */
  public synchronized void output(Runnable printing) {
    clear();
    printing.run();
  }

  /** Returns the time, the current step, and the number of steps done. */
  String statusText() {
    double seconds = (clock.getAsLong() - start) / 1e9;
    long done = steps.sum();
    return String.format(
        Locale.ROOT,
        "%.1f s: %s%s%s",
        seconds,
        total > 0 ? "[" + startedCount + "/" + total + "] " : "",
        work,
        done > 0 ? String.format(Locale.ROOT, ", %,d steps done", done) : "");
  }

  @SuppressWarnings("BusyWait") // there is no event to wait for
  private void tickUntilOver() {
    try {
      do {
        Thread.sleep(EVERY_MILLIS);
      } while (tick());
    } catch (InterruptedException | Output.Failure ended) {
      // nothing to report, the thread ends
    }
  }

  /** Flushes output and shows the progress; returns whether the work continues. */
  synchronized boolean tick() {
    if (isOver) {
      return false;
    }
    clear();
    out.flush();
    if (isShown && (clock.getAsLong() - start) / 1e9 > SILENT_SECONDS) {
      err.print(statusText());
      err.flush();
      isDirty = true;
    }
    return true;
  }

  private void clear() {
    if (isDirty) {
      err.print(CLEAR);
      err.flush();
      isDirty = false;
    }
  }

  @Override
  public synchronized void close() {
    clear();
    isOver = true;
    CURRENT.compareAndSet(this, null);
  }
}
