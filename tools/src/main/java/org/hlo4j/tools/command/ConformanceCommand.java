package org.hlo4j.tools.command;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.hlo4j.hlo.HloException.require;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.hlo4j.check.Runner;
import org.hlo4j.check.Runner.OtherSystem;
import org.hlo4j.hlo.source.WholeFile;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.tools.cases.Outcome;
import org.hlo4j.tools.conformance.CaseFilter;
import org.hlo4j.tools.conformance.ConformanceCase;
import org.hlo4j.tools.conformance.ConformanceCases;
import org.hlo4j.tools.conformance.ConformanceReport;
import org.hlo4j.tools.conformance.ConformanceRun;
import org.hlo4j.tools.conformance.ConformanceSuite;
import org.hlo4j.tools.console.FormatArguments;
import org.hlo4j.tools.console.OutputFiles;
import org.hlo4j.tools.console.Progress;
import org.hlo4j.tools.console.Quantities;
import org.hlo4j.tools.system.SystemArguments;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command {@code hlo4j conformance}. */
@Command(
    name = "conformance",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description =
        "Writes a suite of small programs with their results, for those who implement HLO or"
            + " StableHLO, or runs it on a system.",
    footerHeading = "%n",
    footer = {
      "The suite has a case for each element-wise op and element type of real numbers: the op on"
          + " the extremes of the type, or a program that must be refused; programs with the rules"
          + " of structured ops, such as dot and scatter, for several types; and the rows of"
          + " hlo4j's own tests: examples of each op, corner cases, and what the verifier refuses.",
      "DIR/index.json lists the cases. Each is a folder OP/TYPE with program.hlo.txt, program.mlir"
          + " and program.mlirbc if StableHLO has the op, inputs/<i>.npy, expected/<i>.npy, and the"
          + " bounds of a correct result, low/<i>.npy and high/<i>.npy. hlo4j test DIR runs it,"
          + " too.",
      "A case is required, or open: specifications leave a part of its result open, which is not"
          + " judged. A refusal counts beside its twin, a valid program that the system takes.",
      "The exit status is 1 if a case failed.",
      "",
      "Examples:",
      "  hlo4j conformance suite",
      "  hlo4j conformance suite --ops add,divide --types f32,s8",
      "  hlo4j conformance suite --run --junit suite.xml",
      "  hlo4j conformance suite --run --with 'python3 xla_runner.py'"
    })
public final class ConformanceCommand implements Callable<Integer> {
  @Parameters(
      paramLabel = "DIR",
      description = "The folder of the suite.",
      converter = OutputFiles.FolderConverter.class)
  private Path folder;

  @Option(
      names = "--ops",
      paramLabel = "OP",
      split = ",",
      description = "Only these ops; module stands for the rules of modules. Default: all.")
  private List<String> ops = new ArrayList<>();

  @Option(
      names = "--types",
      paramLabel = "TYPE",
      split = ",",
      description = "Only these element types. Default: all.")
  private List<String> types = new ArrayList<>();

  @Option(names = "--run", description = "Run the suite in DIR instead of writing it.")
  private boolean isRun;

  @Mixin private SystemArguments system;

  @Option(
      names = "--junit",
      paramLabel = "FILE",
      description = "With --run: write the outcomes as JUnit's XML.")
  private Optional<Path> junit = Optional.empty();

  @Option(
      names = "--deadline",
      paramLabel = "TIME",
      converter = Quantities.Time.class,
      description = "With --with: the maximum time of each case: 500ms, 10s, 2m. Default: 1m.")
  private Optional<Duration> deadline = Optional.empty();

  @Mixin private FormatArguments format;

  @Spec private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // fields are set by picocli
  public ConformanceCommand() {}

  @Override
  public Integer call() throws IOException {
    require(
        isRun || (!system.isGiven() && junit.isEmpty() && !format.isJson()),
        "",
        "--with, --evaluator, --junit and --format json: got no --run, want it");
    ConformanceSuite suite = new ConformanceSuite(folder);
    CaseFilter filter = CaseFilter.of(ops, types);
    return isRun ? run(suite, filter) : write(suite, filter);
  }

