package org.hlo4j.tools.input;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableSet;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import org.hlo4j.check.Program;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.tools.console.Results;
import picocli.CommandLine.Option;

/** The option {@code --infeed}: what a program takes from its host while it runs. */
public final class InfeedArguments {
  @Option(
      names = "--infeed",
      paramLabel = "INPUT",
      preprocessor = MultiWordOption.class,
      description =
          "The arrays that infeed gives, in the order in which the program takes them; given as"
              + " those of --input, without names. With several devices: those that each of them"
              + " takes, or those of device 0, then those of device 1, and so on.")
  private List<String> infeed = new ArrayList<>();

  InfeedArguments() {}

  /** Returns the program with its arguments and the values of infeed. */
  public Program program(InputArguments.Prepared prepared, EvaluatorOptions options)
      throws IOException {
    Program program = prepared.toCheck();
    if (infeed.isEmpty()) {
      return program;
    }
    List<InputArray> arrays = arrays();
    int devices = program.deviceCount();
    Program alike = fed(program, Collections.nCopies(devices, arrays), options);
    List<Integer> taken = taken(alike);
    if (taken.stream().allMatch(count -> count == arrays.size())) {
      return alike;
    }
    int all = taken.stream().mapToInt(count -> count).sum();
    require(
        devices > 1 && all == arrays.size(),
        "",
        "--infeed got %s arrays, want %s",
        arrays.size(),
        devices == 1
            ? all + ": the program takes no more from infeed"
            : taken.get(0) + " for each of " + devices + " devices, or " + all + " for all");
    List<List<InputArray>> own = new ArrayList<>();
    int next = 0;
    for (int count : taken) {
      own.add(arrays.subList(next, next + count));
      next += count;
    }
    return fed(program, own, options);
  }

  private List<InputArray> arrays() throws IOException {
    List<InputArray> arrays = new ArrayList<>();
    for (String each : infeed) {
      require(!each.isBlank(), "", "--infeed got an empty text, want an array");
      for (InputArray array : InputArray.of(each, ImmutableSet.of())) {
        require(array.name().isEmpty(), "", "--infeed got %s, want it without a name", each);
        arrays.add(array);
      }
    }
    return arrays;
  }

  private static Program fed(
      Program program, List<List<InputArray>> ofDevices, EvaluatorOptions options) {
    return program.fedFrom(
        device -> {
          Iterator<InputArray> rest = ofDevices.get(device).iterator();
          return shape -> next(shape, rest);
        },
        options);
  }

  /** Returns how many arrays each device has taken. */
  private static List<Integer> taken(Program fed) {
    return fed.infeedOfDevices().stream()
        .map(own -> own.stream().mapToInt(value -> value.arrays().size()).sum())
        .toList();
  }

  /** Reads the next value of infeed; empty if there is no array for it. */
  private static Optional<Literal> next(Shape shape, Iterator<InputArray> rest) {
    List<Literal> parts = new ArrayList<>();
    for (Shape.Array part : Results.shapes(shape.withoutLayout())) {
      if (!rest.hasNext()) {
        return Optional.empty();
      }
      InputArray array = rest.next();
      try {
        parts.add(array.reader().read(part));
      } catch (IOException unreadable) {
        throw new HloException(HloException.Kind.IO, array.description() + ": " + unreadable);
      }
    }
    return Optional.of(Literal.ofArrays(shape.withoutLayout(), parts.iterator()));
  }
}
