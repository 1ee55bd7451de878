package org.hlo4j.pjrt;

import com.google.common.collect.ImmutableList;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Function;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;
import org.hlo4j.interpreter.child.ChildEvaluator;

/**
 * A test of a plugin: 124 checks of the functions of PJRT's C API, each of what it returns and of
 * what it refuses. They run in a process of their own, so that a plugin that ends its process has
 * one check that died, and the next check gets a new process.
 *
 * <pre>{@code
 * PluginCheck check = PluginCheck.of(PjrtPlugin.locate("cpu"), PjrtOptions.DEFAULT, row -> {});
 * check.rows().stream().filter(row -> row.verdict().isFault()).forEach(System.out::println);
 * }</pre>
 *
 * <p>Values of programs are the matter of the conformance suite: {@code hlo4j conformance suite
 * --run --evaluator pjrt:PLUGIN}.
 *
 * @param rows what came out of each check, in their order; if the plugin cannot be loaded or makes
 *     no client, only those up to there
 */
public record PluginCheck(ImmutableList<Row> rows) {
  private static final PjrtEvaluator.Isolation ISOLATION =
      PjrtEvaluator.Isolation.DEFAULT.withDeadline(Duration.ofMinutes(1));

  /** How a check came out. */
  public enum Verdict {
    /** What must hold holds. */
    PASSED,
    /** It does not hold, or took more than a minute. */
    FAILED,
    /** The plugin does not have the function, or says that it does not do this. */
    UNSUPPORTED,
    /** The process of the plugin ended. */
    DIED;

    /**
     * Returns whether the plugin is at fault.
     *
     * @return whether it failed or died
     */
    public boolean isFault() {
      return this == FAILED || this == DIED;
    }
  }

  /**
   * What came out of a check.
   *
   * @param name the name of the check
   * @param function the function of the interface that it is about
   * @param want what must hold
   * @param verdict how it came out
   * @param words what the plugin did instead; empty if it passed
   */
  public record Row(String name, String function, String want, Verdict verdict, String words) {}

  /**
   * Checks a plugin.
   *
   * @param plugin the shared library
   * @param options the options of its client
   * @param listener gets each row as soon as its check is over
   * @return what came out
   * @throws HloException of the kind {@link Kind#IO} if no process can be started
   */
  public static PluginCheck of(Path plugin, PjrtOptions options, Consumer<Row> listener) {
    return of(plugin, options, CheckedPlugin.class, listener);
  }

  static PluginCheck of(
      Path plugin,
      PjrtOptions options,
      Class<? extends CheckedPlugin> system,
      Consumer<Row> listener) {
    try (ChildEvaluator children =
        new ChildEvaluator(IsolatedPlugin.settings(plugin, options, ISOLATION, system))) {
      return of(question -> children.answer(question, new byte[0]), listener);
    }
  }

  /** Checks what answers the questions of {@link CheckedPlugin}. */
  static PluginCheck of(Function<String, String> plugin, Consumer<Row> listener) {
    ImmutableList.Builder<Row> rows = ImmutableList.builder();
    for (PluginCall call : PluginCall.ALL) {
      Row row = row(call, plugin);
      rows.add(row);
      listener.accept(row);
      if (call.isNeeded() && row.verdict() != Verdict.PASSED) {
        break;
      }
    }
    return new PluginCheck(rows.build());
  }

  private static Row row(PluginCall call, Function<String, String> plugin) {
    Verdict verdict = Verdict.PASSED;
    String words = "";
    try {
      words = plugin.apply(call.question());
    } catch (HloException problem) {
      verdict =
          switch (problem.kind()) {
            case ENDED -> Verdict.DIED;
            case UNSUPPORTED -> Verdict.UNSUPPORTED;
            default -> Verdict.FAILED;
          };
      words = problem.summary();
    }
    return new Row(call.name(), call.function(), call.want(), verdict, words);
  }

  /**
   * Returns how many checks came out in a way.
   *
   * @param verdict the way
   * @return their number
   */
  public long count(Verdict verdict) {
    return rows.stream().filter(row -> row.verdict() == verdict).count();
  }

  /**
   * Returns whether no check found a fault.
   *
   * @return whether none failed or died
   */
  public boolean isPassed() {
    return rows.stream().noneMatch(row -> row.verdict().isFault());
  }
}
