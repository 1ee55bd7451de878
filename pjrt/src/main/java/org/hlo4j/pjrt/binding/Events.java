package org.hlo4j.pjrt.binding;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import org.hlo4j.hlo.HloException;

/**
 * The events of a plugin as futures. A plugin calls back on a thread of its own, or at once on that
 * which asks; the callback does nothing but start a thread of ours, on which the future is
 * completed. One stub serves all events: the number that it gets says for which it is.
 */
public final class Events {
  /** An event that has happened without an error. */
  public static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

  private static final ExecutorService THREADS =
      Executors.newCachedThreadPool(
          Thread.ofPlatform().daemon().name("hlo4j-pjrt-events-", 0).factory());

  private static final ConcurrentMap<Long, CompletableFuture<Long>> PENDING =
      new ConcurrentHashMap<>();
  private static final AtomicLong NUMBERS = new AtomicLong();
  private static final MemorySegment STUB = Upcalls.stub(Events::ready);

  private static final int LOOKS = 50;

  private final Api api;
  private final Function isReady;
  private final Function error;
  private final Function destroy;

  /** The events of the plugin behind an interface. */
  public Events(Api api) {
    this.api = api;
    isReady = api.function("PJRT_Event_IsReady");
    error = api.function("PJRT_Event_Error");
    destroy = api.function("PJRT_Event_Destroy");
  }

  /** Called by a plugin, with an error that is ours to free. */
  private static long ready(long error, long number) {
    try {
      CompletableFuture<Long> waiting = PENDING.remove(number);
      if (waiting != null) {
        var _ = waiting.completeAsync(() -> error, THREADS);
      }
    } catch (Throwable nobodyCanTakeIt) {
      // It would end the process.
    }
    return 0; // nobody reads it
  }

  /**
   * Takes an event, which is freed once it has happened. If it has, the returned future is
   * complete: {@link #DONE} unless there was an error.
   *
   * @param event its address; an event that is null has happened
   * @param what the call that it is of, for messages
   * @return completed on a thread of ours
   */
  public CompletableFuture<Void> take(long event, String what) {
    if (event == 0) {
      return DONE;
    }
    return isReady(event) ? ended(event, what) : pending(event, what);
  }

  /**
   * Takes an event that will happen within microseconds, as {@link #take}: it looks a few times
   * before it starts to wait, since the change of threads costs more than a short transfer.
   *
   * @param event its address; an event that is null has happened
   * @param what the call that it is of, for messages
   * @return completed on a thread of ours
   */
  public CompletableFuture<Void> takeSoon(long event, String what) {
    for (int i = 0; i < LOOKS && event != 0 && !isReady(event); i++) {
      Thread.onSpinWait();
    }
    return take(event, what);
  }

  private boolean isReady(long event) {
    try (Call call = isReady.open()) {
      return call.set(MemorySegment.ofAddress(event)).invoke().get("is_ready") != 0;
    }
  }

  /** Frees an event that is ready: only of such a one the error may be asked for. */
  private CompletableFuture<Void> ended(long event, String what) {
    try {
      error.call(event);
      return DONE;
    } catch (HloException failure) {
      return CompletableFuture.failedFuture(failure.prefixed(what + ": "));
    } finally {
      destroy.call(event);
    }
  }

  private CompletableFuture<Void> pending(long event, String what) {
    CompletableFuture<Long> happened = new CompletableFuture<>();
    long number = NUMBERS.incrementAndGet();
    PENDING.put(number, happened);
    CompletableFuture<Void> future =
        happened.thenAccept(problem -> {
          destroy.call(event);
          if (problem != 0) {
            throw api.error(problem, what);
          }
        });
    try (Call call = api.call("PJRT_Event_OnReady")) {
      call.set("event", event).set("callback", STUB).set("user_arg", number).invoke();
    } catch (HloException refused) {
      PENDING.remove(number);
      throw refused;
    }
    return future;
  }

  /** Runs something once an event has happened, with or without an error. */
  public static void after(CompletableFuture<Void> event, Runnable then) {
    var _ = event.whenComplete((nothing, failure) -> then.run());
  }

  /**
   * Waits, without holding a thread in native code.
   *
   * @throws HloException the error of the event; of kind INTERRUPTED if the thread is interrupted,
   *     which ends the wait and nothing else
   */
  public static void await(CompletableFuture<Void> event) {
    if (event != DONE) {
      NativeThread.get(event, "while waiting for the plugin");
    }
  }
}
