package org.hlo4j.tools;

import com.google.common.primitives.Ints;
import com.google.common.primitives.Longs;
import java.io.Console;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.source.Nearest;
import org.hlo4j.tools.command.BenchCommand;
import org.hlo4j.tools.command.BlameCommand;
import org.hlo4j.tools.command.CompareCommand;
import org.hlo4j.tools.command.ConformanceCommand;
import org.hlo4j.tools.command.DevicesCommand;
import org.hlo4j.tools.command.DiffCommand;
import org.hlo4j.tools.command.ExplainCommand;
import org.hlo4j.tools.command.FuzzCommand;
import org.hlo4j.tools.command.PrintCommand;
import org.hlo4j.tools.command.ProfileCommand;
import org.hlo4j.tools.command.RecordCommand;
import org.hlo4j.tools.command.RunCommand;
import org.hlo4j.tools.command.ServeCommand;
import org.hlo4j.tools.command.ShrinkCommand;
import org.hlo4j.tools.command.SummaryCommand;
import org.hlo4j.tools.command.TestCommand;
import org.hlo4j.tools.command.TraceCommand;
import org.hlo4j.tools.command.VerifyCommand;
import org.hlo4j.tools.console.ErrorMessages;
import org.hlo4j.tools.console.Lines;
import org.hlo4j.tools.console.Output;
import org.hlo4j.tools.console.Progress;
import org.hlo4j.tools.console.Session;
import org.jspecify.annotations.Nullable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.TypeConversionException;
import picocli.CommandLine.UnmatchedArgumentException;

/** The command {@code hlo4j}. */
@Command(
    name = "hlo4j",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    synopsisSubcommandLabel = "COMMAND",
    description =
        "Runs, verifies, prints, tests, measures, traces, explains and summarizes programs in XLA's"
            + " HLO or in StableHLO, in pure Java.",
    footerHeading = "%n",
    footer = {
      "First steps:",
      "  jax.jit(f).lower(x).as_text(\"hlo\", debug_info=True) returns HLO text with source",
      "  lines; save it as f.hlo, then",
      "  hlo4j verify f.hlo                     is it valid?",
      "  hlo4j run f.hlo --random 1             what does it compute from random numbers?",
      "  hlo4j run f.hlo --input x.npy          what does it compute from my input?",
      "  hlo4j trace f.hlo --random 1           where does the NaN come from?",
      "  hlo4j print f.hlo --format html -o f.html   what does it look like?",
      "",
      "FILE is HLO text, a serialized HloModuleProto, HloProto or HloSnapshot, StableHLO text, a"
          + " StableHLO artifact or a jax.export file, recognized by content; - is the standard"
          + " input. Arguments can also be read from a file: hlo4j verify @list.txt.",
      "Help on a command: hlo4j run --help.",
      "Shell completion: source <(hlo4j generate-completion)",
      "",
      "Environment:",
      "  HLO4J_OPTS       options of the Java virtual machine, such as -Xmx8g",
      "  HLO4J_VECTORS    on or off: use the Vector API always or never; without it, bench,",
      "                   profile, explain and --evaluator compiled use it",
      "  HLO4J_CACHE      the folder of the cache from which it starts fast, some 30 MB; none",
      "                   if empty; without it, ~/.cache/hlo4j",
      "  HLO4J_JAVA_HOME  the Java to start, before JAVA_HOME and the java on the PATH"
    },
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:all went well",
      "1:a program or a case failed, or something could not be read, run or written",
      "2:the command line is wrong",
      "130:interrupted by Ctrl-C"
    })
public final class Hlo4j implements Session {
  private static final List<Class<?>> COMMANDS =
      List.of(
          RunCommand.class,
          VerifyCommand.class,
          PrintCommand.class,
          TestCommand.class,
          BenchCommand.class,
          ProfileCommand.class,
          TraceCommand.class,
          ExplainCommand.class,
          SummaryCommand.class,
          RecordCommand.class,
          CompareCommand.class,
          BlameCommand.class,
          ShrinkCommand.class,
          FuzzCommand.class,
          DiffCommand.class,
          ConformanceCommand.class,
          ServeCommand.class,
          DevicesCommand.class,
          AutoComplete.GenerateCompletion.class);

  @Option(
      names = "--verbose",
      scope = ScopeType.INHERIT,
      description = "Print errors in full, with the source line, the context and the rule.")
  private boolean verbose;

  private final Output output;

  private Hlo4j(Output output) {
    this.output = output;
  }

  @Override
  public Output output() {
    return output;
  }

  /**
   * Runs the command and ends the process with its exit status.
   *
   * @param args the arguments
   */
  public static void main(String[] args) {
    withoutLauncher();
    Runtime.getRuntime()
        .addShutdownHook(new Thread(() -> Progress.interrupted().ifPresent(System.err::println)));
    System.exit(
        execute(
            new FileOutputStream(FileDescriptor.out),
            new FileOutputStream(FileDescriptor.err),
            args));
  }

