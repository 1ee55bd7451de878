package org.hlo4j.tools.command;

import static com.google.common.collect.ImmutableMap.toImmutableMap;

import com.google.common.base.Strings;
import com.google.common.collect.ImmutableMap;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.hlo4j.hlo.Literal;
import org.hlo4j.interpreter.Executable;
import org.hlo4j.interpreter.MachineLimits;
import org.hlo4j.interpreter.Profile;
import org.hlo4j.tools.console.FormatArguments;
import org.hlo4j.tools.console.NameConverter;
import org.hlo4j.tools.console.Progress;
import org.hlo4j.tools.graph.HtmlGraph;
import org.hlo4j.tools.input.BindArguments;
import org.hlo4j.tools.input.InputArguments;
import org.hlo4j.tools.program.Findings;
import org.hlo4j.tools.system.EvaluatorArguments;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command {@code hlo4j profile}. */
@Command(
    name = "profile",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Measures the steps of a program: where its time goes, and what limits each.",
    footerHeading = "\n",
    footer = {
      "A line for each step, the slowest first: its share of the time, the time of a run,"
          + " arithmetic and memory speed, and how near that is to what this machine does at most,"
          + " in arithmetic (flop) or memory (mem). The machine is measured, too. --by op sums the"
          + " steps by opcode, --by scope as a tree of the names in op_name, such as"
          + " jit(f)/layer_1.",
      "",
      "Examples:",
      "  hlo4j profile f.hlo --random 1",
      "  hlo4j profile f.hlo --random 1 --by scope --depth 3",
      "  hlo4j profile f.hlo --random 1 --format html > f.html"
    })
public final class ProfileCommand implements Callable<Integer> {
  private static final ImmutableMap<String, Integer> GROUPS =
      ImmutableMap.of("step", 0, "op", 1, "scope", 2);

  /** The format of the profile. */
  enum Format {
    TEXT,
    JSON,
    HTML;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** A parser of a format's name. */
  static final class FormatConverter extends NameConverter<Format> {
    FormatConverter() {
      super(Format.class);
    }
  }

  @Parameters(paramLabel = "FILE", description = "The program.")
  private String file;

  @Mixin private InputArguments inputs;

  @Mixin private BindArguments bind;

  @Option(
      names = {"-n", "--runs"},
      paramLabel = "N",
      defaultValue = "20",
      description = "The number of runs that are measured. Default: ${DEFAULT-VALUE}.")
  private int runs;

  @Option(
      names = {"-w", "--warmup"},
      paramLabel = "N",
      description =
          "The number of warm-up runs. Default: until times are steady and the JIT compiler is"
              + " idle, at most 20 s.")
  private Optional<Integer> warmup = Optional.empty();

  @Option(
      names = "--top",
      paramLabel = "N",
      defaultValue = "30",
      description = "The number of lines. Default: ${DEFAULT-VALUE}.")
  private int top;

  @Option(
      names = "--by",
      paramLabel = "WHAT",
      defaultValue = "step",
      description = "What a line is: step, op or scope. Default: ${DEFAULT-VALUE}.")
  private String by;

  @Option(
      names = "--depth",
      paramLabel = "N",
      defaultValue = "2",
      description = "How deep scopes are shown. Default: ${DEFAULT-VALUE}.")
  private int depth;

  @Mixin private EvaluatorArguments evaluator;

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      defaultValue = "text",
      converter = FormatConverter.class,
      description =
          "The output format: ${COMPLETION-CANDIDATES}. json is one JSON object, described in"
              + " docs/markdown/reference/command.md; html is the graph of the steps as a page, as"
              + " print writes it, coloured by their share of the time. Default: ${DEFAULT-VALUE}.")
  private Format format = Format.TEXT;

  @Spec private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // fields are set by picocli
  public ProfileCommand() {}

  @Override
  public Integer call() throws IOException {
    if (runs < 1 || warmup.orElse(0) < 0 || top < 1 || depth < 1 || !GROUPS.containsKey(by)) {
      throw new ParameterException(spec.commandLine(), wrongOption());
    }
    InputArguments.Prepared prepared = inputs.prepare(file);
    Set<String> bound = bind.names(prepared);
    MachineLimits machine = MachineLimits.measured(); // as long as Java compiles nothing else
    Profile profile = Findings.located(prepared.program(), () -> profile(prepared, bound));
    MachineLimits limits =
        profile.steps().stream()
            .map(step -> machine.raisedTo(1e9 * step.flops() / Math.max(1, step.nanos())))
            .max(Comparator.comparingDouble(MachineLimits::flopsPerSecond))
            .orElse(machine);
    switch (format) {
      case TEXT -> print(profile, limits, BindArguments.describe(prepared, bound));
      case JSON -> FormatArguments.print(spec.commandLine().getOut(), json(profile, limits, bound));
      case HTML -> spec.commandLine().getOut().print(html(profile));
    }
    return 0;
  }

  private static String html(Profile profile) {
    double all = Math.max(1, profile.nanos());
    return HtmlGraph.print(
        profile.module(),
        profile.steps().stream()
            .collect(toImmutableMap(Profile.Step::instruction, step -> step.nanos() / all)));
  }

  private String wrongOption() {
    return !GROUPS.containsKey(by)
        ? "--by got " + by + ", want one of " + String.join(", ", GROUPS.keySet())
        : String.format(
            "got --runs %s, --warmup %s, --top %s, --depth %s, want at least 1, 0, 1 and 1",
            runs, warmup.orElse(0), top, depth);
  }

