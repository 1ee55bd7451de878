package org.hlo4j.tools;

import static java.util.stream.Collectors.toCollection;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.SourcePosition;
import org.hlo4j.hlo.ir.Verifier;
import picocli.CommandLine.Command;
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
    description = "Reads programs and holds them to XLA's rules.",
    footerHeading = "%n",
    footer = {
      "One line a file: ok FILE, or error FILE:LINE:COL: message. The place is that of the first"
          + " error; --verbose tells all of them, with the lines.",
      "",
      "Examples:",
      "  hlo4j verify f.hlo g.hlo",
      "  hlo4j verify dump/ --quiet"
    })
final class VerifyCommand implements Callable<Integer> {
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

  @ParentCommand private Hlo4j parent;
  @Spec private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // fields are set by picocli
  VerifyCommand() {}

  @Override
  public Integer call() throws IOException {
    List<String> all = new ArrayList<>();
    for (String file : files) {
      all.addAll(expanded(file));
    }
    PrintWriter out = spec.commandLine().getOut();
    int errors = 0;
    try (Progress progress = new Progress(spec.commandLine().getErr(), all.size())) {
      for (String file : all) {
        progress.next(file);
        Optional<String> error = error(file);
        errors += error.isPresent() ? 1 : 0;
        if (error.isPresent() || !quiet) {
          progress.clear();
          out.println(error.orElse("ok " + file));
          out.flush();
        }
      }
    }
    return errors == 0 ? 0 : 1;
  }

  private static List<String> expanded(String file) throws IOException {
    if (file.equals("-") || !Files.isDirectory(Path.of(file))) {
      return List.of(file);
    }
    try (Stream<Path> tree = Files.walk(Path.of(file))) {
      List<String> found =
          tree.filter(Files::isRegularFile)
              .filter(VerifyCommand::isProgram)
              .sorted()
              .map(Path::toString)
              .collect(toCollection(ArrayList::new));
      require(!found.isEmpty(), "", "%s: no programs in this folder", file);
      return found;
    } catch (UncheckedIOException wrapped) {
      throw wrapped.getCause();
    }
  }

  private static boolean isProgram(Path file) {
    String name = file.getFileName().toString();
    return name.endsWith(".hlo")
        || name.endsWith(".hlo.txt")
        || name.endsWith(".pb")
        || (name.endsWith(".txt") && ModuleFiles.holdsModule(file));
  }

  private Optional<String> error(String file) {
    try {
      ModuleFiles.Loaded program = ModuleFiles.load(file);
      Verifier verifier = strict ? Verifier.strict() : Verifier.lenient();
      ImmutableList<HloException> findings = verifier.findings(program.module());
      return findings.isEmpty() ? Optional.empty() : Optional.of(error(program, findings));
    } catch (HloException | IOException problem) {
      return Optional.of(
          "error " + (parent.isVerbose() ? Problems.inFull(problem) : Problems.tell(problem)));
    } catch (OutOfMemoryError | StackOverflowError full) {
      return Optional.of("error " + file + ": " + Problems.tell(full));
    }
  }

  private String error(ModuleFiles.Loaded program, List<HloException> findings) {
    if (parent.isVerbose()) {
      return String.join(
          "\n",
          findings.stream()
              .map(finding -> place(program, finding) + Problems.inFull(finding))
              .toList());
    }
    String more = findings.size() > 1 ? " (and " + (findings.size() - 1) + " more)" : "";
    return place(program, findings.get(0)) + Problems.tell(findings.get(0)) + more;
  }

  private static String place(ModuleFiles.Loaded program, HloException finding) {
    String place = finding.position().map(SourcePosition::toString).orElse("1:1");
    String at = program.text().isPresent() ? ":" + place : "";
    return "error " + program.name() + at + ": ";
  }
}
