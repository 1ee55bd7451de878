package org.hlo4j.check.external;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.hlo4j.hlo.HloException;

/**
 * A command line with placeholders such as <code>{hlo}</code>, which runs as a child process. It is
 * split into words at spaces, except within single or double quotes, and no shell sees it. A word
 * that is a placeholder becomes all values of that placeholder; within a longer word, the
 * placeholder must have one value.
 *
 * <p>The process reads no input. What it writes is read to the end, and the last part of it is
 * kept. It is killed, with the processes that it has started, when its time is over, when the
 * thread is interrupted, and when this process ends. When it ends itself, those that it has left
 * behind are killed too, unless it ends within a millisecond or so of starting them.
 */
public final class CommandTemplate {
  private static final Duration DEFAULT_DEADLINE = Duration.ofMinutes(1);
  private static final int KEPT_BYTES = 16_384;
  private static final Pattern WORD = Pattern.compile("(?:'[^']*+'|\"[^\"]*+\"|[^\\s'\"]++)++");
  private static final Pattern PLACEHOLDER = Pattern.compile("\\{([a-z_]*)\\}");
  private static final long MAX_POLL_MILLIS = 20;

  /** How long to wait for the rest of the output, which a process left behind may keep open. */
  private static final long OUTPUT_SECONDS = 5;

  /** The processes that run, each with the processes that it was seen to start. */
  private static final Map<Process, Set<ProcessHandle>> RUNNING = new ConcurrentHashMap<>();

  static {
    Runtime.getRuntime()
        .addShutdownHook(new Thread(() -> RUNNING.keySet().forEach(CommandTemplate::kill)));
  }

  private final ImmutableList<String> words;
  private final Duration deadline;

  private CommandTemplate(ImmutableList<String> words, Duration deadline) {
    this.words = words;
    this.deadline = deadline;
  }

  /**
   * How a command ended.
   *
   * @param status its exit status
   * @param output the end of what it wrote to its standard output and standard error
   */
  public record Ended(int status, String output) {
    /**
     * Returns the last line of the output that is not blank.
     *
     * @return the line; empty if there is none
     */
    public String lastLine() {
      return CommandTemplate.lastLine(output);
    }
  }

  /**
   * Parses a command line.
   *
   * @param text the program and its arguments
   * @return the command, with a minute of time for each run
   * @throws HloException if there is no word, or a quote is not closed
   */
  public static CommandTemplate parse(String text) {
    String rest = WORD.matcher(text).replaceAll("").strip();
    require(rest.isEmpty(), "", "command got %s, whose quote is not closed", text);
    ImmutableList<String> words =
        WORD.matcher(text)
            .results()
            .map(word -> word.group().replaceAll("'([^']*)'|\"([^\"]*)\"", "$1$2"))
            .collect(toImmutableList());
    require(!words.isEmpty(), "", "command got no word, want a program to start");
    return new CommandTemplate(words, DEFAULT_DEADLINE);
  }

  /**
   * Returns the command with another limit of time.
   *
   * @param time how long each run may take
   * @return the command
   */
  public CommandTemplate withDeadline(Duration time) {
    return new CommandTemplate(words, time);
  }

  /**
   * Returns the placeholders.
   *
   * @return their names, without braces
   */
  public ImmutableSet<String> placeholders() {
    return words.stream()
        .flatMap(word -> PLACEHOLDER.matcher(word).results())
        .map(found -> found.group(1))
        .collect(ImmutableSet.toImmutableSet());
  }

  /**
   * Requires that the command has no placeholder but these.
   *
   * @param known the names
   * @throws HloException if it has another one
   */
  public void requirePlaceholders(Set<String> known) {
    for (String name : placeholders()) {
      require(
          known.contains(name),
          "",
          "command got the placeholder {%s}, want one of %s",
          name,
          known.stream().sorted().map(each -> "{" + each + "}").toList());
    }
  }

