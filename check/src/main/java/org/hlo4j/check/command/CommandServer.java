package org.hlo4j.check.command;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.collect.Iterables;
import java.io.IOException;
import java.io.InputStream;
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

  private static final int LONGEST_ANSWER = 16_384;
  private static final String OK = "ok";
  private static final String ERROR = "error";

  /** What stands for an answer that was there before the question, and for none at the end. */
  private static final String UNASKED = "unasked";

  private static final String END = "";

  private final CommandTemplate command;
  private @Nullable WatchedProcess running;

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
    WatchedProcess old = running;
    WatchedProcess asked = old == null || !old.isAlive() ? command.start(Map.of(), false) : old;
    boolean isNew = asked != old;
    running = asked;
    String answer = END;
    try {
      answer = answer(asked, line, isNew ? command.deadline().plus(START) : command.deadline());
      if (answer.equals(END)) {
        throw ended(asked);
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

  private String answer(WatchedProcess asked, String line, Duration limit) {
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

  private static String exchanged(WatchedProcess asked, String line) {
    InputStream in = asked.output();
    try {
      while (in.available() > 0) {
        if (isAnswer(line(in))) {
          return UNASKED;
        }
      }
      asked.input().write((line + "\n").getBytes(UTF_8));
      asked.input().flush();
      String answer = line(in);
      while (!isAnswer(answer)) {
        answer = line(in);
      }
      return answer;
    } catch (IOException ended) {
      return END;
    }
  }

  private static boolean isAnswer(String line) {
    return line.equals(OK) || line.equals(ERROR) || line.startsWith(ERROR + " ");
  }

  /** Returns the beginning of the next line. */
  private static String line(InputStream in) throws IOException {
    byte[] kept = new byte[LONGEST_ANSWER];
    int count = 0;
    for (int next = in.read(); next != '\n'; next = in.read()) {
      if (next < 0) {
        throw new IOException("no more lines");
      } else if (count < kept.length) {
        kept[count++] = (byte) next;
      }
    }
    return new String(kept, 0, count, UTF_8).strip();
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
      running.kill();
      running = null;
    }
  }
}
