package org.hlo4j.tools;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Infeed;
import org.hlo4j.interpreter.check.Program;
import picocli.CommandLine.Option;

/** The option {@code --infeed}: what a program takes from its host while it runs. */
final class InfeedArguments {
  @Option(
      names = "--infeed",
      paramLabel = "INPUT",
      preprocessor = MultiWordOption.class,
      description =
          "The arrays that infeed gives, in the order in which the program takes them; given as"
              + " those of --input.")
  private List<String> infeed = new ArrayList<>();

  InfeedArguments() {}

  /** Returns the program with the arguments of the first device and the values of infeed. */
  Program program(InputArguments.Prepared prepared) throws IOException {
    Program program = prepared.onFirstDevice();
    return new Program(program.module(), program.arguments(), read(program.module()));
  }

  /** Reads the values, which have the shapes of the infeeds of the module, one after the other. */
  ImmutableList<Literal> read(HloModule module) throws IOException {
    List<InputArray> arrays = new ArrayList<>();
    for (String each : infeed) {
      arrays.addAll(InputArray.of(each, ImmutableSet.of()));
    }
    List<Shape> shapes =
        module.computations().stream()
            .flatMap(computation -> computation.instructions().stream())
            .filter(instruction -> instruction.op() instanceof Infeed)
            .map(instruction -> ((Infeed) instruction.op()).shape().withoutLayout())
            .toList();
    require(
        arrays.isEmpty() || shapes.stream().anyMatch(shape -> !Results.shapes(shape).isEmpty()),
        "",
        "--infeed got %s arrays, want none: the program takes no array from infeed",
        arrays.size());
    ImmutableList.Builder<Literal> values = ImmutableList.builder();
    Iterator<InputArray> rest = arrays.iterator();
    for (int i = 0; rest.hasNext(); i++) {
      Shape shape = shapes.get(i % shapes.size());
      List<Literal> parts = new ArrayList<>();
      for (Shape.Array part : Results.shapes(shape)) {
        require(rest.hasNext(), "", "--infeed got %s arrays, want all of %s", arrays.size(), shape);
        parts.add(rest.next().reader().read(part));
      }
      values.add(Results.of(shape, parts.iterator()));
    }
    return values.build();
  }
}
