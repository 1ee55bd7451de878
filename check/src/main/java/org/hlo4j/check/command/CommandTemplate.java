package org.hlo4j.check.command;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Iterables;
import com.google.common.collect.Sets;
import com.google.common.primitives.Bytes;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.hlo4j.hlo.HloException;
import org.hlo4j.interpreter.child.WatchedProcess;

/**
 * A command line with placeholders such as <code>{hlo}</code>, which runs as a child process. It is
 * split into words at spaces, except within single or double quotes, and no shell sees it. A word
 * that is a placeholder becomes all values of that placeholder; within a longer word, the
 * placeholder must have one value.
 *
 * <p>The process reads no input. What it writes is read to the end, and the last part of it is
 * kept. It is killed, with the processes that it has started, when its time is over, when the
 * thread is interrupted, and when this process ends ({@link WatchedProcess}).
 *
 * @param words the program and its arguments
 * @param deadline how long each run may take
 */
public record CommandTemplate(ImmutableList<String> words, Duration deadline) {
  /** How long a run may take, if nothing else is said. */
  public static final Duration DEFAULT_DEADLINE = Duration.ofMinutes(1);

  private static final int KEPT_BYTES = 16_384;
  private static final Pattern WORD = Pattern.compile("(?:'[^']*+'|\"[^\"]*+\"|[^\\s'\"]++)++");
  private static final Pattern PLACEHOLDER = Pattern.compile("\\{([a-z_]*)\\}");

  /** How long to wait for the rest of the output, which a process left behind may keep open. */
  private static final long OUTPUT_SECONDS = 5;

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
      return output.lines().filter(line -> !line.isBlank()).reduce("", (all, line) -> line.strip());
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
    require(
        known.containsAll(placeholders()),
        "",
        "command got the placeholder {%s}, want one of %s",
        Iterables.getFirst(Sets.difference(placeholders(), known), ""),
        known.stream().sorted().map(each -> "{" + each + "}").toList());
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
    WatchedProcess process = start(values, true);
    try {
      process.input().close();
      CompletableFuture<String> output =
          CompletableFuture.supplyAsync(() -> tail(process.output()), Thread::startVirtualThread);
      int status = process.awaitEnd(deadline).orElseThrow(() -> late(deadline));
      return new Ended(status, output.completeOnTimeout("", OUTPUT_SECONDS, SECONDS).join());
    } catch (InterruptedException interrupted) {
      throw interrupted();
    } catch (IOException never) {
      throw new UncheckedIOException(never);
    } finally {
      process.kill();
    }
  }

  HloException late(Duration limit) {
    return new HloException(
        HloException.Kind.LIMIT,
        String.format("command %s timed out after %s ms", words.get(0), limit.toMillis()));
  }

  static HloException interrupted() {
    Thread.currentThread().interrupt();
    return new HloException(HloException.Kind.INTERRUPTED, "command: interrupted");
  }

  /**
   * Starts the command.
   *
   * @param isMerged whether its standard error goes where its standard output goes
   */
  WatchedProcess start(Map<String, ImmutableList<String>> values, boolean isMerged) {
    ImmutableList<String> command =
        words.stream().flatMap(word -> filled(word, values).stream()).collect(toImmutableList());
    try {
      return new WatchedProcess(new ProcessBuilder(command).redirectErrorStream(isMerged));
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
    Matcher placeholder = PLACEHOLDER.matcher(word);
    if (placeholder.matches()) {
      return values.getOrDefault(placeholder.group(1), ImmutableList.of(word));
    }
    return ImmutableList.of(
        placeholder.replaceAll(found -> {
          ImmutableList<String> given =
              values.getOrDefault(found.group(1), ImmutableList.of(found.group()));
          return Matcher.quoteReplacement(String.join(" ", given));
        }));
  }

  /** Reads all output and returns the end of it. */
  private static String tail(InputStream stream) {
    byte[] before = {};
    byte[] last = {};
    try (InputStream in = stream) {
      byte[] next = in.readNBytes(KEPT_BYTES);
      while (next.length > 0) {
        before = last;
        last = next;
        next = in.readNBytes(KEPT_BYTES);
      }
    } catch (IOException killed) {
      // The stream of a process that was killed is closed.
    }
    return new String(Bytes.concat(before, last), UTF_8);
  }

  @Override
  public String toString() {
    return String.join(" ", words);
  }
}
