package org.hlo4j.pjrt.binding;

import com.google.common.base.Throwables;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;

/**
 * Threads for native code that needs more stack than a thread of Java has: the compilation of 100
 * nested conditionals ends a process that has given it 1 MB, without a word.
 */
public final class NativeThread {
  private static final long STACK = Long.getLong("hlo4j.pjrt.stack", 256L << 20);

  private NativeThread() {}

  /**
   * Runs something on a thread with a large stack.
   *
   * @param what what it does, for the thread's name and for messages
   * @param work what to run
   * @param forgotten gets the result if the caller was interrupted and left
   * @return the result
   * @throws HloException that of the work; of kind INTERRUPTED if this thread is interrupted:
   *     native code cannot be stopped, so that the work goes on
   */
  public static <T> T run(String what, Supplier<T> work, Consumer<T> forgotten) {
    Executor large =
        task -> {
          Thread thread = new Thread(null, task, "hlo4j-pjrt-" + what, STACK);
          thread.setDaemon(true);
          thread.start();
        };
    CompletableFuture<T> result = CompletableFuture.supplyAsync(work, large);
    try {
      return get(result, "during " + what);
    } catch (HloException interruptedOrFailed) {
      var _ = result.thenAccept(forgotten);
      throw interruptedOrFailed;
    }
  }

  /** Waits for a result, without holding a thread in native code. */
  static <T> T get(CompletableFuture<T> result, String when) {
    try {
      return result.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new HloException(Kind.INTERRUPTED, "pjrt: interrupted " + when);
    } catch (ExecutionException e) {
      Throwables.throwIfUnchecked(Objects.requireNonNull(e.getCause()));
      throw new AssertionError(e.getCause());
    }
  }
}
