package org.hlo4j.tools.command;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.joining;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import com.google.common.io.Closer;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.hlo4j.check.Runner;
import org.hlo4j.check.compare.Comparison;
import org.hlo4j.check.compare.Comparison.Verdict;
import org.hlo4j.check.compare.ToleranceProfile;
import org.hlo4j.check.diff.ModuleDiff;
import org.hlo4j.check.locate.Blame;
import org.hlo4j.check.locate.Locator.Located;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.source.WholeFile;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.pjrt.PjrtEvaluator;
import org.hlo4j.tools.cases.ComparisonText;
import org.hlo4j.tools.console.FormatArguments;
import org.hlo4j.tools.console.Progress;
import org.hlo4j.tools.graph.DiffPage;
import org.hlo4j.tools.input.ElidedConstants;
import org.hlo4j.tools.input.InputArguments;
import org.hlo4j.tools.program.LoadedProgram;
import org.hlo4j.tools.program.Origins;
import org.hlo4j.tools.system.EvaluatorArguments;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command {@code hlo4j blame}. */
@Command(
    name = "blame",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Names the pass of a compiler after which a program computes something else.",
    footerHeading = "%n",
    footer = {
      "DIR has one module after each pass, as XLA writes them with XLA_FLAGS='--xla_dump_to=DIR"
          + " --xla_dump_hlo_pass_re=.* --xla_dump_large_constants', or any modules, in the order"
          + " of the numbers in their names. Each runs here, on the same inputs; its result is"
          + " compared with that of the first, as hlo4j compare does. What only a device can run"
          + " is passed over.",
      "The exit status is 0 if no result is unspecified, undecided or wrong, and all modules that"
          + " run come to an end, else 1. After the first, a module has ten times the time of the"
          + " first, and two seconds.",
      "",
      "Examples:",
      "  hlo4j blame dump --random 1",
      "  hlo4j blame dump --program jit_step --input step.npz --html step.html"
    })
public final class BlameCommand implements Callable<Integer> {
  private static final int MAX_NAMES = 3;

  @Parameters(index = "0", paramLabel = "DIR", description = "The folder of modules.")
  private Path folder;

  @Option(
      names = "--program",
      paramLabel = "NAME",
      description =
          "The program if the folder has dumps of several: module_0003.jit_f, jit_f or"
              + " module_0003.")
  private Optional<String> program = Optional.empty();

  @Mixin private InputArguments inputs;

  @Mixin private EvaluatorArguments evaluator;

  @Option(
      names = "--html",
      paramLabel = "FILE",
      description =
          "Also write a page with the verdict after each pass, and the modules before and after the"
              + " guilty one next to each other.")
  private Optional<Path> html = Optional.empty();

  @Mixin private FormatArguments format;

  @Spec private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // fields are set by picocli
  public BlameCommand() {}

  /** What was found, with the files that could not be read beside it. */
  private record Found(
      Blame blame,
      Map<String, Path> files,
      ImmutableList<String> unread,
      Optional<Located> located) {
    /** Returns the first steps whose results are rounded, unspecified, undecided, wrong. */
    ImmutableList<Blame.Step> firsts() {
      return ImmutableList.copyOf(Verdict.values()).stream()
          .filter(verdict -> verdict != Verdict.SAME)
          .flatMap(verdict -> blame.first(verdict).stream())
          .collect(toImmutableList());
    }

    /** Returns the first step that does not come to an end. */
    Optional<Blame.Step> failed() {
      return blame.steps().stream().filter(Blame.Step::hasFailed).findFirst();
    }

    Path file(Blame.Step step) {
      return files.getOrDefault(step.stage().name(), Path.of(""));
    }

    /** Returns the first step that is wrong or fails, else that with the worst verdict. */
    Optional<Blame.Step> guilty() {
      return blame.guilty().or(() -> firsts().reversed().stream().findFirst());
    }

    boolean isGood(Blame.Step step) {
      return step.comparison().filter(each -> each.verdict().isGood()).isPresent();
    }

    /** Returns why steps were passed over, each reason once, with how many. */
    ImmutableList<String> passedOver() {
      Map<String, Integer> reasons = new LinkedHashMap<>();
      unread.forEach(each -> reasons.merge(each, 1, Integer::sum));
      blame.steps().stream()
          .filter(each -> each.comparison().isEmpty() && !each.hasFailed())
          .forEach(each -> reasons.merge(each.passedOver(), 1, Integer::sum));
      return reasons.entrySet().stream()
          .map(each -> each.getValue() + ": " + each.getKey())
          .collect(toImmutableList());
    }
  }

