package org.hlo4j.tools.command;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import com.google.common.io.MoreFiles;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.hlo4j.check.Program;
import org.hlo4j.check.Runner;
import org.hlo4j.check.Runner.OtherSystem;
import org.hlo4j.check.compare.Comparison;
import org.hlo4j.check.compare.Comparison.Interval;
import org.hlo4j.check.compare.Comparison.Output;
import org.hlo4j.check.compare.Comparison.Verdict;
import org.hlo4j.check.compare.ToleranceProfile;
import org.hlo4j.check.external.ExternalRunner;
import org.hlo4j.check.locate.Locator;
import org.hlo4j.check.locate.Locator.Located;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.tools.cases.ComparisonText;
import org.hlo4j.tools.cases.ExpectedResults;
import org.hlo4j.tools.console.FormatArguments;
import org.hlo4j.tools.console.NameConverter;
import org.hlo4j.tools.console.Progress;
import org.hlo4j.tools.console.Quantities;
import org.hlo4j.tools.console.Results;
import org.hlo4j.tools.input.InfeedArguments;
import org.hlo4j.tools.input.InputArguments;
import org.hlo4j.tools.program.Findings;
import org.hlo4j.tools.program.Origins;
import org.hlo4j.tools.program.ProgramOutput;
import org.hlo4j.tools.system.NativeArguments;
import org.hlo4j.tools.system.SystemArguments;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command {@code hlo4j compare}. */
@Command(
    name = "compare",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description =
        "Compares the result of a program with that of the reference, and tells wrong from"
            + " rounded.",
    footerHeading = "%n",
    footer = {
      "What is compared with the reference: the compiled evaluator, or with --with another system,"
          + " with --evaluator a PJRT plugin, with --expected recorded results, with OTHER the"
          + " other program.",
      "Verdicts: same: the same bits; rounded: other bits, which the program's own roundings"
          + " justify; undecided: roundings justify any value; wrong: roundings do not justify it.",
      "The exit status is 0 for same and rounded, else 1; with --locate also 1 if an instruction is"
          + " wrong.",
      "",
      "Examples:",
      "  hlo4j compare f.hlo --random 1",
      "  hlo4j compare f.hlo --input x.npy --expected y.npy",
      "  hlo4j compare before.hlo after.hlo --random 1 --locate",
      "  hlo4j compare f.hlo --random 1 --with 'python3 xla_runner.py' --locate",
      "  hlo4j compare f.hlo --random 1 --evaluator pjrt:cpu"
    })
public final class CompareCommand implements Callable<Integer> {
  /** The names of the profiles. */
  enum Profile {
    COMPILED,
    NATIVE;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** A parser of a profile's name. */
  static final class ProfileConverter extends NameConverter<Profile> {
    ProfileConverter() {
      super(Profile.class);
    }
  }

  @Parameters(index = "0", paramLabel = "FILE", description = "The program.")
  private String file;

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "OTHER",
      description = "Another program, which is run on the same inputs.")
  private Optional<String> other = Optional.empty();

  @Mixin private InputArguments inputs;

  @Mixin private InfeedArguments infeed;

  @Option(
      names = "--expected",
      paramLabel = "PATH",
      description =
          "Recorded results: a .npy or .npz file, a folder with 0.npy, 1.npy …, a case of hlo4j"
              + " record, or an HloSnapshot (.pb).")
  private Optional<String> expected = Optional.empty();

  @Mixin private SystemArguments system;

  @Option(
      names = "--profile",
      paramLabel = "NAME",
      converter = ProfileConverter.class,
      description =
          "What may be rounded in another way: compiled, as hlo4j's compiled evaluator promises, or"
              + " native, as XLA:CPU and other compilers do. Default: compiled for that evaluator,"
              + " else native.")
  private Optional<Profile> profile = Optional.empty();

  @Mixin private NativeArguments nativeCode = new NativeArguments();

