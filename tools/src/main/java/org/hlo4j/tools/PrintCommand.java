package org.hlo4j.tools;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.proto.HloProtos;
import org.hlo4j.hlo.text.PrintOptions;
import org.hlo4j.hlo.text.Printer;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.TypeConversionException;

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
      "  canonical    HLO text with names replaced by numbers, bodies where they are called",
      "  fingerprint  what is left of a program when names and places are taken away",
      "  proto        a serialised HloModuleProto",
      "  dot          a graph for Graphviz: hlo4j print f.hlo -f dot | dot -Tsvg > f.svg",
      "  html         a page with the graph, complete in itself: open it in a browser",
      "",
      "Example: hlo4j print f.hlo -f html -o f.html"
    })
final class PrintCommand implements Callable<Integer> {
  /** What a program can be written as. */
  enum Form {
    HLO,
    SHORT,
    CANONICAL,
    FINGERPRINT,
    PROTO,
    DOT,
    HTML;

    /** The name on the command line. */
    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }

    byte[] bytes(HloModule module) {
      return switch (this) {
        case HLO -> Printer.print(module).getBytes(UTF_8);
        case SHORT -> Printer.print(module, PrintOptions.SHORT).getBytes(UTF_8);
        case CANONICAL -> Printer.print(module, PrintOptions.CANONICAL).getBytes(UTF_8);
        case FINGERPRINT -> Printer.print(module, PrintOptions.FINGERPRINT).getBytes(UTF_8);
        case PROTO -> HloProtos.writeModule(module);
        case DOT -> DotGraph.print(module).getBytes(UTF_8);
        case HTML -> HtmlGraph.print(module).getBytes(UTF_8);
      };
    }
  }

  /** The names, for completion. */
  static final class Names extends ArrayList<String> {
    private static final long serialVersionUID = 1L;

    Names() {
      super(Arrays.stream(Form.values()).map(Form::toString).toList());
    }
  }

  /** Reads a name. */
  static final class FormConverter implements ITypeConverter<Form> {
    @Override
    public Form convert(String name) {
      return Arrays.stream(Form.values())
          .filter(form -> form.toString().equalsIgnoreCase(name))
          .findFirst()
          .orElseThrow(() ->
              new TypeConversionException(
                  "got '" + name + "', want one of " + String.join(", ", new Names())));
    }
  }

  @Parameters(paramLabel = "FILE", description = "The program.")
  private String file;

  @Option(
      names = {"-f", "--format"},
      paramLabel = "FORM",
      defaultValue = "hlo",
      converter = FormConverter.class,
      completionCandidates = Names.class,
      description = "One of: ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}.")
  private Form form = Form.HLO;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "OUT",
      description = "Write to this file; - is the standard output, which is the default.")
  private Optional<Path> output = Optional.empty();

  @ParentCommand private Hlo4j parent;

  @SuppressWarnings("NullAway.Init") // fields are set by picocli
  PrintCommand() {}

  @Override
  public Integer call() throws IOException {
    byte[] bytes = form.bytes(ModuleFiles.load(file).module());
    if (output.isPresent() && !output.get().equals(Path.of("-"))) {
      OutputFiles.write(output.get(), out -> out.write(bytes));
    } else {
      parent.output().write(bytes, 0, bytes.length);
      parent.output().flush();
    }
    return 0;
  }
}
