package org.hlo4j.tools;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.PrintOptions;
import org.hlo4j.hlo.text.Printer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code hlo4j print}. */
@Command(
    name = "print",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Reads a program and writes it in another form.",
    footerHeading = "%n",
    footer = {
      "Forms:",
      "  hlo          HLO text, in full: nothing is lost",
      "  short        HLO text for reading: no layouts, no metadata, large constants cut",
      "  dot          a graph for Graphviz: hlo4j print f.hlo -f dot | dot -Tsvg > f.svg",
      "  html         a page with the graph, complete in itself: open it in a browser",
      "",
      "Example: hlo4j print f.hlo -f html -o f.html"
    })
final class PrintCommand implements Callable<Integer> {
  /** What a program can be written as. */
  enum Form {
    hlo,
    Short,
    dot,
    html;

    /** The name on the command line. */
    @Override
    public String toString() {
      return name().toLowerCase(java.util.Locale.ROOT);
    }

    byte[] bytes(HloModule module) {
      return switch (this) {
        case hlo -> Printer.print(module).getBytes(UTF_8);
        case Short -> Printer.print(module, PrintOptions.SHORT).getBytes(UTF_8);
        case dot -> DotGraph.print(module).getBytes(UTF_8);
        case html -> HtmlGraph.print(module).getBytes(UTF_8);
      };
    }
  }

  @Parameters(paramLabel = "FILE", description = "The program.")
  private String file;

  @Option(
      names = {"-f", "--format"},
      paramLabel = "FORM",
      defaultValue = "hlo",
      description = "One of: ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}.")
  private Form form = Form.hlo;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "OUT",
      description = "Write to this file rather than to the standard output.")
  private Optional<Path> output = Optional.empty();

  @Spec private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // fields are set by picocli
  PrintCommand() {}

  @Override
  public Integer call() throws IOException {
    byte[] bytes = form.bytes(ModuleFiles.load(file).module());
    if (output.isPresent()) {
      Files.write(output.get(), bytes);
    } else {
      spec.commandLine().getOut().print(new String(bytes, UTF_8));
    }
    return 0;
  }
}