  @Override
  public Integer call() throws IOException {
    ImmutableList<PassDumps.Dump> dumps = PassDumps.of(folder, program);
    Found found;
    try (Closer closer = Closer.create();
        Progress progress = Progress.of(spec, dumps.size())) {
      found = found(dumps, system(closer), progress);
    }
    Optional<Blame.Step> guilty = found.guilty();
    if (html.isPresent()) {
      String page = page(found);
      WholeFile.write(html.get(), to -> to.write(page.getBytes(UTF_8)));
    }
    if (format.isJson()) {
      FormatArguments.print(out(), json(found));
    } else {
      print(found, dumps);
    }
    return guilty.isEmpty() || found.isGood(guilty.get()) ? 0 : 1;
  }

  /** Returns what runs the modules: an evaluator, or a plugin in a process of its own. */
  private Function<EvaluatorOptions, Runner> system(Closer closer) {
    if (!evaluator.isPlugin()) {
      return options -> each -> each.run(evaluator::evaluator, options);
    }
    PjrtEvaluator plugin = evaluator.isolated();
    closer.register(plugin::close);
    return options -> Runner.of(plugin);
  }

  private Found found(
      ImmutableList<PassDumps.Dump> dumps,
      Function<EvaluatorOptions, Runner> system,
      Progress progress)
      throws IOException {
    List<Blame.Stage> stages = new ArrayList<>();
    Map<String, Path> files = new LinkedHashMap<>();
    List<String> unread = new ArrayList<>();
    for (PassDumps.Dump dump : dumps) {
      try {
        Path file = readable(dump);
        String name =
            files.containsKey(dump.pass()) ? dump.pass() + ", " + dump.order() : dump.pass();
        stages.add(new Blame.Stage(name, LoadedProgram.all(file.toString()).get(0).module()));
        files.put(name, file);
      } catch (HloException unreadable) {
        require(!stages.isEmpty() || dumps.indexOf(dump) > 0, "", "%s", unreadable.summary());
        unread.add(unreadable.summary());
      }
    }
    require(!stages.isEmpty(), "", "%s: got no module that can be read", folder);
    InputArguments.Prepared prepared = inputs.prepare(files.values().iterator().next().toString());
    Blame blame =
        Blame.of(
            stages,
            prepared.toCheck().arguments(),
            new ToleranceProfile.Native(),
            system,
            evaluator.options(),
            progress::next);
    Optional<Located> located = Optional.empty();
    Optional<Blame.Step> wrong = blame.guilty();
    if (wrong.isPresent()) {
      progress.next("looking for the instruction");
      located =
          blame.locate(
              wrong.get(),
              prepared.toCheck().arguments(),
              new ToleranceProfile.Native(),
              evaluator.options(),
              progress::next);
    }
    return new Found(blame, files, ImmutableList.copyOf(unread), located);
  }

  /** Returns a file with all constants; refused if none of a module's files has them. */
  private static Path readable(PassDumps.Dump dump) throws IOException {
    for (Path file : dump.files()) {
      HloModule module = LoadedProgram.all(file.toString()).get(0).module();
      if (ElidedConstants.findings(module, "").isEmpty()) {
        return file;
      }
    }
    throw new HloException(
        "",
        "constants are written {...}: want dumps with --xla_dump_large_constants or"
            + " --xla_dump_hlo_as_proto");
  }

  private PrintWriter out() {
    return spec.commandLine().getOut();
  }

