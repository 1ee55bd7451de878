package org.hlo4j.interpreter.child;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Sets;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * A process that is killed, with the processes that it has started, when it is not needed any more
 * and when this process ends. What it writes to its standard error is read all the time.
 */
public final class WatchedProcess {
  /** How long the end of a process may take whose answers have ended, and that of its output. */
  private static final long END_MILLIS = 2_000;

  private static final long MAX_POLL_MILLIS = 20;
  private static final Set<WatchedProcess> RUNNING = ConcurrentHashMap.newKeySet();

  static {
    Runtime.getRuntime()
        .addShutdownHook(new Thread(() -> RUNNING.forEach(WatchedProcess::kill), "hlo4j-children"));
  }

  private final Process process;
  private final ErrorTail errors;
  private final Set<ProcessHandle> started = Sets.newConcurrentHashSet();

  /**
   * Starts a process.
   *
   * @param builder how it is started
   * @throws IOException if it cannot be started
   */
  public WatchedProcess(ProcessBuilder builder) throws IOException {
    this.process = builder.start();
    this.errors = new ErrorTail(process.getErrorStream());
    RUNNING.add(this);
  }

  /**
   * Returns what it writes to its standard output.
   *
   * @return the stream, which is ours to read
   */
  public InputStream output() {
    return process.getInputStream();
  }

  /**
   * Returns what it reads from its standard input.
   *
   * @return the stream, which is ours to write
   */
  public OutputStream input() {
    return process.getOutputStream();
  }

  /**
   * Returns whether it has not ended.
   *
   * @return whether it runs
   */
  public boolean isAlive() {
    return process.isAlive();
  }

  /** Does some work a while after its end. */
  void afterEnd(Runnable work) {
    CompletableFuture<Void> _ =
        process
            .onExit()
            .thenRunAsync(
                work, CompletableFuture.delayedExecutor(END_MILLIS, TimeUnit.MILLISECONDS));
  }

  /**
   * Waits for its end, and notes which processes it starts: once it has ended, they are no longer
   * known as its descendants. Those that it has left behind are killed, unless it ends within a
   * millisecond or so of starting them.
   *
   * @param limit how long to wait
   * @return its status; empty if it does not end in time
   * @throws InterruptedException if the thread is interrupted
   */
  public OptionalInt awaitEnd(Duration limit) throws InterruptedException {
    long end = System.nanoTime() + limit.toNanos();
    long wait = 1;
    while (!process.waitFor(wait, TimeUnit.MILLISECONDS)) {
      if (System.nanoTime() - end >= 0) {
        return OptionalInt.empty();
      }
      process.descendants().forEach(started::add);
      wait = Math.min(2 * wait, MAX_POLL_MILLIS);
    }
    started.forEach(ProcessHandle::destroyForcibly);
    return OptionalInt.of(process.exitValue());
  }

  /**
   * Waits a while for the end of a process that does not answer, kills it if it lives on, and reads
   * the rest of what it has written.
   *
   * @return its status; empty if it had to be killed
   */
  public OptionalInt end() {
    OptionalInt status = OptionalInt.empty();
    try {
      status = awaitEnd(Duration.ofMillis(END_MILLIS));
      kill();
      errors.await(END_MILLIS);
    } catch (InterruptedException interrupted) {
      kill();
      Thread.currentThread().interrupt();
    }
    return status;
  }

  /** Forgets what it has written to its standard error so far. */
  void clearErrors() {
    errors.clear();
  }

  /**
   * Returns the lines of its standard error that tell the reason of its end.
   *
   * @return those from a failed check on, or the last ones
   */
  public ImmutableList<String> errors() {
    return errors.told();
  }

  /** Kills it, and what it has started. */
  public void kill() {
    RUNNING.remove(this);
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    started.forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
  }
}
