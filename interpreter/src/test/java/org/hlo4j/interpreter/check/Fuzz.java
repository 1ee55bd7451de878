package org.hlo4j.interpreter.check;

import com.google.common.base.Ascii;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Collectors;
import org.hlo4j.hlo.text.Printer;
import org.hlo4j.interpreter.check.generate.ProgramGenerator;
import org.hlo4j.interpreter.check.shrink.Shrinker;

/**
 * A fuzzer that compares both evaluators on random modules. Its main method, {@code Fuzz FAMILY
 * FIRST-SEED COUNT [FOLDER]}, prints each failing module after shrinking it, and writes it to a
 * file in the folder. A negative count runs the seeds from the last to the first.
 */
final class Fuzz {
  /** Runs of each program; later ones may run other code than the first. */
  private static final int RUNS = Integer.getInteger("hlo4j.fuzz.runs", 2);

  private static final DifferenceCheck CHECK = DifferenceCheck.ofCompiled(RUNS);

  private Fuzz() {}

  /** Returns a full report of the failure of a seed's module, or empty if the evaluators agree. */
  static Optional<String> failure(ProgramGenerator.Family family, long seed) {
    Optional<Program> program = ProgramGenerator.of(family).program(seed);
    return program.flatMap(whole -> failure(family + " seed " + seed, whole));
  }

  private static Optional<String> failure(String name, Program whole) {
    return CHECK
        .difference(whole)
        .map(first -> {
          Program small = Shrinker.of(CHECK.like(first)).shrink(whole);
          String last = CHECK.difference(small).orElse(first).text();
          return name + ": " + last + "\n" + text(small);
        });
  }

  private static String text(Program random) {
    return Printer.print(random.module())
        + random.arguments().stream()
            .map(argument -> "argument " + argument + "\n")
            .collect(Collectors.joining());
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