  private void print(Found found, ImmutableList<PassDumps.Dump> dumps) {
    long run = found.blame().steps().stream().filter(each -> each.comparison().isPresent()).count();
    out().println(folder + ": " + run + " of " + dumps.size() + " modules run");
    found.passedOver().stream()
        .limit(MAX_NAMES)
        .forEach(each -> out().println("  passed over, " + each));
    if (found.guilty().isEmpty()) {
      out().println("all results are the same");
    }
    found
        .failed()
        .ifPresent(step -> {
          out().println("failed after " + step.stage().name());
          out().println("  " + found.file(step));
          between(found.blame(), step).ifPresent(line -> out().println("  " + line));
          out().println("  " + step.passedOver());
        });
    for (Blame.Step step : found.firsts()) {
      Comparison comparison = step.comparison().orElseThrow();
      out().println(comparison.verdict() + " after " + step.stage().name());
      out().println("  " + found.file(step));
      between(found.blame(), step).ifPresent(line -> out().println("  " + line));
      ComparisonText.lines(comparison).stream()
          .filter(line -> !line.endsWith(": same"))
          .forEach(line -> out().println("  " + line));
    }
    Blame.Step last = found.blame().steps().getLast();
    found
        .located()
        .ifPresent(each ->
            ComparisonText.lines(each, new Origins(last.stage().module()))
                .forEach(line -> out().println("  " + line)));
  }

  /**
   * Returns which passes before a step may have made its verdict, for their modules did not run.
   */
  private static Optional<String> between(Blame blame, Blame.Step step) {
    ImmutableList<Blame.Step> passed = blame.passedOver(step);
    return passed.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "or one of the passes before it that were passed over: "
                + passed.stream()
                    .limit(MAX_NAMES)
                    .map(each -> each.stage().name())
                    .collect(joining(", "))
                + (passed.size() > MAX_NAMES ? ", …" : ""));
  }

  private JsonObject json(Found found) {
    JsonObject json = new JsonObject();
    JsonArray steps = new JsonArray();
    for (Blame.Step step : found.blame().steps()) {
      JsonObject object = new JsonObject();
      object.addProperty("pass", step.stage().name());
      object.addProperty("file", found.file(step).toString());
      step.comparison()
          .ifPresentOrElse(
              each -> object.addProperty("verdict", each.verdict().toString()),
              () ->
                  object.addProperty(
                      step.hasFailed() ? "failed" : "passedOver", step.passedOver()));
      steps.add(object);
    }
    json.add("steps", steps);
    JsonArray firsts = new JsonArray();
    for (Blame.Step step : found.firsts()) {
      JsonObject first = ComparisonText.json(step.comparison().orElseThrow());
      first.addProperty("pass", step.stage().name());
      first.addProperty("file", found.file(step).toString());
      first.addProperty("before", found.file(found.blame().before(step)).toString());
      JsonArray passed = new JsonArray();
      found.blame().passedOver(step).forEach(each -> passed.add(each.stage().name()));
      first.add("passedOver", passed);
      firsts.add(first);
    }
    json.add("first", firsts);
    Origins origins = new Origins(found.blame().steps().getLast().stage().module());
    found.located().ifPresent(each -> json.add("located", ComparisonText.json(each, origins)));
    JsonArray unread = new JsonArray();
    found.unread().forEach(unread::add);
    json.add("unread", unread);
    return json;
  }

  private String page(Found found) {
    List<List<String>> rows = new ArrayList<>();
    for (Blame.Step step : found.blame().steps()) {
      String verdict =
          step.comparison()
              .map(each -> each.verdict().toString())
              .orElse((step.hasFailed() ? "failed: " : "passed over: ") + step.passedOver());
      rows.add(List.of(step.stage().name(), verdict));
    }
    Blame.Step guilty = found.guilty().orElse(found.blame().steps().getLast());
    Blame.Step before = found.blame().before(guilty);
    return DiffPage.of(
        before.stage().name(),
        guilty.stage().name(),
        ModuleDiff.of(before.stage().module(), guilty.stage().module()),
        rows);
  }
}
