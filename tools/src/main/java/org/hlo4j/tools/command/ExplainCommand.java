package org.hlo4j.tools.command;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.pjrt.Pjrt;
import org.hlo4j.tools.console.Progress;
import org.hlo4j.tools.input.BindArguments;
import org.hlo4j.tools.input.KnownSizes;
import org.hlo4j.tools.program.Findings;
import org.hlo4j.tools.program.LoadedProgram;
import org.hlo4j.tools.system.EvaluatorArguments;
import org.hlo4j.tools.system.PjrtEvaluators;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command {@code hlo4j explain}. */
@Command(
    name = "explain",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Prints how the compiled evaluator, or a PJRT plugin, runs a program.",
    footerHeading = "%n",
    footer = {
      "One line per step: what is fused, which kernel computes it, how many bytes it reads and"
          + " writes, and what is left to the reference evaluator. The last line says whether it"
          + " is explained with the Vector API. Nothing is bound without --bind.",
      "Of a plugin: the form in which it gets the program, and why, and what it tells of its own.",
      "",
      "Examples:",
      "  hlo4j explain f.hlo",
      "  hlo4j explain f.hlo --bind 'w*'",
      "  hlo4j explain f.hlo --evaluator pjrt:cpu"
    })
public final class ExplainCommand implements Callable<Integer> {
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

  @Mixin private KnownSizes sizes;

  @Mixin private BindArguments bind;

  @Option(
      names = "--evaluator",
      paramLabel = "NAME",
      defaultValue = EvaluatorArguments.DEFAULT,
      description =
          "compiled, or a PJRT plugin, such as pjrt:cpu or pjrt:/path/plugin.so,cpu_device_count=2."
              + " Default: ${DEFAULT-VALUE}.")
  private String evaluator = EvaluatorArguments.DEFAULT;

  @Spec private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // fields are set by picocli
  public ExplainCommand() {}

  @Override
  public Integer call() throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    plan().lines().forEach(out::println);
    if (!PjrtEvaluators.isNamed(evaluator)) {
      out.println(
          ModuleLayer.boot().findModule(VECTORS).isPresent() ? WITH_VECTORS : WITHOUT_VECTORS);
    }
    return 0;
  }

  private String plan() throws IOException {
    try (Progress progress = Progress.of(spec, 0)) {
      progress.next("reading " + file);
      LoadedProgram program = sizes.one(file);
      Findings.verify(program);
      progress.next("compiling " + file);
      return Findings.located(
          program, () -> bind.withZeros(evaluator().compile(program.module())).explain());
    }
  }

  private Evaluator evaluator() {
    if (PjrtEvaluators.isNamed(evaluator)) {
      return Pjrt.evaluator(PjrtEvaluators.client(evaluator));
    }
    if (!evaluator.equals(EvaluatorArguments.DEFAULT)) {
      throw new ParameterException(
          spec.commandLine(), "--evaluator got " + evaluator + ", want compiled or pjrt:PLUGIN");
    }
    return Interpreter.compiled();
  }
}