  /**
   * Runs the command and waits for its end.
   *
   * @param values the values of the placeholders
   * @return how it ended
   * @throws HloException if it cannot be started, does not end in time, or the thread is
   *     interrupted
   */
  public Ended run(Map<String, ImmutableList<String>> values) {
    Process process = start(values, false);
    try {
      CompletableFuture<String> output =
          CompletableFuture.supplyAsync(
              () -> tail(process.getInputStream()), task -> Thread.ofVirtual().start(task));
      if (!endsInTime(process)) {
        throw late(deadline);
      }
      killStarted(process); // a process that it has left behind may keep the output open
      return new Ended(process.exitValue(), output.get(OUTPUT_SECONDS, TimeUnit.SECONDS));
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new HloException(HloException.Kind.INTERRUPTED, "command: interrupted");
    } catch (TimeoutException leftBehind) {
      return new Ended(process.exitValue(), "");
    } catch (ExecutionException unreadable) {
      throw new HloException(
          HloException.Kind.IO, "command: its output cannot be read: " + unreadable.getMessage());
    } finally {
      kill(process);
    }
  }

  /**
   * Waits for the end of a process, and notes which processes it starts: once it has ended, they
   * are no longer known as its descendants.
   */
  private boolean endsInTime(Process process) throws InterruptedException {
    Set<ProcessHandle> started = RUNNING.getOrDefault(process, Set.of());
    long end = System.nanoTime() + deadline.toNanos();
    for (long wait = 1; System.nanoTime() - end < 0; wait = Math.min(2 * wait, MAX_POLL_MILLIS)) {
      if (process.waitFor(wait, TimeUnit.MILLISECONDS)) {
        return true;
      }
      process.descendants().forEach(started::add);
    }
    return process.waitFor(0, TimeUnit.MILLISECONDS);
  }

  Duration deadline() {
    return deadline;
  }

  HloException late(Duration limit) {
    return new HloException(
        HloException.Kind.LIMIT,
        String.format("command %s timed out after %s ms", words.get(0), limit.toMillis()));
  }

  /** Starts the command, which stays up and is asked through its standard input. */
  Process start(boolean isServer) {
    return start(Map.of(), isServer);
  }

  private Process start(Map<String, ImmutableList<String>> values, boolean isServer) {
    ImmutableList<String> command =
        words.stream().flatMap(word -> filled(word, values).stream()).collect(toImmutableList());
    try {
      ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(!isServer);
      Process process = builder.start();
      RUNNING.put(process, Sets.newConcurrentHashSet());
      if (!isServer) {
        process.getOutputStream().close();
      }
      return process;
    } catch (IOException problem) {
      throw new HloException(
          HloException.Kind.IO,
          String.format(
              "command got %s, want a program that can be started: %s",
              command.get(0), problem.getMessage()));
    }
  }

  private static ImmutableList<String> filled(
      String word, Map<String, ImmutableList<String>> values) {
    Matcher whole = PLACEHOLDER.matcher(word);
    if (whole.matches()) {
      return values.getOrDefault(whole.group(1), ImmutableList.of(word));
    }
    String filled =
        PLACEHOLDER
            .matcher(word)
            .replaceAll(found -> {
              ImmutableList<String> given = values.get(found.group(1));
              return Matcher.quoteReplacement(
                  given == null ? found.group() : String.join(" ", given));
            });
    return ImmutableList.of(filled);
  }

  /** Kills a process and those that it has started, and closes its output. */
  static void kill(Process process) {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
    killStarted(process);
  }

  /** Kills what a process has started. Its own output can still be read. */
  private static void killStarted(Process process) {
    Set<ProcessHandle> started = RUNNING.remove(process);
    if (started != null) {
      started.forEach(ProcessHandle::destroyForcibly);
    }
  }

  static String lastLine(String output) {
    return output.lines().filter(line -> !line.isBlank()).reduce("", (all, line) -> line.strip());
  }

  /** Reads all output and returns the end of it. */
  static String tail(InputStream stream) {
    byte[] kept = new byte[2 * KEPT_BYTES];
    int count = 0;
    try (InputStream in = stream) {
      int read;
      while ((read = in.read(kept, count, kept.length - count)) >= 0) {
        count += read;
        if (count == kept.length) {
          System.arraycopy(kept, KEPT_BYTES, kept, 0, KEPT_BYTES);
          count = KEPT_BYTES;
        }
      }
    } catch (IOException killed) {
      // The stream of a process that was killed is closed.
    }
    return new String(kept, 0, count, UTF_8);
  }

  @Override
  public String toString() {
    return String.join(" ", words);
  }
}
