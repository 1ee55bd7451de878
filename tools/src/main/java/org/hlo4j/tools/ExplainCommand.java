package org.hlo4j.tools;

import java.io.IOException;
import java.util.concurrent.Callable;
import org.hlo4j.interpreter.Interpreter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command {@code hlo4j explain}. */
@Command(
    name = "explain",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Prints how the compiled evaluator runs a program.",
    footerHeading = "%n",
    footer = {
      "One line per step: what is fused, which kernel computes it, how many bytes it reads and"
          + " writes, and what is left to the reference evaluator.",
      "",
      "Example:",
      "  hlo4j explain f.hlo"
    })
final class ExplainCommand implements Callable<Integer> {
  @Parameters(paramLabel = "FILE", description = "The program.")
  private String file;

  @Mixin private OpenSizes sizes;

  @Spec private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // fields are set by picocli
  ExplainCommand() {}

  @Override
  public Integer call() throws IOException {
    plan().lines().forEach(spec.commandLine().getOut()::println);
    return 0;
  }

  private String plan() throws IOException {
    try (Progress progress = Progress.of(spec, 0)) {
      progress.next("reading " + file);
      ModuleFiles.Loaded program = sizes.one(file);
      Findings.verify(program);
      progress.next("compiling " + file);
      return Findings.located(
          program, () -> Interpreter.compiled().compile(program.module()).explain());
    }
  }
}
