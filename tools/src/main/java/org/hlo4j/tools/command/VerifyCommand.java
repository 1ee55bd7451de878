package org.hlo4j.tools.command;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.file.HloFiles;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.stablehlo.StableHlo;
import org.hlo4j.stablehlo.mlir.Operation;
import org.hlo4j.tools.console.FormatArguments;
import org.hlo4j.tools.console.Progress;
import org.hlo4j.tools.console.Session;
import org.hlo4j.tools.input.ElidedConstants;
import org.hlo4j.tools.program.Finding;
import org.hlo4j.tools.program.Findings;
import org.hlo4j.tools.program.LoadedProgram;
import org.hlo4j.tools.program.ProgramChoice;
import org.hlo4j.tools.program.ProgramFile;
import org.hlo4j.tools.program.ProtocolBuffers;
import org.hlo4j.tools.program.Verdict;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** The command {@code hlo4j verify}. */
@Command(
    name = "verify",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Checks programs against the rules of XLA, or of StableHLO for StableHLO files.",
    footerHeading = "%n",
    footer = {
      "One line per file: ok FILE, or error FILE:LINE:COL: message, with the position of the first"
          + " error; --verbose prints all errors, with their source lines. A valid program with a"
          + " constant whose elements are left out, written {...}, or with attributes that XLA does"
          + " not know, has a line warning FILE:LINE:COL: message before its ok. If a file has"
          + " several programs, each has its own line, ok FILE: NAME. Other protocol buffers in a"
          + " folder are skipped: skipped FILE; so are its other files: skipped FOLDER.",
      "",
      "Examples:",
      "  hlo4j verify f.hlo g.hlo",
      "  hlo4j verify dump/ --quiet"
    })
public final class VerifyCommand implements Callable<Integer> {
  @Parameters(
      paramLabel = "FILE",
      arity = "1..*",
      description =
          "Programs. In a folder, at any depth: all files named *.hlo, *.hlo.txt, *.pb, *.mlir,"
              + " *.mlirbc or *.mlir.bc, all *.txt files that contain an HloModule, and all *.bin"
              + " files of jax.export.")
  private List<String> files = new ArrayList<>();

  @Option(
      names = {"-q", "--quiet"},
      description = "Print only errors.")
  private boolean quiet;

  @Option(
      names = "--strict",
      description =
          "Also refuse broadcasts with permuted dimensions, which XLA accepts, ops that mix float"
              + " types, unbounded dimensions, channels used by several kinds of collectives, and"
              + " attributes that XLA does not know. For HLO only.")
  private boolean strict;

  @Mixin private ProgramChoice choice;

  @Mixin private FormatArguments format;

  @ParentCommand private Session parent;
  @Spec private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // fields are set by picocli
  public VerifyCommand() {}

  @Override
  public Integer call() {
    List<ProgramFile> all = files.stream().flatMap(file -> ProgramFile.all(file).stream()).toList();
    PrintWriter out = spec.commandLine().getOut();
    JsonArray programsJson = new JsonArray();
    int errors = 0;
    try (Progress progress = Progress.of(spec, all.size())) {
      for (ProgramFile file : all) {
        progress.next(file.name());
        for (Verdict verdict : verdicts(file)) {
          errors += verdict.isError() ? 1 : 0;
          if (quiet && !verdict.isError()) {
            continue;
          }
          if (format.isJson()) {
            programsJson.add(verdict.json());
          } else {
            progress.output(() -> {
              verdict.lines(parent.isVerbose()).forEach(out::println);
              out.flush();
            });
          }
        }
      }
    }
    if (format.isJson()) {
      FormatArguments.print(out, json(programsJson, errors));
    }
    return errors == 0 ? 0 : 1;
  }

  private static JsonObject json(JsonArray programs, int errors) {
    JsonObject json = new JsonObject();
    json.add("programs", programs);
    json.addProperty("errors", errors);
    return json;
  }

  /** Returns the verdicts on the programs of a file; never throws an exception. */
  private ImmutableList<Verdict> verdicts(ProgramFile file) {
    try {
      if (file.problem().isPresent()) {
        throw file.problem().get();
      }
      if (file.others() > 0) {
        return ImmutableList.of(Verdict.skipped(file.name(), "other files: " + file.others()));
      }
      ImmutableList<LoadedProgram> programs = choice.all(file.name());
      return programs.stream()
          .map(program -> verdict(program, programs.size() > 1))
          .collect(toImmutableList());
    } catch (Exception | Error problem) {
      return ImmutableList.of(
          isNonProgram(file)
              ? Verdict.skipped(file.name(), "another protocol buffer")
              : wrong(file.name(), Optional.empty(), ImmutableList.of(problem)));
    }
  }

  private static Verdict wrong(
      String file, Optional<String> program, List<? extends Throwable> problems) {
    return new Verdict(
        file,
        program,
        Verdict.Status.ERROR,
        Verdict.findings(Finding.Severity.ERROR, file, problems));
  }

  /**
   * Returns whether a file is not a program but was found in a folder with programs, such as a dump
   * of XLA's.
   */
  private static boolean isNonProgram(ProgramFile file) {
    try {
      return file.mayBeNonProgram()
          && file.problem().isEmpty()
          && ProtocolBuffers.isOtherMessage(HloFiles.readAll(Path.of(file.name())));
    } catch (HloException | IOException unreadable) {
      return false;
    }
  }

  private Verdict verdict(LoadedProgram program, boolean isOneOfSeveral) {
    return program
        .source()
        .stableHlo()
        .map(module -> verdict(program, module, isOneOfSeveral))
        .orElseGet(() -> hloVerdict(program, isOneOfSeveral));
  }

  /** Verifies StableHLO by its own rules; sizes may be unknown. */
  private Verdict verdict(LoadedProgram program, Operation module, boolean isOneOfSeveral) {
    ImmutableList<HloException> findings =
        StableHlo.verify(module).stream()
            .map(finding -> finding.inFile(program.name()))
            .collect(toImmutableList());
    Optional<String> name = isOneOfSeveral ? Optional.of(StableHlo.name(module)) : Optional.empty();
    if (!findings.isEmpty()) {
      return wrong(program.name(), name, findings);
    }
    ImmutableList<HloException> warnings =
        ElidedConstants.findings(module).stream()
            .map(finding -> finding.inFile(program.name()))
            .collect(toImmutableList());
    return new Verdict(
        program.name(),
        name,
        Verdict.Status.OK,
        Verdict.findings(Finding.Severity.WARNING, program.name(), warnings));
  }

  private Verdict hloVerdict(LoadedProgram program, boolean isOneOfSeveral) {
    Verifier verifier = strict ? Verifier.strict() : Verifier.lenient();
    Optional<String> name =
        isOneOfSeveral ? Optional.of(program.module().name()) : Optional.empty();
    ImmutableList<HloException> findings = verifier.findings(program.module());
    if (!findings.isEmpty()) {
      return wrong(program.name(), name, placed(program, findings));
    }
    ImmutableList<HloException> warnings =
        ImmutableList.<HloException>builder()
            .addAll(verifier.warnings(program.module()))
            .addAll(ElidedConstants.findings(program.module(), ""))
            .build();
    return new Verdict(
        program.name(),
        name,
        Verdict.Status.OK,
        Verdict.findings(Finding.Severity.WARNING, program.name(), placed(program, warnings)));
  }

  private static ImmutableList<HloException> placed(
      LoadedProgram program, List<HloException> findings) {
    return findings.stream()
        .map(finding -> finding.prefixed(Findings.place(program, finding)))
        .collect(toImmutableList());
  }
}
