package org.hlo4j.pjrt.child;

import com.google.common.collect.ImmutableList;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.hlo4j.hlo.HloException;
import org.jspecify.annotations.Nullable;

/** A child process that is asked one question after the other, by one thread at a time. */
final class ChildProcess {
  /** How long the end of a child may take whose answers have ended, and that of its output. */
  private static final long END_MILLIS = 2_000;

  private static final Set<ChildProcess> RUNNING = ConcurrentHashMap.newKeySet();

  static {
    Runtime.getRuntime()
        .addShutdownHook(new Thread(() -> RUNNING.forEach(ChildProcess::kill), "hlo4j-children"));
  }

  /** The numbers of programs that nobody needs any more. */
  private final Queue<Integer> released = new ConcurrentLinkedQueue<>();

  private final Process process;
  private final ErrorTail errors;
  private final MessageWriter out;
  private final MessageReader in;
  private final ExecutorService exchange =
      Executors.newSingleThreadExecutor(
          Thread.ofPlatform().daemon().name("hlo4j-child-", 0).factory());
  private int programs;
  private volatile boolean isOver;

  private ChildProcess(Process process) {
    this.process = process;
    this.errors = new ErrorTail(process.getErrorStream());
    this.out = new MessageWriter(process.getOutputStream());
    this.in = new MessageReader(process.getInputStream());
    RUNNING.add(this);
  }

  static ChildProcess start(ChildCommand command) {
    try {
      return new ChildProcess(command.start());
    } catch (IOException problem) {
      throw new HloException(
          HloException.Kind.IO, "child: cannot be started: " + problem.getMessage());
    }
  }

  /** Returns whether it can be asked. */
  boolean isAlive() {
    return !isOver && process.isAlive();
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
  ImmutableList<Integer> takeReleased() {
    ImmutableList.Builder<Integer> taken = ImmutableList.builder();
    for (Integer next = released.poll(); next != null; next = released.poll()) {
      taken.add(next);
    }
    return taken.build();
  }

  /** An answer, which is an error or what was asked for. */
  private record Answer<T>(Optional<T> value, Optional<HloException> error) {}

  /**
   * Asks a question. If there is no answer the child is over: it has ended, its time was over, or
   * this thread was interrupted.
   *
   * @param subject what it is about, for the report
   * @throws HloException the error that the child answered, or why there is no answer
   */
  <T> T ask(
      Question question,
      String subject,
      Duration deadline,
      MessageWriter.Parts asked,
      MessageReader.Parts<T> answer) {
    errors.clear();
    CompletableFuture<Answer<T>> answered =
        CompletableFuture.supplyAsync(() -> exchanged(question, asked, answer), exchange);
    // A process that the child has started may keep its output open after its end.
    process
        .onExit()
        .thenRunAsync(
            () -> answered.completeExceptionally(new IOException("it has ended")),
            CompletableFuture.delayedExecutor(END_MILLIS, TimeUnit.MILLISECONDS));
    String doing = question.doing() + (subject.isEmpty() ? "" : " " + subject);
    Answer<T> got;
    try {
      got = answered.get(deadline.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException noAnswer) {
      throw noAnswer.getCause() instanceof HloException refused
          ? stopped(refused) // a literal that cannot be written, or that the heap has no room for
          : ended(question, doing, noAnswer.getCause());
    } catch (TimeoutException late) {
      throw stopped(late(doing, deadline));
    } catch (InterruptedException interrupted) {
      kill();
      Thread.currentThread().interrupt();
      throw new HloException(HloException.Kind.INTERRUPTED, "child: interrupted while " + doing);
    }
    if (got.error().isPresent()) {
      HloException error = got.error().get();
      error.setStackTrace(new HloException(error.kind(), "").getStackTrace()); // those of the user
      throw error;
    }
    return got.value().orElseThrow();
  }

  private <T> Answer<T> exchanged(
      Question question, MessageWriter.Parts asked, MessageReader.Parts<T> answer) {
    try {
      out.message(question.ordinal(), asked);
      int kind = in.begin();
      return in.rest(parts ->
          kind == Question.FAILED
              ? new Answer<>(Optional.empty(), Optional.of(Failure.read(parts)))
              : new Answer<>(Optional.of(answer.readFrom(parts)), Optional.empty()));
    } catch (IOException ended) {
      throw new UncheckedIOException(ended);
    }
  }

  /** Ends the child, whose messages are not whole. */
  private HloException stopped(HloException refused) {
    kill();
    return refused;
  }

  private static HloException late(String doing, Duration deadline) {
    return new HloException(
        HloException.Kind.LIMIT,
        "child: stopped after "
            + deadline.toMillis()
            + " ms while "
            + doing
            + ", want an answer in that time");
  }

  /** Reports how it ended; a child that lives on but answers nonsense is killed. */
  private HloException ended(Question question, String doing, @Nullable Throwable why) {
    String status = "an answer that is none (" + why + ")";
    try {
      if (process.waitFor(END_MILLIS, TimeUnit.MILLISECONDS)) {
        status = ChildEnd.status(process.exitValue());
      }
      kill();
      errors.await(END_MILLIS);
    } catch (InterruptedException interrupted) {
      kill();
      Thread.currentThread().interrupt();
    }
    return new ChildEnd(question.doing(), doing, status, errors.told()).exception();
  }

  /** Asks it to close what it holds and to end, and waits for that a while. */
  void close(Duration deadline) {
    try {
      if (isAlive()) {
        ask(Question.END, "", deadline, MessageWriter.Parts.NONE, MessageReader.NOTHING);
        process.getOutputStream().close();
        process.waitFor(END_MILLIS, TimeUnit.MILLISECONDS);
      }
    } catch (HloException | IOException unfinished) {
      // It is killed.
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    } finally {
      kill();
    }
  }

  /** Ends it, and what it has started. */
  void kill() {
    isOver = true;
    RUNNING.remove(this);
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
    exchange.shutdown();
  }
}
