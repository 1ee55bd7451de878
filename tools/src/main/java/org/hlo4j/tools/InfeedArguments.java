package org.hlo4j.tools;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableSet;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import org.hlo4j.check.Program;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.EvaluatorOptions;
import picocli.CommandLine.Option;

/** The option {@code --infeed}: what a program takes from its host while it runs. */
final class InfeedArguments {
  @Option(
      names = "--infeed",
      paramLabel = "INPUT",
      preprocessor = MultiWordOption.class,
      description =
          "The arrays that infeed gives, in the order in which the program takes them; given as"
              + " those of --input, without names. For one device.")
  private List<String> infeed = new ArrayList<>();

  InfeedArguments() {}

  /** Returns the program with the arguments of its only device and the values of infeed. */
  Program program(InputArguments.Prepared prepared, EvaluatorOptions options) throws IOException {
    Program program = prepared.onFirstDevice();
    if (infeed.isEmpty()) {
      return program;
    }
    List<InputArray> arrays = new ArrayList<>();
    for (String each : infeed) {
      require(!each.isBlank(), "", "--infeed got an empty text, want an array");
      for (InputArray array : InputArray.of(each, ImmutableSet.of())) {
        require(array.name().isEmpty(), "", "--infeed got %s, want it without a name", each);
        arrays.add(array);
      }
    }
    int devices = prepared.grid().deviceCount();
    require(
        devices == 1,
        "",
        "--infeed got a program for %s devices, want one for a single device",
        devices);
    Iterator<InputArray> rest = arrays.iterator();
    Program fed = program.fedFrom(shape -> next(shape, rest), options);
    int taken = fed.infeed().stream().mapToInt(value -> value.arrays().size()).sum();
    require(
        taken == arrays.size(),
        "",
        "--infeed got %s arrays, want %s: the program takes no more from infeed",
        arrays.size(),
        taken);
    return fed;
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
