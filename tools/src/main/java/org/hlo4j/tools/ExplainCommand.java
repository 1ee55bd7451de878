package org.hlo4j.tools;

import java.io.IOException;
import java.io.PrintWriter;
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
          + " writes, and what is left to the reference evaluator. The last line says whether it"
          + " is explained with the Vector API. Nothing is bound without --bind.",
      "",
      "Examples:",
      "  hlo4j explain f.hlo",
      "  hlo4j explain f.hlo --bind 'w*'"
    })
final class ExplainCommand implements Callable<Integer> {
  private static final String VECTORS = "jdk.incubator.vector";

  private static final String WITH_VECTORS =
      "as a program runs it with --add-modules "
          + VECTORS
          + "; HLO4J_VECTORS=off explains it without";

  private static final String WITHOUT_VECTORS =
      "as a program runs it without --add-modules "
          + VECTORS
          + "; HLO4J_VECTORS=on explains it with";

  @Parameters(paramLabel = "FILE", description = "The program.")
  private String file;

  @Mixin private OpenSizes sizes;

  @Mixin private BindArguments bind;

  @Spec private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // fields are set by picocli
  ExplainCommand() {}

  @Override
  public Integer call() throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    plan().lines().forEach(out::println);
    out.println(
        ModuleLayer.boot().findModule(VECTORS).isPresent() ? WITH_VECTORS : WITHOUT_VECTORS);
    return 0;
  }

  private String plan() throws IOException {
    try (Progress progress = Progress.of(spec, 0)) {
      progress.next("reading " + file);
      ModuleFiles.Loaded program = sizes.one(file);
      Findings.verify(program);
      progress.next("compiling " + file);
      return Findings.located(
          program,
          () -> bind.withZeros(Interpreter.compiled().compile(program.module())).explain());
    }
  }
}
