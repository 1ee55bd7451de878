package org.hlo4j.tools.command;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.tools.console.FormatArguments;
import org.hlo4j.tools.console.Progress;
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

/** The command {@code hlo4j bench}. */
@Command(
    name = "bench",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Measures whole evaluations of a program; loading is not included.",
    footerHeading = "%n",
    footer = {
      "Examples:",
      "  hlo4j bench f.hlo --random 1 --runs 50",
      "  hlo4j bench f.hlo --random 1 --evaluator reference,compiled",
      "  hlo4j bench f.hlo --input weights.safetensors x=x.npy",
      "",
      "Several evaluators run alternately, with a column each. \"allocated\" is the number of bytes"
          + " that one evaluation allocates on the heap, in all threads. \"steady after\" is the"
          + " number of evaluations before the times came within 10 %% of the fastest; > means that"
          + " the times were not steady within 20 s."
    })
public final class BenchCommand implements Callable<Integer> {
  @Parameters(paramLabel = "FILE", description = "The program.")
  private String file;

  @Mixin private InputArguments inputs;

  @Mixin private BindArguments bind;

  @Option(
      names = {"-n", "--runs"},
      paramLabel = "N",
      defaultValue = "20",
      description =
          "The number of measurements; if evaluations are short, each measurement covers many."
              + " Default: ${DEFAULT-VALUE}.")
  private int runs;

  @Option(
      names = {"-w", "--warmup"},
      paramLabel = "N",
      description =
          "The number of warm-up evaluations. Default: until times are steady, the JIT compiler is"
              + " idle and every kernel is in its last form, at most 20 s.")
  private Optional<Integer> warmup = Optional.empty();

  @Mixin private EvaluatorArguments evaluator;

  @Mixin private FormatArguments format;

  @Spec private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // fields are set by picocli
  public BenchCommand() {}

  @Override
  public Integer call() throws IOException {
    if (runs < 1 || warmup.orElse(0) < 0) {
      throw new ParameterException(
          spec.commandLine(),
          "got " + runs + " runs after " + warmup.orElse(0) + ", want at least 1 after 0");
    }
    InputArguments.Prepared prepared = inputs.prepare(file);
    Set<String> bound = bind.names(prepared);
    Map<String, Measurement> all =
        Findings.located(prepared.program(), () -> measure(prepared, bound));
    if (format.isJson()) {
      FormatArguments.print(out(), json(all, bound));
    } else {
      print(all);
      if (!bound.isEmpty()) {
        out().println("bound            " + BindArguments.describe(prepared, bound));
      }
    }
    return 0;
  }

  private static JsonObject json(Map<String, Measurement> all, Set<String> bound) {
    JsonArray evaluators = new JsonArray();
    all.forEach((name, one) -> evaluators.add(one.json(name)));
    JsonObject json = new JsonObject();
    json.add("evaluators", evaluators);
    BindArguments.addTo(json, bound);
    return json;
  }

  /** Returns the measurements of each evaluator; the evaluators are run alternately. */
  private Map<String, Measurement> measure(InputArguments.Prepared prepared, Set<String> bound) {
    Map<String, Measurement> all = new LinkedHashMap<>();
    evaluator.evaluators().forEach((name, one) -> all.put(name, measurement(one, prepared, bound)));
    try (Progress progress = Progress.of(spec, all.size() * (runs + 1))) {
      for (Measurement one : all.values()) {
        progress.next("warming up " + file);
        one.warmUp(warmup);
      }
      for (int i = 0; i < runs; i++) {
        for (Measurement one : all.values()) {
          progress.next("measuring " + file);
          one.measure(i);
        }
      }
    }
    return all;
  }

  private Measurement measurement(
      Evaluator evaluator, InputArguments.Prepared prepared, Set<String> names) {
    HloModule module = prepared.program().module();
    if (prepared.grid().deviceCount() > 1) {
      return new Measurement(
          () -> evaluator.runOnDevices(module, prepared.grid(), prepared.arguments()),
          () -> true,
          runs);
    }
    BindArguments.Bound program = BindArguments.bound(evaluator.compile(module), prepared, names);
    return new Measurement(program::run, program::isWarm, runs);
  }

  /**
   * Prints a row for each quantity and a column for each evaluator; several evaluators have a
   * header row.
   */
  private void print(Map<String, Measurement> all) {
    if (all.size() > 1) {
      StringBuilder names = new StringBuilder(" ".repeat(15));
      all.keySet().forEach(name -> names.append(String.format(" %15s", name)));
      out().println(names);
    }
    line("median", all, one -> micros(one.median()));
    line("minimum", all, one -> micros(one.quantile(0)));
    line("90th percentile", all, one -> micros(one.quantile(0.9)));
    line("allocated", all, one -> String.format(Locale.ROOT, "%,d B ", one.allocatedBytes()));
    line(warmup.isPresent() ? "warm-up" : "steady after", all, Measurement::warmUpRuns);
  }

  private static String micros(double nanos) {
    return String.format(Locale.ROOT, nanos < 100_000 ? "%.3f µs" : "%.1f µs", nanos / 1000);
  }

  private void line(
      String name, Map<String, Measurement> all, Function<Measurement, String> figure) {
    StringBuilder line = new StringBuilder(String.format("%-15s", name));
    all.values().forEach(one -> line.append(String.format(" %15s", figure.apply(one))));
    out().println(line.toString().stripTrailing());
  }

  private PrintWriter out() {
    return spec.commandLine().getOut();
  }
}
