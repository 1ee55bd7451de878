package org.hlo4j.interpreter.child;

import com.google.common.collect.ImmutableList;
import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;
import org.jspecify.annotations.Nullable;

/** A child process that is asked one question after the other, by one thread at a time. */
final class ChildProcess {
  private static final System.Logger LOGGER = System.getLogger("org.hlo4j.pjrt");

  /** The numbers of programs that nobody needs any more. */
  private final Queue<Integer> released = new ConcurrentLinkedQueue<>();

  private final WatchedProcess process;
  private final Messages messages;
  private final ExecutorService exchange =
      Executors.newSingleThreadExecutor(
          Thread.ofPlatform().daemon().name("hlo4j-child-", 0).factory());
  private int programs;
  private volatile boolean isOver;

  /** The answer that is waited for. */
  private volatile CompletableFuture<Object> answer = new CompletableFuture<>();

  private ChildProcess(WatchedProcess process) throws IOException {
    this.process = process;
    this.messages = new Messages(process.output(), process.input());
    // A process that the child has started may keep its output open after its end.
    process.afterEnd(() -> answer.completeExceptionally(new IOException("it has ended")));
  }

  static ChildProcess start(ChildCommand command) {
    try {
      return new ChildProcess(command.start());
    } catch (IOException problem) {
      throw new HloException(Kind.IO, "child: cannot be started: " + problem.getMessage());
    }
  }

  /**
   * Returns whether it can be asked, after it has let go of what nobody needs. If it has ended
   * since its last answer, that is no fault of the next program: it is logged.
   */
  boolean isReady(Duration deadline) {
    if (isOver) {
      return false;
    }
    ImmutableList<Integer> unneeded = takeReleased();
    try {
      if (!process.isAlive()) {
        throw ended("waiting", "waiting for a program", null);
      } else if (!unneeded.isEmpty()) {
        ask(new Question.Release(unneeded), "", deadline);
      }
      return true;
    } catch (HloException unasked) {
      LOGGER.log(System.Logger.Level.WARNING, unasked.summary());
      return false;
    }
  }

  /** Returns a number for a program. */
  int nextProgram() {
    return programs++;
  }

  /** Notes that a program is not needed any more. */
  void release(int program) {
    released.add(program);
  }

  /** Returns what was released since the last call. */
  private ImmutableList<Integer> takeReleased() {
    ImmutableList.Builder<Integer> taken = ImmutableList.builder();
    for (Integer next = released.poll(); next != null; next = released.poll()) {
      taken.add(next);
    }
    return taken.build();
  }

  /**
   * Asks a question. If there is no answer the child is over: it has ended, its time was over, or
   * this thread was interrupted.
   *
   * @param subject what it is about, for the report
   * @throws HloException the error that the child answered, or why there is no answer
   */
  @SuppressWarnings("unchecked") // a question is answered by what it asks for
  <T extends Serializable> T ask(Question<T> question, String subject, Duration deadline) {
    process.clearErrors();
    CompletableFuture<Object> answered =
        CompletableFuture.supplyAsync(() -> exchanged(question), exchange);
    answer = answered;
    long millis = TimeUnit.MILLISECONDS.convert(deadline);
    String doing = question.doing() + (subject.isEmpty() ? "" : " " + subject);
    try {
      Object given = answered.get(millis, TimeUnit.MILLISECONDS);
      if (given instanceof HloException error) {
        error.setStackTrace(new HloException(error.kind(), "").getStackTrace()); // the user's
        throw error;
      }
      return (T) given;
    } catch (ExecutionException noAnswer) {
      throw noAnswer.getCause() instanceof OutOfMemoryError
          ? stopped(Kind.LIMIT, "the heap has no room for the answer of " + doing)
          : ended(question.doing(), doing, noAnswer.getCause());
    } catch (TimeoutException late) {
      String time = millis + " ms while " + doing;
      throw stopped(Kind.LIMIT, "stopped after " + time + ", want an answer in that time");
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw stopped(Kind.INTERRUPTED, "interrupted while " + doing);
    }
  }

  private Object exchanged(Question<?> question) {
    try {
      messages.write(question);
      return messages.read();
    } catch (IOException ended) {
      throw new UncheckedIOException(ended);
    }
  }

  private HloException stopped(Kind kind, String why) {
    kill();
    return new HloException(kind, "child: " + why);
  }

  /** Reports how it ended; a child that lives on but answers nonsense is killed. */
  private HloException ended(String activity, String doing, @Nullable Throwable why) {
    OptionalInt exit = process.end();
    kill();
    String status =
        exit.isPresent()
            ? ChildEnd.status(exit.getAsInt())
            : "an answer that is none (" + why + ")";
    return new ChildEnd(activity, doing, status, process.errors()).exception();
  }

  /** Asks it to close what it holds and to end, and waits for that a while. */
  void close(Duration deadline) {
    try {
      if (isReady(deadline)) {
        ask(new Question.End(), "", deadline);
        process.input().close();
        process.end();
      }
    } catch (HloException | IOException unfinished) {
      // It is killed.
    } finally {
      kill();
    }
  }

  /** Ends it, and what it has started. */
  void kill() {
    isOver = true;
    process.kill();
    exchange.shutdown();
  }
}
