package org.hlo4j.tools.system;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.base.Splitter;
import com.google.common.primitives.Floats;
import com.google.common.primitives.Longs;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.hlo4j.hlo.HloException;
import org.hlo4j.pjrt.PjrtClient;
import org.hlo4j.pjrt.PjrtEvaluator;
import org.hlo4j.pjrt.PjrtOptions;
import org.hlo4j.pjrt.PjrtPlugin;
import org.hlo4j.pjrt.PluginCheck;
import picocli.CommandLine.Model.CommandSpec;

/**
 * Plugins that are named as evaluators: {@code pjrt:PLUGIN,option=value,…}. The plugin is a file,
 * or a name such as {@code cpu} of one in a documented place. A value is a whole number, several
 * with colons between them, a decimal number, {@code true} or {@code false}, else a text.
 */
public final class PjrtEvaluators {
  private static final String PREFIX = "pjrt:";

  /** Closed when the process ends. */
  private static final Map<String, PjrtClient> CLIENTS = new HashMap<>();

  private PjrtEvaluators() {}

  /** Returns whether a name is that of a plugin. */
  public static boolean isNamed(String name) {
    return name.startsWith(PREFIX);
  }

  /** Returns whether the command line asks for a plugin. */
  public static boolean isRequested(CommandSpec command) {
    Object given = command.commandLine().getParseResult().matchedOptionValue("--evaluator", "");
    return given.toString().contains(PREFIX);
  }

  /** Returns the client of the plugin in this process: one for each plugin and options. */
  public static PjrtClient client(String name) {
    synchronized (CLIENTS) {
      return CLIENTS.computeIfAbsent(
          name, any -> PjrtPlugin.load(plugin(name)).client(options(name)));
    }
  }

  /** Starts the plugin in a process of its own. */
  static PjrtEvaluator isolated(String name, Optional<Duration> deadline) {
    PjrtEvaluator.Isolation isolation = PjrtEvaluator.Isolation.DEFAULT;
    return PjrtEvaluator.isolated(
        plugin(name), options(name), deadline.map(isolation::withDeadline).orElse(isolation));
  }

  /** Checks the plugin in a process of its own. */
  public static PluginCheck check(String name, Consumer<PluginCheck.Row> listener) {
    return PluginCheck.of(plugin(name), options(name), listener);
  }

  private static List<String> parts(String name) {
    require(
        isNamed(name) && name.length() > PREFIX.length(),
        "",
        "plugin: got %s, want its name or its file, such as pjrt:cpu",
        name);
    return Splitter.on(',').splitToList(name.substring(PREFIX.length()));
  }

  private static Path plugin(String name) {
    return PjrtPlugin.locate(parts(name).get(0));
  }

  private static PjrtOptions options(String name) {
    PjrtOptions options = PjrtOptions.DEFAULT;
    for (String option : parts(name).subList(1, parts(name).size())) {
      List<String> sides = Splitter.on('=').limit(2).splitToList(option);
      require(
          sides.size() == 2,
          HloException.Kind.ARGUMENT,
          "%s got %s, want NAME=VALUE",
          name,
          option);
      options = options.with(sides.get(0), value(sides.get(1)));
    }
    return options;
  }

  private static Object value(String text) {
    if (text.equals("true") || text.equals("false")) {
      return text.equals("true");
    } else if (text.matches("-?\\d+(:-?\\d+)+")) {
      return Splitter.on(':').splitToStream(text).mapToLong(Long::parseLong).toArray();
    }
    Long whole = Longs.tryParse(text);
    Float decimal = whole == null ? Floats.tryParse(text) : null;
    return whole != null ? whole : decimal != null ? decimal : text;
  }
}
