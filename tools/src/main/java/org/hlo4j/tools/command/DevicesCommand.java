package org.hlo4j.tools.command;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.joining;

import com.google.common.base.Ascii;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.source.WholeFile;
import org.hlo4j.pjrt.PjrtClient;
import org.hlo4j.pjrt.PjrtDevice;
import org.hlo4j.pjrt.PjrtMemory;
import org.hlo4j.pjrt.PjrtPlugin;
import org.hlo4j.pjrt.PluginCheck;
import org.hlo4j.tools.cases.Outcome;
import org.hlo4j.tools.conformance.ConformanceReport;
import org.hlo4j.tools.conformance.Standing;
import org.hlo4j.tools.console.FormatArguments;
import org.hlo4j.tools.system.PjrtEvaluators;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command {@code hlo4j devices}. */
@Command(
    name = "devices",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Prints the devices of a PJRT plugin, and what it says of itself.",
    footerHeading = "%n",
    footer = {
      "The plugin is a file, or the name of one: HLO4J_PJRT_PLUGINS and"
          + " PJRT_NAMES_AND_LIBRARY_PATHS may have cpu:/path/plugin.so; else it is looked for in"
          + " ~/.hlo4j/pjrt and among Python's packages. Behind it may be options of its client.",
      "\"missing\" are functions of the newest interface that the plugin does not have.",
      "--check calls the functions of the interface, valid and wrong ones, in a process of its own:"
          + " a check that ends it has died, and the next goes on in another. The exit status is 1"
          + " if a check failed or died. For the values of programs run the conformance suite:"
          + " hlo4j conformance DIR --run --evaluator pjrt:PLUGIN.",
      "",
      "Examples:",
      "  hlo4j devices cpu",
      "  hlo4j devices cpu,cpu_device_count=8",
      "  hlo4j devices /path/plugin.so --format json",
      "  hlo4j devices --check /path/plugin.so --junit check.xml"
    })
public final class DevicesCommand implements Callable<Integer> {
  @Parameters(paramLabel = "PLUGIN", description = "The plugin: PLUGIN[,option=value].")
  private String plugin;

  @Option(names = "--check", description = "Check whether the plugin keeps to the interface.")
  private boolean isCheck;

  @Option(
      names = "--junit",
      paramLabel = "FILE",
      description = "With --check: write the outcomes as JUnit's XML.")
  private Optional<Path> junit = Optional.empty();

  @Mixin private FormatArguments format;

  @Spec private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // fields are set by picocli
  DevicesCommand() {}

  @Override
  public Integer call() throws IOException {
    HloException.require(isCheck || junit.isEmpty(), "", "--junit: got no --check, want it");
    String name = PjrtEvaluators.isNamed(plugin) ? plugin : "pjrt:" + plugin;
    if (isCheck) {
      return check(name);
    }
    PjrtClient client = PjrtEvaluators.client(name);
    if (format.isJson()) {
      FormatArguments.print(spec.commandLine().getOut(), json(client));
    } else {
      print(client);
    }
    return 0;
  }

