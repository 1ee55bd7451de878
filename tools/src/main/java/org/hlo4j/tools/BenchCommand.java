package org.hlo4j.tools;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.ToDoubleFunction;
import org.hlo4j.hlo.Literal;
import org.hlo4j.interpreter.DeviceGrid;
import org.hlo4j.interpreter.Evaluator;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code hlo4j bench}. */
@Command(
    name = "bench",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Measures how long whole evaluations of a program take, without loading it.",
    footerHeading = "%n",
    footer = {
      "Examples:",
      "  hlo4j bench f.hlo --random 1 --runs 50",
      "  hlo4j bench f.hlo --random 1 --evaluator reference,compiled",
      "",
      "Several evaluators take turns, and have a column each."
    })
final class BenchCommand implements Callable<Integer> {
  @Parameters(paramLabel = "FILE", description = "The program.")
  private String file;

  @Mixin private InputArguments inputs;

  @Option(
      names = {"-n", "--runs"},
      paramLabel = "N",
      defaultValue = "20",
      description = "How many evaluations are measured. Default: ${DEFAULT-VALUE}.")
  private int runs;

  @Option(
      names = {"-w", "--warmup"},
      paramLabel = "N",
      defaultValue = "5",
      description = "How many go before them. Default: ${DEFAULT-VALUE}.")
  private int warmup;

  @Mixin private EvaluatorArguments evaluator;

  @Spec private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // fields are set by picocli
  BenchCommand() {}

  @Override
  public Integer call() throws IOException {
    if (runs < 1 || warmup < 0) {
      throw new ParameterException(
          spec.commandLine(),
          "got " + runs + " runs after " + warmup + ", want at least 1 after 0");
    }
    ModuleFiles.Loaded program = inputs.program(file);
    DeviceGrid grid = inputs.grid(program.module());
    print(measure(program, grid, inputs.arguments(program, grid)));
    return 0;
  }

  /** The nanoseconds of each run of each evaluator, who take turns, in order of size. */
  private Map<String, long[]> measure(
      ModuleFiles.Loaded program, DeviceGrid grid, List<List<Literal>> arguments) {
    Map<String, Evaluator> evaluators = evaluator.evaluators();
    Map<String, long[]> nanos = new LinkedHashMap<>();
    evaluators.keySet().forEach(name -> nanos.put(name, new long[runs]));
    try (Progress progress = new Progress(spec.commandLine().getErr(), warmup + runs)) {
      for (int i = -warmup; i < runs; i++) {
        progress.next(i < 0 ? "warming up" : "measuring");
        for (Map.Entry<String, long[]> one : nanos.entrySet()) {
          Evaluator runner = Objects.requireNonNull(evaluators.get(one.getKey()));
          long start = System.nanoTime();
          InputArguments.run(runner, program.module(), grid, arguments);
          if (i >= 0) {
            one.getValue()[i] = System.nanoTime() - start;
          }
        }
      }
    }
    nanos.values().forEach(Arrays::sort);
    return nanos;
  }

  /** A line for each figure, a column for each evaluator; several have their names above. */
  private void print(Map<String, long[]> nanos) {
    if (nanos.size() > 1) {
      StringBuilder names = new StringBuilder(" ".repeat(15));
      nanos.keySet().forEach(name -> names.append(String.format(" %15s", name)));
      out().println(names);
    }
    line("median", nanos, this::median);
    line("minimum", nanos, sorted -> sorted[0]);
    line("90th percentile", nanos, sorted -> sorted[(int) Math.ceil(0.9 * runs) - 1]);
  }

  private double median(long[] sorted) {
    return (sorted[(runs - 1) / 2] + sorted[runs / 2]) / 2.0;
  }

  private void line(String name, Map<String, long[]> nanos, ToDoubleFunction<long[]> figure) {
    StringBuilder line = new StringBuilder(String.format("%-15s", name));
    for (long[] sorted : nanos.values()) {
      double micros = figure.applyAsDouble(sorted) / 1000;
      line.append(String.format(Locale.ROOT, " %12.1f µs", micros));
    }
    out().println(line);
  }

  private PrintWriter out() {
    return spec.commandLine().getOut();
  }
}
