package org.hlo4j.check.command;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.collect.Iterables;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.hlo4j.hlo.HloException;
import org.hlo4j.interpreter.child.WatchedProcess;
import org.jspecify.annotations.Nullable;

/**
 * A command that stays up. It reads a line for each program and answers with a line, {@code ok} or
 * {@code error MESSAGE}; its other lines are ignored. A command that answers what was not asked is
 * started anew, since its answers no longer belong to the questions. It is started at the first
 * question and, after it has ended or was killed since its time was over, at the next one.
 */
public final class CommandServer implements AutoCloseable {
  /** How much longer the first answer may take, in which the command starts. */
  private static final Duration START = Duration.ofSeconds(30);

  private static final String OK = "ok";
  private static final String ERROR = "error";

  /** What stands for an answer that was there before the question, and for none at the end. */
  private static final String UNASKED = "unasked";

  private static final String END = "";

  private final CommandTemplate command;
  private @Nullable Running running;

  private record Running(WatchedProcess process, BufferedReader output) {}

  /**
   * Creates a server, which is not yet started.
   *
   * @param command the command
   */
  public CommandServer(CommandTemplate command) {
    this.command = command;
  }

  /**
   * Asks for one program.
   *
   * @param line the question
   * @return the message of an error; empty if the answer is ok
   * @throws HloException if the server ends or does not answer in time
   */
  public synchronized Optional<String> refusal(String line) {
    Running old = running;
    Running asked = old == null || !old.process().isAlive() ? started() : old;
    boolean isNew = !asked.equals(old);
    running = asked;
    String answer = END;
    try {
      answer = answer(asked, line, isNew ? command.deadline().plus(START) : command.deadline());
      if (answer.equals(END)) {
        throw ended(asked.process());
      }
    } finally {
      if (answer.equals(END) || answer.equals(UNASKED)) {
        close();
      }
    }
    return switch (answer) {
      case OK -> Optional.empty();
      case UNASKED -> refusal(line);
      default -> Optional.of(answer.substring(ERROR.length()).strip());
    };
  }

  private Running started() {
    WatchedProcess process = command.start(Map.of(), false);
    return new Running(process, new BufferedReader(new InputStreamReader(process.output(), UTF_8)));
  }

  private String answer(Running asked, String line, Duration limit) {
    try {
      return CompletableFuture.supplyAsync(() -> exchanged(asked, line), Thread::startVirtualThread)
          .get(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException late) {
      throw command.late(limit);
    } catch (InterruptedException interrupted) {
      throw CommandTemplate.interrupted();
    } catch (ExecutionException never) {
      throw new AssertionError(never);
    }
  }

  private static String exchanged(Running asked, String line) {
    try {
      while (asked.output().ready()) {
        if (isAnswer(String.valueOf(asked.output().readLine()).strip())) {
          return UNASKED;
        }
      }
      asked.process().input().write((line + "\n").getBytes(UTF_8));
      asked.process().input().flush();
      return asked
          .output()
          .lines()
          .map(String::strip)
          .filter(CommandServer::isAnswer)
          .findFirst()
          .orElse(END);
    } catch (IOException | UncheckedIOException ended) {
      return END;
    }
  }

  private static boolean isAnswer(String line) {
    return line.equals(OK) || line.equals(ERROR) || line.startsWith(ERROR + " ");
  }

  private static HloException ended(WatchedProcess asked) {
    OptionalInt exit = asked.end();
    String status = exit.isPresent() ? " with status " + exit.getAsInt() : "";
    String last = asked.errors().isEmpty() ? "" : ": " + Iterables.getLast(asked.errors());
    return new HloException(
        HloException.Kind.ARGUMENT, "command ended" + status + ", want ok or error" + last);
  }

  /** Stops the server; the next question starts it again. */
  @Override
  public synchronized void close() {
    if (running != null) {
      running.process().kill();
      running = null;
    }
  }
}
