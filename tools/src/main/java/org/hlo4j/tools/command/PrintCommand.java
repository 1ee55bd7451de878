package org.hlo4j.tools.command;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.joining;

import com.google.common.collect.ImmutableList;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.proto.HloProtos;
import org.hlo4j.hlo.source.WholeFile;
import org.hlo4j.hlo.text.PrintOptions;
import org.hlo4j.hlo.text.Printer;
import org.hlo4j.stablehlo.StableHlo;
import org.hlo4j.stablehlo.vhlo.LeastVersion;
import org.hlo4j.stablehlo.vhlo.Version;
import org.hlo4j.tools.console.NameConverter;
import org.hlo4j.tools.console.Progress;
import org.hlo4j.tools.console.Session;
import org.hlo4j.tools.graph.DotGraph;
import org.hlo4j.tools.graph.HtmlGraph;
import org.hlo4j.tools.input.KnownSizes;
import org.hlo4j.tools.program.LoadedProgram;
import org.hlo4j.tools.program.OptimizedForm;
import org.hlo4j.tools.program.ProgramChoice;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** The command {@code hlo4j print}. */
@Command(
    name = "print",
    sortOptions = false,
    description = "Reads a program and writes it in another form.",
    footerHeading = "%n",
    footer = {
      "Forms:",
      "  hlo          complete HLO text: nothing is lost",
      "  short        HLO text for reading: no layouts or metadata, large constants as {...}",
      "  canonical    HLO text with numbered names, and computations where they are called",
      "  fingerprint  text that is the same for all programs that XLA optimizes alike",
      "  proto        a serialized HloModuleProto",
      "  stablehlo    StableHLO text",
      "  artifact     a portable artifact of StableHLO",
      "  dot          a graph for Graphviz: hlo4j print f.hlo -f dot | dot -Tsvg > f.svg",
      "  html         a self-contained page with the graph: open it in a browser",
      "",
      "If a file has several programs, all are written; for proto, artifact, dot and html, choose"
          + " one with --module.",
      "",
      "Examples:",
      "  hlo4j print f.hlo -f html -o f.html",
      "  hlo4j print f.hlo -f short --optimized pjrt:cpu"
    })
public final class PrintCommand implements Callable<Integer> {
  /** The form that a program is written in. */
  enum Form {
    HLO,
    SHORT,
    CANONICAL,
    FINGERPRINT,
    PROTO,
    STABLEHLO,
    ARTIFACT,
    DOT,
    HTML;

    /** Returns the name on the command line. */
    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }

    byte[] bytes(ImmutableList<LoadedProgram> programs, Optional<Version> version) {
      return switch (this) {
        case HLO -> text(programs, PrintOptions.FULL);
        case SHORT -> text(programs, PrintOptions.SHORT);
        case CANONICAL -> text(programs, PrintOptions.CANONICAL);
        case FINGERPRINT -> text(programs, PrintOptions.FINGERPRINT);
        case PROTO -> HloProtos.writeModule(ProgramChoice.one(programs).module());
        case STABLEHLO ->
            programs.stream()
                .map(program -> StableHlo.print(program.stableHlo()))
                .collect(joining("// -----\n"))
                .getBytes(UTF_8);
        case ARTIFACT -> StableHlo.toArtifact(ProgramChoice.one(programs).stableHlo(), version);
        case DOT -> DotGraph.print(ProgramChoice.one(programs).module()).getBytes(UTF_8);
        case HTML -> HtmlGraph.print(ProgramChoice.one(programs).module()).getBytes(UTF_8);
      };
    }

    private static byte[] text(ImmutableList<LoadedProgram> programs, PrintOptions options) {
      return programs.stream()
          .map(program -> Printer.print(program.module(), options))
          .collect(joining("\n"))
          .getBytes(UTF_8);
    }
  }

  /** The names of the forms, for completion. */
  static final class Names extends ArrayList<String> {
    private static final long serialVersionUID = 1L;

    Names() {
      super(Arrays.stream(Form.values()).map(Form::toString).toList());
    }
  }

  /** A parser of a form's name. */
  static final class FormConverter extends NameConverter<Form> {
    FormConverter() {
      super(Form.class);
    }
  }

  private static final String LEAST = "least";

  @Parameters(paramLabel = "FILE", description = "The program.")
  private String file;

  @Option(
      names = {"-f", "--format"},
      paramLabel = "FORM",
      defaultValue = "hlo",
      converter = FormConverter.class,
      completionCandidates = Names.class,
      description = "The form: ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}.")
  private Form form = Form.HLO;

  // The standard options would include a conflicting --version.
  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help message and exit.")
  @SuppressWarnings("unused") // picocli looks at it
  private boolean help;

  @Option(
      names = "--version",
      paramLabel = "VERSION",
      description =
          "The minimum StableHLO version that readers of the artifact need, or least, the first"
              + " that has all ops, from 0.9.0 on. Default: the first from 1.0.0 on.")
  private Optional<String> artifactVersion = Optional.empty();

  @Option(
      names = {"-o", "--output"},
      paramLabel = "OUT",
      description = "The file to write. Default: -, the standard output.")
  private Optional<Path> output = Optional.empty();

  @Mixin private KnownSizes sizes;

  @Mixin private OptimizedForm optimized;

  @ParentCommand private Session parent;
  @Spec private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // fields are set by picocli
  public PrintCommand() {}

  @Override
  public Integer call() throws IOException {
    HloException.require(
        artifactVersion.isEmpty() || form == Form.ARTIFACT,
        HloException.Kind.ARGUMENT,
        "--version got %s with -f %s, want -f artifact",
        artifactVersion.orElse(""),
        form);
    byte[] bytes = bytes();
    if (output.isPresent() && !output.get().equals(Path.of("-"))) {
      WholeFile.write(output.get(), out -> out.write(bytes));
    } else {
      parent.output().write(bytes, 0, bytes.length);
      parent.output().flush();
    }
    return 0;
  }

  private byte[] bytes() throws IOException {
    try (Progress progress = Progress.of(spec, 0)) {
      progress.next("reading " + file);
      ImmutableList<LoadedProgram> programs =
          sizes.all(file).stream().map(optimized::of).collect(toImmutableList());
      progress.next("printing " + file);
      return form.bytes(programs, version(programs));
    }
  }

  /**
   * Returns the version of the artifact. Unless it is given, this says which is the least that can
   * hold the program.
   */
  private Optional<Version> version(ImmutableList<LoadedProgram> programs) {
    if (form != Form.ARTIFACT
        || artifactVersion.filter(given -> !given.equals(LEAST)).isPresent()) {
      return artifactVersion.map(Version::parse);
    }
    LeastVersion least = StableHlo.leastVersion(ProgramChoice.one(programs).stableHlo());
    spec.commandLine()
        .getErr()
        .println("hlo4j: the least StableHLO version that can hold the program is " + least);
    return artifactVersion.map(given -> least.version());
  }
}
