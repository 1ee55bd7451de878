package org.hlo4j.tools.command;

import static java.util.Objects.requireNonNullElse;

import com.google.common.base.Throwables;
import com.google.common.collect.ConcurrentHashMultiset;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Multiset;
import com.google.common.collect.Multisets;
import com.google.common.io.Closer;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.hlo4j.check.Program;
import org.hlo4j.check.Runner;
import org.hlo4j.check.compare.Comparison;
import org.hlo4j.check.compare.Comparison.LeftOpen;
import org.hlo4j.check.compare.Comparison.Output;
import org.hlo4j.check.compare.DifferenceCheck;
import org.hlo4j.check.compare.DifferenceCheck.Difference;
import org.hlo4j.check.generate.ProgramGenerator;
import org.hlo4j.check.shrink.Shrinker;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.stablehlo.StableHlo;
import org.hlo4j.tools.console.ErrorMessages;
import org.hlo4j.tools.console.OutputFiles;
import org.hlo4j.tools.console.Progress;
import org.hlo4j.tools.console.Quantities;
import org.hlo4j.tools.console.Results;
import org.hlo4j.tools.program.LoadedProgram;
import org.hlo4j.tools.program.ProgramOutput;
import org.hlo4j.tools.system.SystemArguments;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command {@code hlo4j fuzz}. */
@Command(
    name = "fuzz",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description =
        "Runs random programs on the compiled evaluator, or another system, and on the reference,"
            + " and makes those small whose results differ by more than rounding explains.",
    footerHeading = "%n",
    footer = {
      "The same seed gives the same program. The exit status is 1 if something was found.",
      "",
      "Examples:",
      "  hlo4j fuzz --count 1000",
      "  hlo4j fuzz --time 10m --stablehlo --finite -o found \\",
      "      --with 'python3 python/xla_runner.py'",
      "  hlo4j fuzz --ops dot,add,reduce --types f32,bf16 --max-size 500 --seed 7"
    })