  @Option(
      names = "--locate",
      description =
          "Name the first instruction whose value is wrong although its operands agree; with OTHER"
              + " the first pair of instructions, paired as hlo4j diff does, whose values differ.")
  private boolean locate;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE",
      description =
          "With --locate: the file for the wrong instruction as a program, or a folder for it; its"
              + " inputs go into the folder NAME.inputs.")
  private Optional<Path> output = Optional.empty();

  @Option(
      names = "--deadline",
      paramLabel = "TIME",
      converter = Quantities.Time.class,
      description = "The maximum time of each run: 500ms, 10s, 2m, 1h. Default for --with: 1m.")
  private Optional<Duration> deadline = Optional.empty();

  @Mixin private FormatArguments format;

  @Spec private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // fields are set by picocli
  public CompareCommand() {}

  /** What was compared, and how. */
  private record Compared(
      String got,
      String want,
      List<Comparison> devices,
      Optional<Located> located,
      ImmutableList<String> unknown) {
    Compared(String got, String want, List<Comparison> devices) {
      this(got, want, devices, Optional.empty(), ImmutableList.of());
    }

    Verdict verdict() {
      return devices.stream()
          .map(Comparison::verdict)
          .reduce(Verdict.SAME, (one, next) -> one.worse(next));
    }
  }

  @Override
  public Integer call() throws IOException {
    long kinds =
        List.of(other.isPresent(), expected.isPresent(), system.isGiven()).stream()
            .filter(is -> is)
            .count();
    require(kinds <= 1, "", "compare got %s of OTHER, --expected and --with, want one", kinds);
    require(locate || output.isEmpty(), "", "-o got no --locate, want it: it writes what is found");
    require(
        !locate || expected.isEmpty(),
        "",
        "--locate got recorded results, want a system that can run parts of the program");
    Compared compared;
    Origins origins;
    try (Progress progress = Progress.of(spec, 0)) {
      progress.next("comparing " + file);
      InputArguments.Prepared prepared = inputs.prepare(file);
      origins = new Origins(prepared.program().module());
      compared = compared(prepared, progress);
    }
    if (format.isJson()) {
      FormatArguments.print(out(), json(compared, origins));
    } else {
      print(compared, origins);
    }
    if (compared.located().isPresent() && output.isPresent()) {
      Located found = compared.located().get();
      write(found.program(), file(found), "");
      if (found.counterpart().isPresent()) {
        write(found.counterpart().get().program(), file(found), ".before");
      }
    }
    return compared.verdict().isGood() && compared.located().isEmpty() ? 0 : 1;
  }

  private void write(Program program, Path file, String which) throws IOException {
    String name = file.getFileName().toString();
    String suffix = MoreFiles.getFileExtension(file);
    Path to =
        suffix.isEmpty()
            ? file.resolveSibling(name + which)
            : file.resolveSibling(
                name.substring(0, name.length() - suffix.length() - 1) + which + "." + suffix);
    ProgramOutput.write(program, to);
    if (!format.isJson()) {
      out().println("  as a program, with its inputs: " + to);
    }
  }

  /** Returns the file for the program of an instruction. */
  private Path file(Located located) {
    Path path = output.orElseThrow();
    return Files.isDirectory(path)
        ? path.resolve(located.instruction().name().replace('/', '_') + ".hlo")
        : path;
  }

  private Compared compared(InputArguments.Prepared prepared, Progress progress)
      throws IOException {
    if (system.isGiven()) {
      ExternalRunner.requireNoFeeds(prepared.toCheck());
      try (OtherSystem runner = system.system(deadline)) {
        return onSystem(system.name(), runner, prepared, progress);
      }
    }
    Program program = infeed.program(prepared, options());
    if (other.isPresent()) {
      InputArguments.Prepared that = inputs.prepare(other.get());
      Program second = infeed.program(that, options());
      Optional<Located> pair =
          locate
              ? Locator.pair(
                  program, second, profile(), options(), work -> progress.next("locating: " + work))
              : Optional.empty();
      Comparison comparison =
          pair.isPresent()
              ? Comparison.briefly(program, second, profile(), options())
              : Comparison.ofPrograms(program, second, profile(), options());
      return new Compared(
          file, other.get(), ofDevices(program, comparison), pair, ImmutableList.of());
    }
    if (expected.isPresent()) {
      Literal recorded = recorded(program, expected.get());
      Comparison comparison = Comparison.of(program, recorded, profile(), options());
      return new Compared(expected.get(), "the reference", ofDevices(program, comparison));
    }
    return onSystem(
        "the compiled evaluator",
        each -> each.run(Interpreter::compiled, options()),
        prepared,
        progress);
  }

  /** Returns the comparison of each device that has a result of its own. */
  private static List<Comparison> ofDevices(Program program, Comparison all) {
    return program.isOfEachDevice()
        ? IntStream.range(0, program.deviceCount()).mapToObj(all::element).toList()
        : List.of(all);
  }

  /** Reads the results of all devices, as {@code hlo4j run} and record write them. */
  private Literal recorded(Program program, String file) throws IOException {
    if (!program.isOfEachDevice()) {
      return recorded(program, ExpectedResults.ofDevice(file, 0), device -> device);
    }
    List<Literal> all = new ArrayList<>();
    for (int i = 0; i < program.deviceCount(); i++) {
      int device = i;
      all.add(recorded(program, ExpectedResults.ofDevice(file, i), whole -> whole.element(device)));
    }
    return Literal.tuple(all);
  }

  /** Reads a result, and what outfeed got beside it. */
  private Literal recorded(Program program, String file, UnaryOperator<Literal> own)
      throws IOException {
    Literal root =
        new ExpectedResults(file).read(program.module().entry().root().shape().withoutLayout());
    if (!program.hasFeeds()) {
      return root;
    }
    Shape outfeed = own.apply(program.run(Interpreter::reference, options())).element(1).shape();
    return Literal.tuple(
        root,
        Results.shapes(outfeed).isEmpty()
            ? Literal.tuple()
            : new ExpectedResults(file + "/" + RunCommand.OUTFEED).read(outfeed));
  }

  private Compared onSystem(
      String name, Runner runner, InputArguments.Prepared prepared, Progress progress)
      throws IOException {
    Program program = infeed.program(prepared, options());
    Locator locator =
        new Locator(runner, profile(), options(), work -> progress.next("locating: " + work));
    return Findings.located(
        prepared.program(),
        () -> {
          Literal got = result(runner, program, locator);
          if (!locate || got.equals(program.run(Interpreter::reference, options()))) {
            Comparison comparison = Comparison.of(program, got, profile(), options());
            return new Compared(name, "the reference", ofDevices(program, comparison));
          }
          Optional<Located> located = locator.locate(program);
          Comparison comparison =
              located.isPresent()
                  ? Comparison.briefly(program, got, profile(), options())
                  : Comparison.of(program, got, profile(), options());
          return new Compared(
              name, "the reference", ofDevices(program, comparison), located, locator.unknown());
        });
  }

  /** Runs the program; if that ends the process of the system, names the instruction that does. */
  private Literal result(Runner runner, Program program, Locator locator) {
    try {
      return runner.run(program);
    } catch (HloException ended) {
      Optional<Located> guilty =
          locate && ended.kind() == HloException.Kind.ENDED
              ? locator.locate(program)
              : Optional.empty();
      throw guilty
          .map(each -> ended.with("instruction", each.instruction().toString()))
          .orElse(ended);
    }
  }

  private EvaluatorOptions options() {
    EvaluatorOptions.Builder options = EvaluatorOptions.builder();
    deadline.ifPresent(options::deadline);
    return options.build();
  }

  private ToleranceProfile profile() {
    boolean isOurs = other.isEmpty() && expected.isEmpty() && !system.isGiven();
    return switch (profile.orElse(isOurs ? Profile.COMPILED : Profile.NATIVE)) {
      case COMPILED -> new ToleranceProfile.Compiled();
      case NATIVE -> nativeCode.profile();
    };
  }

  private JsonObject json(Compared compared, Origins origins) {
    JsonObject json = new JsonObject();
    json.addProperty("verdict", compared.verdict().toString());
    json.addProperty("got", compared.got());
    json.addProperty("want", compared.want());
    JsonArray devices = new JsonArray();
    compared.devices().forEach(device -> devices.add(ComparisonText.json(device)));
    json.add("devices", devices);
    compared.located().ifPresent(found -> json.add("located", ComparisonText.json(found, origins)));
    return json;
  }

  private void print(Compared compared, Origins origins) {
    out().println(compared.got() + " beside " + compared.want() + ": " + compared.verdict());
    for (int device = 0; device < compared.devices().size(); device++) {
      if (compared.devices().size() > 1) {
        out().println("device " + device + ":");
      }
      ComparisonText.lines(compared.devices().get(device)).forEach(out()::println);
    }
    if (compared.located().isPresent() && compared.verdict() != Verdict.WRONG) {
      compared.devices().stream()
          .flatMap(each -> hiding(each).stream())
          .findFirst()
          .ifPresent(out()::println);
    }
    if (locate && compared.verdict() != Verdict.SAME) {
      compared
          .located()
          .map(found -> ComparisonText.lines(found, origins))
          .orElse(
              ImmutableList.<String>builder()
                  .add(
                      other.isPresent()
                          ? "no pair of instructions differs whose operands agree"
                          : "no instruction is wrong, alone or after others")
                  .addAll(compared.unknown())
                  .build())
          .forEach(out()::println);
    }
  }

  /** Says how wide the interval is that hides what an instruction does. */
  private static Optional<String> hiding(Comparison comparison) {
    return comparison
        .worst()
        .flatMap(Output::first)
        .map(Comparison.Element::interval)
        .filter(Interval::isBounded)
        .map(interval ->
            "the result may be off by "
                + (float) ((interval.high() - interval.low()) / 2)
                + (interval.reason().isEmpty() ? "" : " (" + interval.reason() + ")")
                + ", which hides a wrong instruction");
  }

  private PrintWriter out() {
    return spec.commandLine().getOut();
  }
}
