package org.hlo4j.tools.command;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.hlo4j.tools.console.FormatArguments;
import org.hlo4j.tools.console.Progress;
import org.hlo4j.tools.input.KnownSizes;
import org.hlo4j.tools.program.Findings;
import org.hlo4j.tools.program.LoadedProgram;
import org.hlo4j.tools.program.OptimizedForm;
import org.hlo4j.tools.program.ProgramSource;
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
      "Of a program with symbolic dimensions, without --input and --shape, only the signature is"
          + " known.",
      "",
      "Examples:",
      "  hlo4j summary f.hlo",
      "  hlo4j summary f.bin --shape b=5"
    })
public final class SummaryCommand implements Callable<Integer> {
  @Parameters(paramLabel = "FILE", description = "The program.")
  private String file;

  @Mixin private KnownSizes sizes;

  @Mixin private OptimizedForm optimized;

  @Mixin private FormatArguments format;

  @Spec private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // fields are set by picocli
  public SummaryCommand() {}

  @Override
  public Integer call() throws IOException {
    try (Progress progress = Progress.of(spec, 0)) {
      progress.next("reading " + file);
      LoadedProgram program = sizes.one(file);
      if (isSymbolic(program.source())) {
        SymbolicSummary summary = new SymbolicSummary(program);
        print(summary::json, summary::lines);
        return 0;
      }
      Findings.verify(program);
      Summary summary = new Summary(optimized.of(program).module());
      print(summary::json, summary::lines);
      return 0;
    }
  }

  private static boolean isSymbolic(ProgramSource source) {
    return !source.isStatic()
        && !(source instanceof ProgramSource.Exported exported
            && exported.export().sizeVariables().isEmpty());
  }

  private void print(Supplier<JsonObject> json, Supplier<? extends List<String>> lines) {
    if (format.isJson()) {
      FormatArguments.print(spec.commandLine().getOut(), json.get());
    } else {
      lines.get().forEach(spec.commandLine().getOut()::println);
    }
  }
}
