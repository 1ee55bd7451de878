package org.hlo4j.tools;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import org.hlo4j.hlo.Literal;
import org.hlo4j.interpreter.DeviceGrid;
import org.hlo4j.interpreter.Evaluator;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code hlo4j trace}. */
@Command(
    name = "trace",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Runs a program and prints the value of every instruction, in order.",
    footerHeading = "%n",
    footer = {
      "One line a value: instruction, shape, value with long dimensions shortened, the line it"
          + " comes from. The first that is not finite is marked, constants and what is only moved"
          + " from them left aside, and told again at the end.",
      "",
      "Examples:",
      "  hlo4j trace f.hlo --random 1",
      "  hlo4j trace f.hlo --input x.npy --until-not-finite | tail"
    })
final class TraceCommand implements Callable<Integer> {
  @Parameters(paramLabel = "FILE", description = "The program.")
  private String file;

  @Mixin private InputArguments inputs;

  @Option(
      names = {"-a", "--all"},
      description =
          "Also of computations that an op applies to elements, such as to_apply of a reduce.")
  private boolean all;

  @Option(names = "--until-not-finite", description = "Stop at the first value that is not finite.")
  private boolean untilNotFinite;

  @Mixin private EvaluatorArguments evaluator;

  @Spec private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // fields are set by picocli
  TraceCommand() {}

  @Override
  public Integer call() throws IOException {
    InputArguments.Prepared prepared = inputs.prepare(file);
    ModuleFiles.Loaded program = prepared.program();
    DeviceGrid grid = prepared.grid();
    List<List<Literal>> arguments = prepared.arguments();
    Trace trace = new Trace(program.module(), grid, all, spec.commandLine().getOut());
    Trace.Stop stop = new Trace.Stop();
    Evaluator runner =
        evaluator.evaluator(
            evaluator.options().toBuilder()
                .valueListener((device, instruction, value) -> {
                  boolean isFirst = trace.print(device, instruction, value);
                  if (isFirst && untilNotFinite) {
                    throw stop;
                  }
                })
                .build());
    try {
      InputArguments.run(runner, program.module(), grid, arguments);
    } catch (Trace.Stop asked) {
      trace.end();
      return 0;
    }
    trace.end();
    return 0;
  }
}