  private int write(ConformanceSuite suite, CaseFilter filter) throws IOException {
    suite.requireEmpty();
    List<ConformanceCase> cases = ConformanceCases.of(filter);
    require(!cases.isEmpty(), "", "--ops and --types got no case, want some");
    try (Progress progress = Progress.of(spec, cases.size())) {
      suite.write(cases, progress);
    }
    long values = cases.stream().filter(each -> each.result().isPresent()).count();
    List<JsonObject> left =
        cases.stream()
            .filter(ConformanceCase::isWithoutTwin)
            .map(ConformanceCase::withoutTwin)
            .toList();
    long refusals = cases.size() - values - left.size();
    printWithoutTwin(left);
    out().println(folder + ": " + values + " values and " + refusals + " refusals");
    return 0;
  }

  /** Prints the refusals that are left out, with the reason, and how many they are. */
  private void printWithoutTwin(List<JsonObject> left) {
    for (JsonObject each : left) {
      out()
          .println(
              "no twin "
                  + each.get("op").getAsString()
                  + ", "
                  + each.get("rule").getAsString()
                  + ": "
                  + each.get("reason").getAsString());
    }
    if (!left.isEmpty()) {
      out().println("refusals without a twin, left out: " + left.size());
    }
  }

  private static List<JsonObject> chosen(List<JsonObject> cases, CaseFilter filter) {
    return cases.stream()
        .filter(
            each -> filter.accepts(each.get("op").getAsString(), each.get("type").getAsString()))
        .toList();
  }

  private int run(ConformanceSuite suite, CaseFilter filter) throws IOException {
    List<JsonObject> cases = chosen(suite.index(), filter);
    require(!cases.isEmpty(), "", "%s: got no case of these ops and types, want one", folder);
    ConformanceReport report = new ConformanceReport(chosen(suite.withoutTwin(), filter));
    if (system.isGiven()) {
      try (OtherSystem other = system.system(deadline)) {
        run(
            new ConformanceRun(
                suite, system.isCommand() ? "command" : system.name(), other, Optional.of(other)),
            cases,
            report);
      }
    } else {
      run(evaluator(suite, "reference", Interpreter.reference()), cases, report);
      run(evaluator(suite, "compiled", Interpreter.compiled()), cases, report);
    }
    return summarize(report);
  }

  private static ConformanceRun evaluator(
      ConformanceSuite suite, String name, Evaluator evaluator) {
    return new ConformanceRun(suite, name, Runner.of(evaluator), Optional.empty());
  }

  private void run(ConformanceRun run, List<JsonObject> cases, ConformanceReport report) {
    try (Progress progress = Progress.of(spec, cases.size())) {
      for (JsonObject each : cases) {
        progress.next(each.get("path").getAsString());
        ConformanceReport.Entry entry = run.run(each);
        report.add(entry);
        boolean isNamed = entry.isFailed() || entry.outcome() instanceof Outcome.NotJudged;
        if (isNamed && !format.isJson()) {
          progress.output(() -> out().println(entry.line()));
        }
      }
    }
  }

  private int summarize(ConformanceReport report) throws IOException {
    if (format.isJson()) {
      FormatArguments.print(out(), report.json());
    } else {
      report.counts("op", ConformanceReport.Entry::op).forEach(out()::println);
      report.counts("type", ConformanceReport.Entry::type).forEach(out()::println);
      List<String> rules = report.counts("rule", ConformanceReport.Entry::rule);
      List<String> missed = report.missed("rule", ConformanceReport.Entry::rule);
      missed.forEach(out()::println);
      out().println("rules: " + (rules.size() - missed.size()) + " of " + rules.size());
      printWithoutTwin(report.withoutTwin());
      report.totals().forEach(out()::println);
    }
    if (junit.isPresent()) {
      byte[] xml = report.junit().getBytes(UTF_8);
      WholeFile.write(junit.get(), out -> out.write(xml));
    }
    return report.isFailed() ? 1 : 0;
  }

  private PrintWriter out() {
    return spec.commandLine().getOut();
  }
}
