package org.hlo4j.check.external;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.hlo4j.hlo.HloException;
import org.jspecify.annotations.Nullable;

/**
 * A command that stays up. It reads a line for each program and answers with a line, {@code ok} or
 * {@code error MESSAGE}; its other lines are ignored. A command that answers what was not asked is
 * started anew, since its answers no longer belong to the questions. It is started at the first
 * question and, after it has ended or was killed since its time was over, at the next one.
 */
final class CommandServer implements AutoCloseable {
  /** How much longer the first answer may take, in which the command starts. */
  private static final Duration START = Duration.ofSeconds(30);

  private static final int LONGEST_ANSWER = 16_384;
  private static final String OK = "ok";
  private static final String ERROR = "error";
  private static final String END = "";

  private final CommandTemplate command;
  private @Nullable Running running;

  CommandServer(CommandTemplate command) {
    this.command = command;
  }

  /** A started process, its answers, and what it writes to its standard error. */
  private record Running(
      Process process, BlockingQueue<String> answers, CompletableFuture<String> messages) {}

  /**
   * Asks for one program.
   *
   * @throws HloException with the message of the server, or if it ends or does not answer in time
   */
  void ask(String line) {
    refusal(line)
        .ifPresent(message -> {
          throw new HloException(HloException.Kind.ARGUMENT, "command: " + message);
        });
  }

  /**
   * Asks for one program.
   *
   * @return the message of an error; empty if the answer is ok
   * @throws HloException if the server ends or does not answer in time
   */
  synchronized Optional<String> refusal(String line) {
    if (running != null && !running.answers.isEmpty()) {
      close(); // it has ended, or an answer was not asked for
    }
    Running old = running;
    Running asked = old == null ? started() : old;
    Duration limit = old == null ? command.deadline().plus(START) : command.deadline();
    running = asked;
    boolean isDone = false;
    try {
      asked.process.getOutputStream().write((line + "\n").getBytes(UTF_8));
      asked.process.getOutputStream().flush();
      String answer = answer(asked, limit);
      isDone = true;
      return answer.equals(OK)
          ? Optional.empty()
          : Optional.of(answer.substring(ERROR.length()).strip());
    } catch (IOException ended) {
      throw ended(asked);
    } finally {
      if (!isDone) {
        close();
      }
    }
  }

  private String answer(Running asked, Duration limit) {
    try {
      String answer = asked.answers.poll(limit.toMillis(), TimeUnit.MILLISECONDS);
      if (answer == null) {
        throw command.late(limit);
      } else if (answer.equals(END)) {
        throw ended(asked);
      }
      return answer;
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new HloException(HloException.Kind.INTERRUPTED, "command: interrupted");
    }
  }

  private static HloException ended(Running asked) {
    String last = "";
    String status = "";
    try {
      asked.process.waitFor(1, TimeUnit.SECONDS);
      status = asked.process.isAlive() ? "" : " with status " + asked.process.exitValue();
      String messages = asked.messages.get(1, TimeUnit.SECONDS);
      last = messages.isBlank() ? "" : ": " + CommandTemplate.lastLine(messages);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    } catch (java.util.concurrent.ExecutionException
        | java.util.concurrent.TimeoutException unknown) {
      // The end is told without what it wrote.
    }
    return new HloException(
        HloException.Kind.ARGUMENT, "command ended" + status + ", want ok or error" + last);
  }

  private Running started() {
    Process process = command.start(true);
    BlockingQueue<String> answers = new ArrayBlockingQueue<>(1);
    Thread.ofVirtual().start(() -> readAnswers(process, answers));
    CompletableFuture<String> messages =
        CompletableFuture.supplyAsync(
            () -> CommandTemplate.tail(process.getErrorStream()),
            task -> Thread.ofVirtual().start(task));
    return new Running(process, answers, messages);
  }

  private static void readAnswers(Process process, BlockingQueue<String> answers) {
    try {
      try (InputStream in = process.getInputStream()) {
        for (String line = line(in); line != null; line = line(in)) {
          if (line.equals(OK) || line.equals(ERROR) || line.startsWith(ERROR + " ")) {
            answers.put(line);
          }
        }
      } catch (IOException killed) {
        // The stream of a process that was killed is closed.
      }
      answers.put(END);
    } catch (InterruptedException never) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns the beginning of the next line; null at the end. */
  private static @Nullable String line(InputStream in) throws IOException {
    byte[] kept = new byte[LONGEST_ANSWER];
    int count = 0;
    int next;
    for (next = in.read(); next >= 0 && next != '\n'; next = in.read()) {
      if (count < kept.length) {
        kept[count++] = (byte) next;
      }
    }
    return next < 0 ? null : new String(kept, 0, count, UTF_8).strip();
  }

  @Override
  public synchronized void close() {
    if (running != null) {
      CommandTemplate.kill(running.process);
      running = null;
    }
  }
}
