package org.hlo4j.tools;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.file.HloFiles;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.stablehlo.StableHlo;
import org.hlo4j.stablehlo.mlir.Operation;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** {@code hlo4j verify}. */
@Command(
    name = "verify",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description =
        "Reads programs and holds them to the rules of XLA, or of StableHLO where that is read.",
    footerHeading = "%n",
    footer = {
      "One line a file: ok FILE, or error FILE:LINE:COL: message. The place is that of the first"
          + " error; --verbose tells all of them, with the lines. A program that is right but lacks"
          + " the elements of a constant, written {...}, or has attributes that XLA does not know,"
          + " has a line warning FILE:LINE:COL: message before its ok. Of a file that holds several"
          + " programs each has its line, ok FILE: NAME. Other protocol buffers in a folder are"
          + " skipped: skipped FILE.",
      "",
      "Examples:",
      "  hlo4j verify f.hlo g.hlo",
      "  hlo4j verify dump/ --quiet"
    })
final class VerifyCommand implements Callable<Integer> {
  private static final String ERROR = "error ";

  @Parameters(
      paramLabel = "FILE",
      arity = "1..*",
      description =
          "Programs; of a folder all files named *.hlo, *.hlo.txt or *.pb, and all *.txt that hold"
              + " an HloModule.")
  private List<String> files = new ArrayList<>();

  @Option(
      names = {"-q", "--quiet"},
      description = "Print errors only.")
  private boolean quiet;

  @Option(
      names = "--strict",
      description = "Refuse broadcasts of permuted dimensions too, which XLA accepts.")
  private boolean strict;

  @Mixin private ModuleChoice choice;

  @ParentCommand private Hlo4j parent;
  @Spec private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // fields are set by picocli
  VerifyCommand() {}

  @Override
  public Integer call() {
    List<ProgramFiles.Found> all =
        files.stream().flatMap(file -> ProgramFiles.of(file).stream()).toList();
    PrintWriter out = spec.commandLine().getOut();
    int errors = 0;
    try (Progress progress = new Progress(spec.commandLine().getErr(), all.size())) {
      for (ProgramFiles.Found file : all) {
        progress.next(file.name());
        for (String verdict : verdicts(file)) {
          boolean isError = verdict.startsWith(ERROR);
          errors += isError ? 1 : 0;
          if (isError || !quiet) {
            progress.clear();
            out.println(verdict);
            out.flush();
          }
        }
      }
    }
    return errors == 0 ? 0 : 1;
  }

  /** What is to be said about the programs of a file, whatever happens. */
  private ImmutableList<String> verdicts(ProgramFiles.Found file) {
    try {
      if (file.problem().isPresent()) {
        throw file.problem().get();
      }
      ImmutableList<ModuleFiles.Loaded> programs = choice.all(file.name());
      return programs.stream()
          .map(program -> verdict(program, programs.size() > 1))
          .collect(toImmutableList());
    } catch (Exception | Error problem) {
      return ImmutableList.of(
          isOther(file)
              ? "skipped " + file.name() + ": another protocol buffer"
              : told(file.name(), problem, parent.isVerbose()));
    }
  }

  /** The line of a file that is not verified, for whatever reason. */
  static String told(String file, Throwable problem, boolean inFull) {
    String told = inFull ? Problems.inFull(problem) : Problems.tell(problem);
    return ERROR + (told.startsWith(file + ":") ? "" : file + ": ") + told;
  }

  /** Whether a file that is no program was only found beside some, such as in a dump of XLA's. */
  private static boolean isOther(ProgramFiles.Found file) {
    try {
      return file.mayBeOther()
          && file.problem().isEmpty()
          && ProtocolBuffers.isOtherMessage(HloFiles.readAll(Path.of(file.name())));
    } catch (HloException | IOException unreadable) {
      return false;
    }
  }

  private String verdict(ModuleFiles.Loaded program, boolean isOneOfSeveral) {
    return program
        .source()
        .stableHlo()
        .map(module -> verdict(program, module, isOneOfSeveral))
        .orElseGet(() -> hloVerdict(program, isOneOfSeveral));
  }

  /** StableHLO is held to its own rules; sizes may be open. */
  private String verdict(ModuleFiles.Loaded program, Operation module, boolean isOneOfSeveral) {
    ImmutableList<HloException> findings =
        StableHlo.verify(module).stream()
            .map(finding -> finding.prefixed(ModuleFiles.prefix(program.name(), finding)))
            .collect(toImmutableList());
    return findings.isEmpty()
        ? "ok " + program.name() + (isOneOfSeveral ? ": " + StableHlo.name(module) : "")
        : told(ERROR, findings);
  }

  private String hloVerdict(ModuleFiles.Loaded program, boolean isOneOfSeveral) {
    Verifier verifier = strict ? Verifier.strict() : Verifier.lenient();
    ImmutableList<HloException> findings = verifier.findings(program.module());
    if (!findings.isEmpty()) {
      return told(ERROR, placed(program, findings));
    }
    ImmutableList<HloException> warnings =
        ImmutableList.<HloException>builder()
            .addAll(verifier.warnings(program.module()))
            .addAll(ElidedConstants.findings(program.module(), ""))
            .build();
    String warning = warnings.isEmpty() ? "" : told("warning ", placed(program, warnings)) + "\n";
    return warning
        + "ok "
        + program.name()
        + (isOneOfSeveral ? ": " + program.module().name() : "");
  }

  private static ImmutableList<HloException> placed(
      ModuleFiles.Loaded program, List<HloException> findings) {
    return findings.stream()
        .map(finding -> finding.prefixed(Findings.place(program, finding)))
        .collect(toImmutableList());
  }

  private String told(String kind, List<HloException> findings) {
    if (parent.isVerbose()) {
      return String.join(
          "\n", findings.stream().map(finding -> kind + Problems.inFull(finding)).toList());
    }
    HloException first = findings.get(0);
    String more = findings.size() > 1 ? " (and " + (findings.size() - 1) + " more)" : "";
    return kind + Problems.tell(first) + more;
  }
}
