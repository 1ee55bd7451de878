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
    description = "Prints the signature, contents and cost of a program, without running it.",
    footerHeading = "%n",
    footer = {
      "Counts follow XLA's cost analysis, before fusion: one operation per element of an"
          + " element-wise op, two per term of a dot or convolution; the bytes that each"
          + " instruction reads and writes.",
      "Peak memory is the largest number of bytes alive at one time, not counting parameters and"
          + " constants, if instructions run in order, each with its own storage.",
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
