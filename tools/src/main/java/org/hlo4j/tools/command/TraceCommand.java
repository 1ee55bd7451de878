package org.hlo4j.tools.command;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.tools.console.Progress;
import org.hlo4j.tools.input.InputArguments;
import org.hlo4j.tools.system.EvaluatorArguments;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command {@code hlo4j trace}. */
@Command(
    name = "trace",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description =
        "Runs a program and prints the value of every instruction, in the order of evaluation.",
    footerHeading = "%n",
    footer = {
      "One line per value: the instruction, its shape, the value with long dimensions shortened,"
          + " and the source line. The first value that is not finite is marked and repeated at the"
          + " end; constants, and values only moved from them, do not count.",
      "",
      "Examples:",
      "  hlo4j trace f.hlo --random 1",
      "  hlo4j trace f.hlo --input x.npy --until-not-finite | tail"
    })
public final class TraceCommand implements Callable<Integer> {
  @Parameters(paramLabel = "FILE", description = "The program.")
  private String file;

  @Mixin private InputArguments inputs;

  @Option(
      names = {"-a", "--all"},
      description =
          "Also print values inside computations that an op applies to elements, such as to_apply"
              + " of a reduce.")
  private boolean all;

  @Option(names = "--until-not-finite", description = "Stop at the first value that is not finite.")
  private boolean untilNotFinite;

  @Mixin private EvaluatorArguments evaluator;

  @Spec private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // fields are set by picocli
  public TraceCommand() {}

  @Override
  public Integer call() throws IOException {
    try (Progress progress = Progress.of(spec, 0)) {
      progress.next("reading " + file);
      InputArguments.Prepared prepared = inputs.prepare(file);
      PrintWriter out = spec.commandLine().getOut();
      Trace trace = new Trace(prepared.program().module(), prepared.grid(), all, out);
      progress.next("running " + file);
      try {
        prepared.run(runner(trace, progress));
      } catch (Trace.Stop asked) {
        // everything has been shown
      }
      progress.output(trace::end);
    }
    return 0;
  }

  /** Returns an evaluator that shows every value. */
  private Evaluator runner(Trace trace, Progress progress) {
    return evaluator.evaluator(
        evaluator.options().toBuilder()
            .stepCounter(progress.steps())
            .valueListener((device, instruction, value) ->
                progress.output(() -> {
                  if (trace.print(device, instruction, value) && untilNotFinite) {
                    throw new Trace.Stop();
                  }
                }))
            .build());
  }
}
