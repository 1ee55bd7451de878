package org.hlo4j.tools;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
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
    footer = {"Example:", "  hlo4j bench f.hlo --random 1 --runs 50"})
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
    ModuleFiles.Loaded program = ModuleFiles.load(file);
    DeviceGrid grid = inputs.grid(program.module());
    long[] nanos = measure(program, grid, inputs.arguments(program, grid));
    Arrays.sort(nanos);
    line("median", (nanos[(runs - 1) / 2] + nanos[runs / 2]) / 2.0);
    line("minimum", (double) nanos[0]);
    line("90th percentile", (double) nanos[(int) Math.ceil(0.9 * runs) - 1]);
    return 0;
  }

  private long[] measure(
      ModuleFiles.Loaded program, DeviceGrid grid, List<List<Literal>> arguments) {
    Evaluator runner = evaluator.evaluator();
    long[] nanos = new long[runs];
    try (Progress progress = new Progress(spec.commandLine().getErr(), warmup + runs)) {
      for (int i = -warmup; i < runs; i++) {
        progress.next(i < 0 ? "warming up" : "measuring");
        long start = System.nanoTime();
        InputArguments.run(runner, program.module(), grid, arguments);
        if (i >= 0) {
          nanos[i] = System.nanoTime() - start;
        }
      }
    }
    return nanos;
  }

  private void line(String name, double nanos) {
    spec.commandLine()
        .getOut()
        .println(String.format(Locale.ROOT, "%-15s %12.1f µs", name, nanos / 1000));
  }
}
