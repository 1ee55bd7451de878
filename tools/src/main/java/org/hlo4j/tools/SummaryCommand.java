package org.hlo4j.tools;

import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command {@code hlo4j summary}. */
@Command(
    name = "summary",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Prints what a program takes, consists of and costs, without running it.",
    footerHeading = "%n",
    footer = {
      "Counted as XLA's cost analysis counts, for the instructions as they stand, before any are"
          + " fused: an operation for each element of an element-wise op, two for each term of a"
          + " product; the bytes that each instruction reads and writes.",
      "Peak memory is what is alive at one time beside parameters and constants, if instructions"
          + " are run in their order, each with storage of its own.",
      "",
      "Example:",
      "  hlo4j summary f.hlo"
    })
final class SummaryCommand implements Callable<Integer> {
  @Parameters(paramLabel = "FILE", description = "The program.")
  private String file;

  @Mixin private ModuleChoice choice;

  @Mixin private FormatArguments format;

  @Spec private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // fields are set by picocli
  SummaryCommand() {}

  @Override
  public Integer call() throws IOException {
    Summary summary = summary();
    if (format.isJson()) {
      FormatArguments.print(spec.commandLine().getOut(), summary.json());
    } else {
      summary.lines().forEach(spec.commandLine().getOut()::println);
    }
    return 0;
  }

  private Summary summary() throws IOException {
    try (Progress progress = Progress.of(spec, 0)) {
      progress.next("reading " + file);
      ModuleFiles.Loaded program = choice.one(file);
      Findings.verify(program);
      return new Summary(program.module());
    }
  }
}
