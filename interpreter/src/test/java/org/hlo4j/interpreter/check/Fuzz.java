package org.hlo4j.interpreter.check;

import com.google.common.base.Ascii;
import com.google.common.base.Throwables;
import com.google.common.collect.ImmutableList;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Collectors;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.text.Printer;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Executable;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.interpreter.check.generate.ProgramGenerator;
import org.hlo4j.interpreter.check.shrink.Shrinker;

/**
 * A fuzzer that compares both evaluators on random modules. Its main method, {@code Fuzz FAMILY
 * FIRST-SEED COUNT [FOLDER]}, prints each failing module after shrinking it, and writes it to a
 * file in the folder. A negative count runs the seeds from the last to the first.
 */
final class Fuzz {
  private static final EvaluatorOptions LIMITS =
      EvaluatorOptions.builder().deadline(Duration.ofSeconds(20)).maxBytes(1L << 29).build();

  /** Runs of each program; later ones may run other code than the first. */
  private static final int RUNS = Integer.getInteger("hlo4j.fuzz.runs", 2);

  private Fuzz() {}

  /** Returns a full report of the failure of a seed's module, or empty if the evaluators agree. */
  static Optional<String> failure(ProgramGenerator.Family family, long seed) {
    Optional<Program> program = ProgramGenerator.of(family).program(seed);
    return program.flatMap(whole -> failure(family + " seed " + seed, whole));
  }

  private static Optional<String> failure(String name, Program whole) {
    Optional<String> first = difference(whole);
    if (first.isEmpty()) {
      return Optional.empty();
    }
    Program small = Shrinker.of(module -> difference(module).isPresent()).shrink(whole);
    return Optional.of(name + ": " + difference(small).or(() -> first).get() + "\n" + text(small));
  }

  private static String text(Program random) {
    return Printer.print(random.module())
        + random.arguments().stream()
            .map(argument -> "argument " + argument + "\n")
            .collect(Collectors.joining());
  }

  /**
   * Returns how the evaluators differ: in the result, in the result of a later run, or by a write
   * to an argument. A module that the reference refuses counts as agreement.
   */
  private static Optional<String> difference(Program random) {
    Literal[] arguments = random.arguments().toArray(Literal[]::new);
    Evaluator reference = Interpreter.reference(LIMITS);
    Literal want;
    try {
      want = reference.run(random.module(), arguments);
    } catch (HloException refused) {
      return Optional.empty();
    }
    try {
      ImmutableList<Literal> before = random.copies();
      Executable executable = Interpreter.compiled(LIMITS).compile(random.module());
      Literal got = executable.run(arguments);
      for (int run = 2; run <= RUNS; run++) {
        if (!executable.run(arguments).equals(got)) {
          return Optional.of("run " + run + " gave other bits than the first");
        }
      }
      for (int i = 0; i < arguments.length; i++) {
        if (!before.get(i).equals(arguments[i])) {
          return Optional.of("argument " + i + " was written to");
        }
      }
      executable.explain();
      return Agreement.difference(
          random.module(),
          LIMITS,
          got,
          want,
          (module, within) -> Interpreter.reference(within).run(module, arguments));
    } catch (RuntimeException | LinkageError | AssertionError | StackOverflowError broken) {
      return Optional.of("threw " + Throwables.getStackTraceAsString(broken));
    }
  }

  /** Returns the base name of the file for a failure. */
  static String name(ProgramGenerator.Family family, long seed) {
    return Ascii.toLowerCase(family.name()) + "-seed-" + seed;
  }

  public static void main(String[] args) throws IOException {
    ProgramGenerator.Family family = ProgramGenerator.Family.valueOf(Ascii.toUpperCase(args[0]));
    long first = Long.parseLong(args[1]);
    long count = Long.parseLong(args[2]);
    long size = Math.abs(count);
    int failures = 0;
    for (long i = 0; i < size; i++) {
      long seed = count < 0 ? first + size - 1 - i : first + i;
      Optional<String> failure = failure(family, seed);
      if (failure.isPresent()) {
        failures++;
        IO.println(failure.get());
        if (args.length > 3) {
          Path folder = Files.createDirectories(Path.of(args[3]));
          Files.writeString(folder.resolve(name(family, seed) + ".txt"), failure.get());
        }
      }
    }
    IO.println(family + ": " + size + " modules, " + failures + " failures");
  }
}
