package org.hlo4j.tools.program;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.stream.Collectors.joining;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.Ints;
import java.io.IOException;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.IntStream;
import org.hlo4j.hlo.HloException;
import org.hlo4j.stablehlo.StableHlo;
import picocli.CommandLine.Option;

/** The option that selects a program of a file. */
public final class ProgramChoice {
  private static final int MAX_SHOWN = 10;

  @Option(
      names = {"-m", "--module"},
      paramLabel = "NAME",
      description = "The program to use from a file with several: its name, or its number from 0.")
  private Optional<String> wanted = Optional.empty();

  @Option(
      names = "--function",
      paramLabel = "NAME",
      description =
          "The function of a StableHLO program to use. Default: main, or the only function.")
  private Optional<String> function = Optional.empty();

  @Option(
      names = "--platform",
      paramLabel = "NAME",
      description = "The platform whose code of a jax.export file is used. Default: cpu.")
  private Optional<String> platform = Optional.empty();

  @SuppressWarnings("NullAway.Init") // fields are set by picocli
  ProgramChoice() {}

  /**
   * Returns the selected programs of a file: all of them, or the requested one.
   *
   * @throws HloException if there is no such program, or several have its name
   */
  public ImmutableList<LoadedProgram> all(String file) throws IOException {
    ImmutableList<LoadedProgram> programs = LoadedProgram.all(file);
    ImmutableList<LoadedProgram> selected =
        wanted.map(name -> ImmutableList.of(named(programs, name))).orElse(programs);
    return selected.stream().map(program -> program.with(this::chosen)).collect(toImmutableList());
  }

  /** Returns a program with the requested function and for the requested platform. */
  private ProgramSource chosen(ProgramSource source) {
    ProgramSource ofFunction = function.map(name -> withEntry(source, name)).orElse(source);
    return platform.map(name -> onPlatform(ofFunction, name)).orElse(ofFunction);
  }

  private static ProgramSource withEntry(ProgramSource source, String function) {
    return switch (source) {
      case ProgramSource.Imported imported ->
          ProgramSource.of(StableHlo.withEntry(imported.operation(), function));
      case ProgramSource.Open open ->
          ProgramSource.of(StableHlo.withEntry(open.operation(), function));
      case ProgramSource.Hlo hlo -> throw unsuitable("--function", function, "StableHLO");
      case ProgramSource.Exported exported ->
          throw unsuitable("--function", function, "StableHLO without jax.export's signature");
    };
  }

  private static ProgramSource onPlatform(ProgramSource source, String platform) {
    if (!(source instanceof ProgramSource.Exported exported)) {
      throw unsuitable("--platform", platform, "a jax.export file");
    }
    return new ProgramSource.Exported(exported.export(), platform);
  }

  private static HloException unsuitable(String option, String name, String wanted) {
    return new HloException(
        HloException.Kind.ARGUMENT, option + " got " + name + " for another form, want " + wanted);
  }

  /**
   * Returns the selected program of a file.
   *
   * @throws HloException if there are several and none was requested, or as {@link #all}
   */
  public LoadedProgram one(String file) throws IOException {
    return one(all(file));
  }

  /** Returns the only one of these programs. */
  public static LoadedProgram one(ImmutableList<LoadedProgram> programs) {
    if (programs.size() > 1) {
      throw refusal(programs, "", "one of them: --module NAME or NUMBER");
    }
    return programs.get(0);
  }

  private static LoadedProgram named(ImmutableList<LoadedProgram> programs, String wanted) {
    ImmutableList<LoadedProgram> named =
        programs.stream()
            .filter(program -> program.moduleName().equals(wanted))
            .collect(toImmutableList());
    int number = Objects.requireNonNullElse(Ints.tryParse(wanted), -1);
    if (named.size() == 1) {
      return named.get(0);
    }
    if (named.isEmpty() && number >= 0 && number < programs.size()) {
      return programs.get(number);
    }
    throw refusal(
        programs,
        "--module " + wanted + " for ",
        named.isEmpty() ? "one of them" : "the number of one");
  }

  private static HloException refusal(
      ImmutableList<LoadedProgram> programs, String asked, String want) {
    String list =
        IntStream.range(0, Math.min(programs.size(), MAX_SHOWN))
            .mapToObj(i -> i + ": " + programs.get(i).moduleName())
            .collect(joining(", "));
    return new HloException(
        "",
        String.format(
            "%s: got %s%s (%s%s), want %s",
            programs.get(0).name(),
            asked,
            programs.size() == 1 ? "1 module" : programs.size() + " modules",
            list,
            programs.size() > MAX_SHOWN ? ", …" : "",
            want));
  }
}