  /** Sets the properties that the launcher sets, for {@code java -jar}. */
  private static void withoutLauncher() {
    if (System.getProperty(Progress.TERMINAL) == null) {
      System.setProperty(
          Progress.TERMINAL,
          Optional.ofNullable(System.console()).map(Console::isTerminal).orElse(false).toString());
    }
    if (ModuleLayer.boot().findModule("jdk.incubator.vector").isEmpty()) {
      System.setProperty("hlo4j.vectors", "false");
    }
  }

  /** Runs the command in this process, and returns its exit status. */
  static int execute(OutputStream stdout, OutputStream stderr, String... args) {
    Output output = Output.to(stdout);
    PrintWriter err = new Lines(stderr);
    int status = new Hlo4j(output).execute(err, args);
    Optional<Output.Failure> failure = output.failure();
    failure
        .filter(ended -> !ended.isBrokenPipe())
        .ifPresent(ended -> err.println("hlo4j: the standard output: " + ended.getMessage()));
    err.flush();
    return failure.map(Output.Failure::status).orElse(status);
  }

  private int execute(PrintWriter err, String... args) {
    CommandLine line = line(commands(args));
    line.setOut(output.writer()).setErr(err);
    line.setParameterExceptionHandler(Hlo4j::wrongUsage);
    line.setExecutionExceptionHandler((problem, at, parsed) -> failure(at, problem));
    try {
      int status = line.execute(args);
      line.getOut().flush();
      return status;
    } catch (OutOfMemoryError | StackOverflowError full) {
      return failure(line, full);
    } catch (Output.Failure ended) {
      return ended.status();
    }
  }

  /** Returns the command with all its subcommands. */
  static CommandLine line() {
    return new Hlo4j(Output.to(OutputStream.nullOutputStream())).line(COMMANDS);
  }

  private CommandLine line(List<Class<?>> commands) {
    CommandLine line = new CommandLine(this);
    commands.forEach(line::addSubcommand);
    line.setUsageHelpAutoWidth(false).setUsageHelpWidth(90);
    line.setCaseInsensitiveEnumValuesAllowed(true);
    for (Class<Long> type : List.of(Long.class, long.class)) {
      line.registerConverter(type, text -> number(text, Longs.tryParse(text), 64));
    }
    for (Class<Integer> type : List.of(Integer.class, int.class)) {
      line.registerConverter(type, text -> number(text, Ints.tryParse(text), 32));
    }
    return line;
  }

  private static <T> T number(String text, @Nullable T number, int bits) {
    if (number == null) {
      throw new TypeConversionException(
          "got '" + text + "', want a whole number of " + bits + " bits");
    }
    return number;
  }

  /**
   * Returns the requested subcommand, or all of them if it cannot be determined; creating each
   * takes time.
   */
  private static List<Class<?>> commands(String... args) {
    String name = Arrays.stream(args).filter(arg -> !arg.startsWith("-")).findFirst().orElse("");
    return COMMANDS.stream()
        .filter(command -> command.getAnnotation(Command.class).name().equals(name))
        .findFirst()
        .<List<Class<?>>>map(List::of)
        .orElse(COMMANDS);
  }

  @Override
  public boolean isVerbose() {
    return verbose;
  }

  private static int wrongUsage(ParameterException problem, String[] args) {
    CommandLine at = problem.getCommandLine();
    at.getErr()
        .printf("hlo4j: %s; see %s --help\n", wrong(problem), at.getCommandSpec().qualifiedName());
    at.getErr().flush();
    return CommandLine.ExitCode.USAGE;
  }

  private static String wrong(ParameterException problem) {
    CommandLine at = problem.getCommandLine();
    String message = ErrorMessages.oneLine(String.valueOf(problem.getMessage()));
    if (!(problem instanceof UnmatchedArgumentException unmatched)) {
      return message;
    }
    String word = unmatched.getUnmatched().get(0);
    return at.getParent() == null
        ? "no command "
            + word
            + nearest(word, at.getSubcommands().keySet())
            + ", want "
            + commands(at)
        : message + nearest(word, at.getCommandSpec().optionsMap().keySet());
  }

  private static String nearest(String word, Iterable<String> known) {
    String nearest = Nearest.to(word, known);
    return nearest.isEmpty() ? "" : " (did you mean " + nearest + "?)";
  }

  private static String commands(CommandLine line) {
    return String.join(", ", line.getSubcommands().keySet());
  }

  private int failure(CommandLine at, Throwable problem) {
    flush(at.getOut());
    ErrorMessages.lines(problem, verbose).forEach(line -> at.getErr().println("hlo4j: " + line));
    at.getErr().flush();
    return at.getCommandSpec().exitCodeOnExecutionException();
  }

  /**
   * Flushes the output before an error is printed; a failure to do so is reported after the error.
   */
  private static void flush(PrintWriter out) {
    try {
      out.flush();
    } catch (Output.Failure kept) {
      // the output records it
    }
  }
}
