package org.hlo4j.tools;

import com.google.common.base.Strings;
import com.google.common.collect.ImmutableMap;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.hlo4j.hlo.Literal;
import org.hlo4j.interpreter.Executable;
import org.hlo4j.interpreter.MachineLimits;
import org.hlo4j.interpreter.Profile;
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
    footerHeading = "%n",
    footer = {
      "A line for each step, the slowest first: its share of the time, the time of a run,"
          + " arithmetic and memory speed, and how near that is to what this machine does at most,"
          + " in arithmetic (flop) or memory (mem). The machine is measured, too. --by op sums the"
          + " steps by opcode, --by scope by the names in op_name, such as jit(f)/layer_1.",
      "",
      "Examples:",
      "  hlo4j profile f.hlo --random 1",
      "  hlo4j profile f.hlo --random 1 --by scope --depth 3"
    })
final class ProfileCommand implements Callable<Integer> {
  private static final ImmutableMap<String, Integer> GROUPS =
      ImmutableMap.of("step", 0, "op", 1, "scope", 2);

  @Parameters(paramLabel = "FILE", description = "The program.")
  private String file;

  @Mixin private InputArguments inputs;

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
      description = "The number of names of a scope. Default: ${DEFAULT-VALUE}.")
  private int depth;

  @Mixin private EvaluatorArguments evaluator;

  @Mixin private FormatArguments format;

  @Spec private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // fields are set by picocli
  ProfileCommand() {}

  @Override
  public Integer call() throws IOException {
    if (runs < 1 || warmup.orElse(0) < 0 || top < 1 || depth < 1 || !GROUPS.containsKey(by)) {
      throw new ParameterException(spec.commandLine(), wrongOption());
    }
    InputArguments.Prepared prepared = inputs.prepare(file);
    if (prepared.grid().deviceCount() > 1) {
      throw new ParameterException(
          spec.commandLine(),
          "got " + prepared.grid().deviceCount() + " devices, want 1 for a profile");
    }
    Profile profile = Findings.located(prepared.program(), () -> profile(prepared));
    MachineLimits limits = MachineLimits.measured();
    if (format.isJson()) {
      FormatArguments.print(spec.commandLine().getOut(), json(profile, limits));
    } else {
      print(profile, limits);
    }
    return 0;
  }

  private String wrongOption() {
    return !GROUPS.containsKey(by)
        ? "--by got " + by + ", want one of " + String.join(", ", GROUPS.keySet())
        : String.format(
            "got --runs %s, --warmup %s, --top %s, --depth %s, want at least 1, 0, 1 and 1",
            runs, warmup.orElse(0), top, depth);
  }

  private Profile profile(InputArguments.Prepared prepared) {
    try (Progress progress = Progress.of(spec, 2)) {
      Executable program = evaluator.evaluator().compile(prepared.program().module());
      Literal[] arguments = prepared.arguments().get(0).toArray(Literal[]::new);
      progress.next("warming up " + file);
      new Measurement(() -> program.run(arguments), 1).warmUp(warmup);
      progress.next("measuring " + file);
      return program.profile(runs, arguments);
    }
  }

  /** A line: what it is about, and its figures. */
  private record Row(String name, String kernel, double nanos, double flops, double bytes) {}

  private List<Row> rows(Profile profile) {
    List<Row> rows = new ArrayList<>();
    if (by.equals("step")) {
      for (Profile.Step step : profile.steps()) {
        String name = step.instruction() + " " + step.shape();
        rows.add(new Row(name, step.kernel(), step.nanos(), step.flops(), step.bytes()));
      }
    } else {
      Function<Profile.Step, String> group =
          by.equals("op") ? Profile.Step::opcode : step -> scope(step.scope());
      for (Profile.Group each : profile.groups(group)) {
        String count = each.steps() == 1 ? "1 step" : each.steps() + " steps";
        rows.add(new Row(each.name(), count, each.nanos(), each.flops(), each.bytes()));
      }
    }
    rows.sort(Comparator.comparingDouble(Row::nanos).reversed());
    return rows;
  }

  /** Returns the first names of a scope. */
  private String scope(String opName) {
    return opName.isEmpty()
        ? "(no op_name)"
        : Arrays.stream(opName.split("/", -1))
            .limit(depth)
            .reduce((a, b) -> a + "/" + b)
            .orElse("");
  }

  private void print(Profile profile, MachineLimits limits) {
    PrintWriter out = spec.commandLine().getOut();
    out.printf(
        Locale.ROOT,
        "%.3f ms a run, the median of %s; this machine: %.0f GFLOP/s, %.1f GB/s%n",
        profile.nanos() / 1e6,
        runs == 1 ? "1 run" : runs + " runs",
        limits.flopsPerSecond() / 1e9,
        limits.bytesPerSecond() / 1e9);
    out.println(" share     time µs  GFLOP/s    GB/s  of limit  " + by);
    List<Row> rows = rows(profile);
    for (Row row : rows.subList(0, Math.min(top, rows.size()))) {
      out.println(line(row, profile.nanos(), limits).stripTrailing());
    }
    if (rows.size() > top) {
      double rest = rows.subList(top, rows.size()).stream().mapToDouble(Row::nanos).sum();
      out.printf(
          Locale.ROOT,
          "%5.1f %% %11.1f  %s more%n",
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

  private static JsonObject json(Profile profile, MachineLimits limits) {
    JsonArray steps = new JsonArray();
    for (Profile.Step step : profile.steps()) {
      JsonObject json = new JsonObject();
      json.addProperty("computation", step.computation());
      json.addProperty("instruction", step.instruction());
      json.addProperty("opcode", step.opcode());
      json.addProperty("scope", step.scope());
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
    return json;
  }
}
