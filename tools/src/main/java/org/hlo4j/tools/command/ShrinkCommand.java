package org.hlo4j.tools.command;

import com.google.common.io.Closer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.hlo4j.check.Program;
import org.hlo4j.check.Runner;
import org.hlo4j.check.command.CommandTemplate;
import org.hlo4j.check.compare.DifferenceCheck;
import org.hlo4j.check.compare.ToleranceProfile;
import org.hlo4j.check.external.ExternalRunner;
import org.hlo4j.check.locate.Locator;
import org.hlo4j.check.locate.Locator.Located;
import org.hlo4j.check.shrink.Shrinker;
import org.hlo4j.hlo.HloException;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.tools.console.Progress;
import org.hlo4j.tools.console.Quantities;
import org.hlo4j.tools.input.InfeedArguments;
import org.hlo4j.tools.input.InputArguments;
import org.hlo4j.tools.program.ProgramOutput;
import org.hlo4j.tools.system.CommandCheck;
import org.hlo4j.tools.system.SystemArguments;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command {@code hlo4j shrink}. */
@Command(
    name = "shrink",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Makes a program as small as it can while a check gives the same answer.",
    footerHeading = "%n",
    footer = {
      "The check is a command, which must end with the same exit status as for the whole program,"
          + " or --differs or --fails. Each candidate is a valid program. Where instructions go,"
          + " parameters take the values that the reference computes. Ctrl-C ends the search and"
          + " writes the smallest program so far.",
      "",
      "In COMMAND, {} or {hlo} is a file with the program as HLO text, {pb} as HloModuleProto,"
          + " {mlir} and {mlirbc} as StableHLO; {inputs} are the .npy files of its inputs. No shell"
          + " reads it.",
      "",
      "Examples:",
      "  hlo4j shrink f.hlo --random 1 --check './crashes.sh {}' -o small.hlo",
      "  hlo4j shrink f.hlo --input x.npy --differs",
      "  hlo4j shrink f.hlo --random 1 --fails 'out of memory'"
    })
public final class ShrinkCommand implements Callable<Integer> {
  private static final int RUNS = 2;

  @Parameters(paramLabel = "FILE", description = "The program.")
  private String file;

  @Mixin private InputArguments inputs;

  @Mixin private InfeedArguments infeed;

  @Option(
      names = "--check",
      paramLabel = "COMMAND",
      description = "Keep what this command ends with the same exit status for.")
  private Optional<String> check = Optional.empty();

  @Option(
      names = "--differs",
      description =
          "Keep what the compiled evaluator, or the system of --with, computes other results for"
              + " than the reference, by more than rounding explains.")
  private boolean differs;

  @Mixin private SystemArguments other;