  private Profile profile(InputArguments.Prepared prepared, Set<String> names) {
    try (Progress progress = Progress.of(spec, 2)) {
      Executable whole = evaluator.evaluator().compile(prepared.program().module());
      progress.next("warming up " + file);
      if (!prepared.isWhole()) {
        new Measurement(() -> whole.runOnDevices(prepared.arguments()), () -> true, 1)
            .warmUp(warmup);
        progress.next("measuring " + file);
        return whole.profileOnDevices(runs, prepared.arguments());
      }
      BindArguments.Bound program = BindArguments.bound(whole, prepared, names);
      new Measurement(program::run, program::isWarm, 1).warmUp(warmup);
      progress.next("measuring " + file);
      return program.program().profile(runs, program.arguments().toArray(Literal[]::new));
    }
  }

  /** A line: what it is about, and its figures. */
  private record Row(String name, String kernel, double nanos, double flops, double bytes) {}

  private List<Row> rows(Profile profile) {
    return switch (by) {
      case "step" ->
          profile.steps().stream()
              .sorted(Comparator.comparingDouble(Profile.Step::nanos).reversed())
              .map(step -> row(profile, step))
              .toList();
      case "op" ->
          profile.groups(Profile.Step::opcode).stream()
              .map(group -> row(group, group.name()))
              .toList();
      default -> scopes(profile.scopes(), 0).toList();
    };
  }

  private static Row row(Profile profile, Profile.Step step) {
    boolean isInner = step.computation() != profile.module().entry();
    String name =
        step.instruction().name()
            + (isInner ? " in " + step.computation().name() : "")
            + " "
            + step.shape();
    String calls =
        step.calls() == 1 ? "" : String.format(Locale.ROOT, ", %.3g times", step.calls());
    return new Row(name, step.kernel() + calls, step.nanos(), step.flops(), step.bytes());
  }

  private static Row row(Profile.Group group, String name) {
    String count = group.steps() == 1 ? "1 step" : group.steps() + " steps";
    return new Row(name, count, group.nanos(), group.flops(), group.bytes());
  }

  /** Returns a scope and those in it, down to the requested depth. */
  private Stream<Row> scopes(Profile.Scope scope, int level) {
    String name = level == 0 ? "all" : "  ".repeat(level) + scope.sum().name();
    return Stream.concat(
        Stream.of(row(scope.sum(), name)),
        level == depth
            ? Stream.empty()
            : scope.scopes().stream().flatMap(inner -> scopes(inner, level + 1)));
  }

  private void print(Profile profile, MachineLimits limits, String bound) {
    PrintWriter out = spec.commandLine().getOut();
    out.printf(
        Locale.ROOT,
        "%.3f ms a run, the median of %s%s; this machine: %.0f GFLOP/s, %.1f GB/s\n",
        profile.nanos() / 1e6,
        runs == 1 ? "1 run" : runs + " runs",
        bound.isEmpty() ? "" : " with " + bound + " bound",
        limits.flopsPerSecond() / 1e9,
        limits.bytesPerSecond() / 1e9);
    out.println(" share     time µs  GFLOP/s    GB/s  of limit  " + by);
    List<Row> rows = rows(profile);
    for (Row row : rows.subList(0, Math.min(top, rows.size()))) {
      out.println(line(row, profile.nanos(), limits).stripTrailing());
    }
    if (rows.size() > top && by.equals("scope")) {
      out.println(rows.size() - top + " more"); // parts of others, which are not to be added up
    } else if (rows.size() > top) {
      double rest = rows.subList(top, rows.size()).stream().mapToDouble(Row::nanos).sum();
      out.printf(
          Locale.ROOT,
          "%5.1f %% %11.1f  %s more\n",
          100 * rest / Math.max(1, profile.nanos()),
          rest / 1000,
          rows.size() - top);
    }
  }

  private static String line(Row row, double all, MachineLimits limits) {
    double nanos = Math.max(1, row.nanos());
    double share = limits.nanos(row.flops(), row.bytes()) / nanos;
    String limit = limits.isMemoryBound(row.flops(), row.bytes()) ? "mem" : "flop";
    return String.format(
        Locale.ROOT,
        "%5.1f %% %11.1f %8.1f %7.1f %4.0f %% %s  %s  %s",
        100 * row.nanos() / Math.max(1, all),
        row.nanos() / 1000,
        row.flops() / nanos,
        row.bytes() / nanos,
        100 * share,
        Strings.padEnd(limit, 4, ' '),
        row.name(),
        row.kernel());
  }

  private static JsonObject json(Profile profile, MachineLimits limits, Set<String> bound) {
    JsonArray steps = new JsonArray();
    for (Profile.Step step : profile.steps()) {
      JsonObject json = new JsonObject();
      json.addProperty("computation", step.computation().name());
      json.addProperty("instruction", step.instruction().name());
      json.addProperty("opcode", step.opcode());
      json.addProperty("scope", step.instruction().metadata().opName());
      json.addProperty("shape", step.shape().toString());
      json.addProperty("kernel", step.kernel());
      json.addProperty("calls", step.calls());
      json.addProperty("nanos", step.nanos());
      json.addProperty("flops", step.flops());
      json.addProperty("bytes", step.bytes());
      steps.add(json);
    }
    JsonObject json = new JsonObject();
    json.addProperty("runs", profile.runs());
    json.addProperty("nanos", profile.nanos());
    json.addProperty("machineFlopsPerSecond", limits.flopsPerSecond());
    json.addProperty("machineBytesPerSecond", limits.bytesPerSecond());
    json.add("steps", steps);
    BindArguments.addTo(json, bound);
    return json;
  }
}