public final class FuzzCommand implements Callable<Integer> {
  private static final int RUNS = 2;
  private static final long DEFAULT_COUNT = 100;
  private static final long STACK_BYTES = 1L << 24;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "0",
      description = "The seed of the first program; the next has the next seed. Default: 0.")
  private long seed;

  @Option(
      names = "--count",
      paramLabel = "N",
      description = "How many programs. Default: 100, or no limit with --time.")
  private Optional<Long> count = Optional.empty();

  @Option(
      names = "--time",
      paramLabel = "TIME",
      converter = Quantities.Time.class,
      description = "No program begins after this time: 10s, 2m, 1h.")
  private Optional<Duration> time = Optional.empty();

  @Option(
      names = "--ops",
      paramLabel = "OPCODE",
      split = ",",
      description = "Only these ops, such as dot,add, and what makes arrays of constants.")
  private List<String> ops = new ArrayList<>();

  @Option(
      names = "--not-ops",
      paramLabel = "OPCODE",
      split = ",",
      description = "All ops but these, such as those in which faults are known.")
  private List<String> notOps = new ArrayList<>();

  @Option(
      names = "--known",
      paramLabel = "FILE",
      split = ",",
      description =
          "Small programs of faults that are known, or folders of them. What becomes one of these"
              + " when it is made small, but for sizes and numbers, is counted and not kept.")
  private List<Path> known = new ArrayList<>();

  @Option(
      names = "--types",
      paramLabel = "TYPE",
      split = ",",
      description = "Only these element types, such as f32,s32,pred.")
  private List<String> types = new ArrayList<>();

  @Option(
      names = "--max-size",
      paramLabel = "N",
      description = "The largest number of elements of an array. Default: 100000.")
  private Optional<Long> maxSize = Optional.empty();

  @Option(
      names = "--steps",
      paramLabel = "N",
      description =
          "The length of each program: the number of steps that add an instruction or a few, in."
              + " Default: random.")
  private Optional<Integer> steps = Optional.empty();

  @Option(
      names = "--finite",
      description = "Only programs with arguments for which no result is NaN or infinite.")
  private boolean finite;

  @Option(
      names = "--dynamic",
      description = "Also arrays of sizes that are known only at run time.")
  private boolean dynamic;

  @Option(names = "--stablehlo", description = "Only programs that StableHLO can express.")
  private boolean stableHlo;

  @Mixin private SystemArguments other;

  @Option(
      names = "--ignore-failures",
      description = "Pass over programs that the other system refuses or fails on.")
  private boolean ignoreFailures;

  @Option(
      names = "--max-found",
      paramLabel = "N",
      description = "No program begins after so many were found. Default: no limit.")
  private Optional<Integer> maxFound = Optional.empty();

  @Option(
      names = "--jobs",
      paramLabel = "N",
      description = "How many programs run at a time. Default: the number of processors.")
  private Optional<Integer> jobs = Optional.empty();

  @Option(
      names = "--run-deadline",
      paramLabel = "TIME",
      defaultValue = "1m",
      converter = Quantities.Time.class,
      description =
          "The time for each run of the other system; to take longer is to fail. Default:"
              + " ${DEFAULT-VALUE}.")
  private Duration runDeadline = Duration.ofMinutes(1);

  @Option(
      names = "--shrink-deadline",
      paramLabel = "TIME",
      defaultValue = "1m",
      converter = Quantities.Time.class,
      description = "The time to make each program small. Default: ${DEFAULT-VALUE}.")
  private Duration shrinkDeadline = Duration.ofMinutes(1);

  @Option(
      names = {"-o", "--output"},
      paramLabel = "DIR",
      description =
          "The folder for what was found: seed-N.hlo, made small, seed-N.inputs, seed-N.infeed,"
              + " seed-N.got and seed-N.expected.",
      converter = OutputFiles.FolderConverter.class)
  private Optional<Path> output = Optional.empty();

  @Spec private CommandSpec spec;

  private final AtomicLong nextSeed = new AtomicLong();
  private final AtomicInteger programs = new AtomicInteger();
  private final AtomicInteger found = new AtomicInteger();
  private final AtomicInteger again = new AtomicInteger();
  private final AtomicLong outputs = new AtomicLong();
  private final Multiset<String> notCompared = ConcurrentHashMultiset.create();
  private final Set<String> knownForms = new HashSet<>();

  @SuppressWarnings("NullAway.Init") // fields are set by picocli
  FuzzCommand() {}

  @Override
  public Integer call() throws IOException {
    ProgramGenerator generator = generator();
    for (Path each : known) {
      addKnown(each);
    }
    if (output.isPresent()) {
      OutputFiles.makeFolder(output.get());
    }
    long end = System.nanoTime() + time.map(Duration::toNanos).orElse(Long.MAX_VALUE / 2);
    try (Progress progress = Progress.of(spec, 0)) {
      searchInThreads(generator, end, progress);
      progress.output(this::summary);
    }
    return found.get() == 0 ? 0 : 1;
  }

  private void addKnown(Path file) throws IOException {
    if (Files.isDirectory(file)) {
      try (DirectoryStream<Path> inside = Files.newDirectoryStream(file, "*.hlo")) {
        for (Path each : inside) {
          addKnown(each);
        }
      }
    } else {
      for (LoadedProgram each : LoadedProgram.all(file.toString())) {
        knownForms.add(Shrinker.form(each.module()));
      }
    }
  }

  private void summary() {
    println(
        programs
            + (programs.get() == 1 ? " program, " : " programs, ")
            + found
            + " found"
            + (again.get() == 0 ? "" : ", " + again + " known"));
    if (!notCompared.isEmpty()) {
      println(
          "not compared: "
              + notCompared.size()
              + " of "
              + outputs
              + " outputs: "
              + Multisets.copyHighestCountFirst(notCompared).entrySet().stream()
                  .map(each -> each.getCount() + " " + each.getElement())
                  .collect(Collectors.joining(", ")));
    }
  }

  private void searchInThreads(ProgramGenerator generator, long end, Progress progress)
      throws IOException {
    int threads = jobs.orElse(Runtime.getRuntime().availableProcessors());
    ExecutorService executor =
        Executors.newFixedThreadPool(
            threads,
            Thread.ofPlatform().daemon().name("hlo4j-fuzz-", 0).stackSize(STACK_BYTES).factory());
    CompletionService<Object> searches = new ExecutorCompletionService<>(executor);
    try {
      for (int i = 0; i < threads; i++) {
        searches.submit(() -> {
          search(generator, end, progress);
          return this;
        });
      }
      for (int i = 0; i < threads; i++) {
        searches.take().get();
      }
    } catch (ExecutionException failed) {
      Throwable cause = requireNonNullElse(failed.getCause(), failed);
      Throwables.throwIfInstanceOf(cause, IOException.class);
      Throwables.throwIfUnchecked(cause);
      throw new AssertionError(failed);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    } finally {
      executor.shutdownNow();
    }
  }

  /** Takes one seed after the other, as other threads do, until the time or the seeds end. */
  private void search(ProgramGenerator generator, long end, Progress progress) throws IOException {
    int limit = maxFound.orElse(Integer.MAX_VALUE);
    long most = count.orElse(time.isPresent() ? Long.MAX_VALUE : DEFAULT_COUNT);
    try (Closer closer = Closer.create()) {
      DifferenceCheck check =
          other.isGiven()
              ? DifferenceCheck.of(closer.register(other.system(Optional.of(runDeadline))))
              : DifferenceCheck.ofCompiled(RUNS);
      while (System.nanoTime() - end < 0 && found.get() < limit) {
        long index = nextSeed.getAndIncrement();
        if (index >= most) {
          return;
        }
        long number = seed + index;
        progress.next("seed " + number + ", " + found + " found");
        Optional<Program> program =
            generator.program(number).filter(each -> !stableHlo || isStableHlo(each));
        if (program.isPresent()) {
          programs.incrementAndGet();
          outputs.addAndGet(Results.shapes(program.get().module().entry().root().shape()).size());
          report(program.get(), number, check, progress);
        }
      }
    }
  }

  private void println(String line) {
    spec.commandLine().getOut().println(line);
  }

  private ProgramGenerator generator() {
    requirePositive("--count", count);
    requirePositive("--max-found", maxFound);
    requirePositive("--jobs", jobs);
    Set<ElementType> given = new HashSet<>();
    for (String name : types) {
      given.add(
          ElementType.named(name)
              .orElseThrow(
                  () -> wrong("--types got " + name + ", want element types such as f32")));
    }
    ProgramGenerator generator = ProgramGenerator.create();
    generator = withOps(generator);
    generator = given.isEmpty() ? generator : generator.withTypes(given);
    generator = maxSize.map(generator::withMaxElements).orElse(generator);
    generator = steps.map(generator::withSteps).orElse(generator);
    generator = dynamic ? generator.dynamic() : generator;
    generator = other.isGiven() ? generator.portable() : generator;
    return finite ? generator.finite() : generator;
  }

  private void requirePositive(String option, Optional<? extends Number> number) {
    if (number.filter(each -> each.longValue() < 1).isPresent()) {
      throw wrong(option + " got " + number.get() + ", want at least 1");
    }
  }

  private ProgramGenerator withOps(ProgramGenerator generator) {
    try {
      ProgramGenerator some =
          ops.isEmpty() ? generator : generator.withOps(ImmutableSet.copyOf(ops));
      return notOps.isEmpty() ? some : some.withoutOps(ImmutableSet.copyOf(notOps));
    } catch (HloException unknown) {
      throw wrong("--" + unknown.getMessage());
    }
  }

  private ParameterException wrong(String message) {
    return new ParameterException(spec.commandLine(), message);
  }

  private static boolean isStableHlo(Program program) {
    try {
      StableHlo.fromHlo(program.module());
      return true;
    } catch (HloException inexpressible) {
      return false;
    }
  }

  private void report(Program program, long number, DifferenceCheck check, Progress progress)
      throws IOException {
    Optional<Difference> first =
        check.tellingOpen(open -> notCompared.add(name(open, program))).difference(program);
    if (first.isEmpty() || (ignoreFailures && first.get().isFailure())) {
      return;
    }
    progress.next("making seed " + number + " small");
    Predicate<Program> like = check.like(first.get()).and(each -> !stableHlo || isStableHlo(each));
    Program small =
        Runner.unlessRefused(() -> Shrinker.of(like).within(shrinkDeadline).shrink(program))
            .orElse(program); // it does not differ each time, or too late
    if (knownForms.contains(Shrinker.form(small.module()))) {
      again.incrementAndGet();
      return;
    }
    found.incrementAndGet();
    Optional<Difference> repeated = check.difference(small);
    Difference last = repeated.orElse(first.get());
    String name = "seed-" + number;
    String line =
        String.format(
            Locale.ROOT,
            "%s: %d of %d instructions: %s%s",
            name,
            Shrinker.size(small),
            Shrinker.size(program),
            ErrorMessages.oneLine(last.text()),
            repeated.isPresent() ? "" : ", not each time");
    if (output.isPresent()) {
      write(small, last, output.get(), name, line);
      progress.output(() -> println(line));
    } else {
      progress.output(() -> println(line + "\n" + ProgramOutput.text(small)));
    }
  }

  /**
   * Names what leaves an output open: a row of what specifications leave open, the allowance, or
   * its opcode.
   */
  private static String name(Output open, Program program) {
    HloInstruction at = program.module().entry().root();
    for (int index : open.path()) {
      at = at.op() instanceof Tuple ? at.operands().get(index) : at;
    }
    String opcode = at.op().opcode();
    return open.verdict()
        + " "
        + open.first()
            .map(Comparison.Element::interval)
            .flatMap(each ->
                each.open()
                    .map(LeftOpen::name)
                    .or(() ->
                        Optional.of(each.reason())
                            .filter(reason -> !reason.isEmpty())
                            .map(reason -> reason.substring(reason.indexOf(": ") + 2))))
            .orElse(opcode);
  }

  private static void write(
      Program small, Difference difference, Path folder, String name, String line)
      throws IOException {
    Path file = folder.resolve(name + ".hlo");
    ProgramOutput.write(small, file, "// " + line + "\n");
    if (difference.got().isPresent()) {
      Results.write(difference.got().get(), folder.resolve(name + ".got"));
    }
    Results.write(difference.want(), folder.resolve(name + ".expected"));
  }
}