  @Option(
      names = "--fails",
      paramLabel = "TEXT",
      arity = "0..1",
      fallbackValue = "",
      description =
          "Keep what the compiled evaluator refuses or breaks on, with this text in the message.")
  private @Nullable String fails;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE",
      description =
          "The file for the smallest program: .pb is an HloModuleProto, .mlir is StableHLO, else"
              + " HLO text. Its inputs go into the folder NAME.inputs. Default: the standard"
              + " output.")
  private Optional<Path> output = Optional.empty();

  @Option(
      names = "--deadline",
      paramLabel = "TIME",
      defaultValue = "5m",
      converter = Quantities.Time.class,
      description =
          "The time for everything: 10s, 2m, 1h. A check that runs then is stopped. Default:"
              + " ${DEFAULT-VALUE}.")
  private Duration deadline = Duration.ofMinutes(5);

  @Option(
      names = "--check-deadline",
      paramLabel = "TIME",
      defaultValue = "1m",
      converter = Quantities.Time.class,
      description =
          "The time for each run of the command; a candidate that takes longer is not kept."
              + " Default: ${DEFAULT-VALUE}.")
  private Duration checkDeadline = Duration.ofMinutes(1);

  @Option(
      names = "--confirm",
      paramLabel = "N",
      defaultValue = "1",
      description =
          "How often the check must hold for what is kept, where it does not always give the same"
              + " answer. Default: ${DEFAULT-VALUE}.")
  private int confirm = 1;

  @Spec private CommandSpec spec;

  private final long start = System.nanoTime();

  private final AtomicReference<@Nullable Program> smallest = new AtomicReference<>();
  private int checks;

  @SuppressWarnings("NullAway.Init") // fields are set by picocli
  ShrinkCommand() {}

  @Override
  public Integer call() throws IOException {
    requireOneCheck();
    try (Closer closer = Closer.create();
        Progress progress = Progress.of(spec, 0)) {
      progress.next("reading " + file);
      InputArguments.Prepared prepared = inputs.prepare(file);
      Program whole = infeed.program(prepared, EvaluatorOptions.defaults());
      if (other.isGiven()) {
        ExternalRunner.requireNoFeeds(whole);
      }
      if (output.isPresent()) {
        ProgramOutput.requireWritable(whole, output.get());
      }
      Thread hook = new Thread(this::interrupted);
      Runtime.getRuntime().addShutdownHook(hook);
      progress.next("checking the whole program");
      Start begin = start(whole, closer, progress);
      shrink(begin, whole, progress);
      Runtime.getRuntime().removeShutdownHook(hook);
    }
    return 0;
  }

  private void requireOneCheck() {
    int count = (check.isPresent() ? 1 : 0) + (differs ? 1 : 0) + (fails != null ? 1 : 0);
    if (count != 1) {
      throw new ParameterException(
          spec.commandLine(),
          "got " + count + " checks, want one of --check COMMAND, --differs and --fails");
    }
    if (other.isGiven() && !differs) {
      throw new ParameterException(spec.commandLine(), "--with and --evaluator need --differs");
    }
  }

  /** The program that is made small, and the check that holds for it. */
  private record Start(Program program, Predicate<Program> holds) {}

  private Duration left() {
    return deadline.minusNanos(System.nanoTime() - start);
  }

  private void shrink(Start begin, Program whole, Progress progress) throws IOException {
    Program small =
        Shrinker.of(begin.holds())
            .within(left())
            .confirming(confirm)
            .withListener(reached -> reached(reached, whole, progress))
            .shrink(begin.program());
    smallest.set(null);
    double seconds = (System.nanoTime() - start) / 1e9;
    String summary =
        String.format(
            Locale.ROOT,
            "%d of %d instructions, %d checks, %.1f s",
            Shrinker.size(small),
            Shrinker.size(whole),
            checks,
            seconds);
    if (output.isPresent()) {
      ProgramOutput.write(small, output.get());
      progress.output(() -> spec.commandLine().getOut().println(output.get() + ": " + summary));
    } else {
      progress.output(() -> spec.commandLine().getOut().print(ProgramOutput.text(small)));
      spec.commandLine().getErr().println("hlo4j: " + summary);
    }
  }

  private void reached(Shrinker.Progress reached, Program whole, Progress progress) {
    smallest.set(reached.smallest());
    checks = reached.checks();
    progress.next(
        Shrinker.size(reached.smallest())
            + " of "
            + Shrinker.size(whole)
            + " instructions left, check "
            + reached.checks());
  }

  /** Writes the smallest program so far when the user interrupts the command. */
  private void interrupted() {
    Program reached = smallest.get();
    if (reached == null) {
      return;
    }
    try {
      if (output.isPresent()) {
        ProgramOutput.write(reached, output.get());
      } else {
        System.out.print(ProgramOutput.text(reached));
        System.out.flush();
      }
    } catch (IOException problem) {
      System.err.println("hlo4j: " + problem);
    }
  }

  private Start start(Program whole, Closer closer, Progress progress) {
    if (check.isPresent()) {
      return new Start(whole, sameStatus(whole, check.get()));
    }
    String text = fails;
    return text == null
        ? sameDifference(whole, closer, progress)
        : new Start(whole, program -> fails(program, text));
  }

  private Predicate<Program> sameStatus(Program whole, String text) {
    Duration most = checkDeadline.compareTo(left()) < 0 ? checkDeadline : left();
    CommandCheck command = new CommandCheck(CommandTemplate.parse(text).withDeadline(most));
    int status = command.run(whole).status();
    return program -> {
      try {
        return command.run(program).status() == status;
      } catch (HloException unsuitable) {
        // It takes too long, or has no form that the command reads.
        return false;
      }
    };
  }

  /** Starts at the program, or where the results agree at the first instruction that is wrong. */
  private Start sameDifference(Program whole, Closer closer, Progress progress) {
    Runner runner =
        other.isGiven()
            ? closer.register(other.system(Optional.of(checkDeadline)))
            : program -> program.run(Interpreter::compiled, EvaluatorOptions.defaults());
    DifferenceCheck difference =
        other.isGiven() ? DifferenceCheck.of(runner) : DifferenceCheck.ofCompiled(RUNS);
    Optional<DifferenceCheck.Difference> found = difference.difference(whole);
    if (found.isPresent()) {
      return new Start(whole, difference.like(found.get()));
    }
    ToleranceProfile profile =
        other.isGiven() ? new ToleranceProfile.Native() : new ToleranceProfile.Compiled();
    Locator locator =
        new Locator(
            runner,
            profile,
            EvaluatorOptions.defaults(),
            work -> progress.next("locating: " + work));
    return locator
        .locate(whole)
        .map(Located::program)
        .flatMap(
            part -> difference.difference(part).map(it -> new Start(part, difference.like(it))))
        .orElseThrow(
            () -> new HloException("", file + ": the results agree, want a program that differs"));
  }

  private static boolean fails(Program program, String text) {
    try {
      program.run(Interpreter::compiled, EvaluatorOptions.defaults());
      return false;
    } catch (RuntimeException | LinkageError | AssertionError | StackOverflowError broken) {
      return String.valueOf(broken.getMessage()).contains(text);
    }
  }
}