  private int check(String name) throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    ConformanceReport report = new ConformanceReport(List.of());
    PluginCheck check =
        PjrtEvaluators.check(
            name,
            row -> {
              report.add(entry(row));
              if (!format.isJson()) {
                out.println(line(row));
                out.flush();
              }
            });
    if (format.isJson()) {
      FormatArguments.print(out, json(check));
    } else {
      out.println(
          totals(check).entrySet().stream()
              .map(each -> each.getValue() + " " + each.getKey())
              .collect(joining(", ")));
    }
    if (junit.isPresent()) {
      byte[] xml = report.junit().getBytes(UTF_8);
      WholeFile.write(junit.get(), file -> file.write(xml));
    }
    return check.isPassed() ? 0 : 1;
  }

  private ConformanceReport.Entry entry(PluginCheck.Row row) {
    return new ConformanceReport.Entry(
        plugin, row.function(), "", row.want(), Standing.REQUIRED, row.name(), outcome(row));
  }

  private static Outcome outcome(PluginCheck.Row row) {
    return switch (row.verdict()) {
      case PASSED -> new Outcome.Passed();
      case UNSUPPORTED -> new Outcome.Unsupported(row.words());
      case FAILED, DIED -> new Outcome.Failed(row.words());
    };
  }

  private static String line(PluginCheck.Row row) {
    return row.verdict() == PluginCheck.Verdict.DIED
        ? "DIED " + row.name() + " " + row.words()
        : outcome(row).line(row.name());
  }

  private static ImmutableMap<String, Long> totals(PluginCheck check) {
    return Arrays.stream(PluginCheck.Verdict.values())
        .collect(ImmutableMap.toImmutableMap(each -> Ascii.toLowerCase(each.name()), check::count));
  }

  private JsonObject json(PluginCheck check) {
    JsonObject json = new JsonObject();
    json.addProperty("plugin", plugin);
    totals(check).forEach(json::addProperty);
    JsonArray checks = new JsonArray();
    for (PluginCheck.Row row : check.rows()) {
      JsonObject each = outcome(row).json(row.name());
      each.addProperty("outcome", Ascii.toLowerCase(row.verdict().name()));
      each.addProperty("function", row.function());
      each.addProperty("want", row.want());
      checks.add(each);
    }
    json.add("checks", checks);
    return json;
  }

  private void print(PjrtClient client) {
    PjrtPlugin loaded = client.plugin();
    line("plugin", loaded.path());
    line("interface", "PJRT C API " + loaded.apiVersion());
    line("platform", client.platform() + ", " + firstLine(client.platformVersion()));
    loaded.attributes().forEach((name, value) -> line(name, text(value)));
    line("extensions", listed(loaded.extensions()));
    line("missing", listed(loaded.missingFunctions()));
    for (PjrtDevice device : client.devices()) {
      line("device " + device.id(), device.kind() + ", memories " + listed(memories(device)));
      device.attributes().forEach((name, value) -> line("  " + name, text(value)));
      device
          .memoryStatistics()
          .ifPresent(all -> all.forEach((name, value) -> line("  " + name, value)));
    }
  }

  private void line(String name, Object value) {
    PrintWriter out = spec.commandLine().getOut();
    out.println((name + " ".repeat(Math.max(1, 16 - name.length())) + value).stripTrailing());
  }

  private static String firstLine(String text) {
    return text.lines().findFirst().orElse("");
  }

  private static String listed(List<String> names) {
    return names.isEmpty() ? "none" : String.join(", ", names);
  }

  private static ImmutableList<String> memories(PjrtDevice device) {
    return device.memories().stream()
        .map(PjrtMemory::kind)
        .collect(ImmutableList.toImmutableList());
  }

  /** Returns a value of an attribute; numbers of versions with points. */
  private static String text(Object value) {
    return value instanceof long[] numbers
        ? Arrays.stream(numbers).mapToObj(Long::toString).collect(joining("."))
        : value.toString();
  }

  private static JsonObject json(PjrtClient client) {
    PjrtPlugin loaded = client.plugin();
    JsonObject json = new JsonObject();
    json.addProperty("plugin", loaded.path().toString());
    json.addProperty("interface", loaded.apiVersion());
    json.addProperty("platform", client.platform());
    json.addProperty("version", client.platformVersion());
    json.add("attributes", json(loaded.attributes()));
    json.add("extensions", json(loaded.extensions()));
    json.add("missing", json(loaded.missingFunctions()));
    JsonArray devices = new JsonArray();
    client.devices().forEach(device -> devices.add(json(device)));
    json.add("devices", devices);
    return json;
  }

  private static JsonObject json(PjrtDevice device) {
    JsonObject json = new JsonObject();
    json.addProperty("id", device.id());
    json.addProperty("kind", device.kind());
    json.add("memories", json(memories(device)));
    json.add("attributes", json(device.attributes()));
    device.memoryStatistics().ifPresent(all -> json.add("statistics", json(all)));
    return json;
  }

  private static JsonArray json(List<String> names) {
    JsonArray array = new JsonArray();
    names.forEach(array::add);
    return array;
  }

  private static JsonObject json(Map<String, ?> values) {
    JsonObject json = new JsonObject();
    values.forEach((name, value) -> {
      if (value instanceof Number number) {
        json.addProperty(name, number);
      } else if (value instanceof Boolean truth) {
        json.addProperty(name, truth);
      } else {
        json.addProperty(name, text(value));
      }
    });
    return json;
  }
}
