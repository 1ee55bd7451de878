package org.hlo4j.tools.input;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.stablehlo.jax.JaxExport;
import org.hlo4j.tools.program.LoadedProgram;
import org.hlo4j.tools.program.ProgramSource;
import picocli.CommandLine.Option;

/** The option that makes the symbolic dimensions of a program's inputs known, without arrays. */
final class ShapeArguments {
  @Option(
      names = {"-s", "--shape"},
      paramLabel = "NAME=SIZE",
      preprocessor = MultiWordOption.class,
      description = {
        "The size variables of a jax.export file: --shape b=5.",
        "The shapes of inputs with symbolic dimensions, by name: --shape 'x=f32[5,8]'."
      })
  private List<String> shapes = new ArrayList<>();

  @SuppressWarnings("NullAway.Init") // fields are set by picocli
  ShapeArguments() {}

  boolean areNone() {
    return shapes.isEmpty();
  }

  /**
   * Returns the inputs of a program, with the shapes that this option makes known.
   *
   * @throws HloException if a name is that of no input or size, or a shape is none
   */
  ImmutableList<ProgramSource.Input> inputs(LoadedProgram program) {
    return areNone()
        ? program.inputs()
        : program.source() instanceof ProgramSource.Exported exported
            ? program.named(() -> ofSizes(program.inputs(), exported.export()))
            : ofNames(program.inputs());
  }

  /** Returns arrays without elements of the shapes of the inputs, which must all be known. */
  ImmutableList<Literal> withoutElements(LoadedProgram program) {
    String example = program.source() instanceof ProgramSource.Exported ? "b=5" : "'x=f32[5,8]'";
    return inputs(program).stream()
        .map(input -> {
          boolean isKnown =
              input.shape() instanceof Shape.Array
                  && !LiteralArgument.hasDynamicDimension(input.shape());
          require(
              isKnown,
              Kind.ARGUMENT,
              "--shape got none for %s, want one: --shape %s",
              input,
              example);
          return Literal.elided(((Shape.Array) input.shape()).withLayout(null));
        })
        .collect(toImmutableList());
  }

  private ImmutableList<ProgramSource.Input> ofSizes(
      ImmutableList<ProgramSource.Input> inputs, JaxExport export) {
    Map<String, Long> sizes = sizes(export);
    return IntStream.range(0, inputs.size())
        .mapToObj(
            i -> export.inputs().get(i).shape(sizes).map(inputs.get(i)::with).orElse(inputs.get(i)))
        .collect(toImmutableList());
  }

  private Map<String, Long> sizes(JaxExport export) {
    Map<String, Long> sizes = new TreeMap<>();
    named()
        .forEach((name, text) -> {
          require(
              text.matches("\\d{1,18}"),
              Kind.ARGUMENT,
              "--shape %s got %s, want a number",
              name,
              text);
          sizes.put(name, Long.valueOf(text));
        });
    require(
        export.sizeVariables().containsAll(sizes.keySet()),
        Kind.ARGUMENT,
        "--shape got %s, want %s, the size variables of %s",
        sizes,
        export.sizeVariables(),
        export);
    return sizes;
  }

  private Map<String, String> named() {
    Map<String, String> named = new LinkedHashMap<>();
    for (String shape : shapes) {
      int equals = shape.indexOf('=');
      require(equals > 0, Kind.ARGUMENT, "--shape got %s, want NAME=SIZE", shape);
      String name = shape.substring(0, equals).strip();
      require(
          named.put(name, shape.substring(equals + 1).strip()) == null,
          Kind.ARGUMENT,
          "--shape got %s twice, want it once",
          name);
    }
    return named;
  }

  private ImmutableList<ProgramSource.Input> ofNames(ImmutableList<ProgramSource.Input> inputs) {
    Map<String, String> named = named();
    ImmutableList.Builder<ProgramSource.Input> all = ImmutableList.builder();
    for (ProgramSource.Input input : inputs) {
      String given = named.remove(input.name());
      all.add(given == null ? input : input.with(parsed(input, given)));
    }
    require(
        named.isEmpty(),
        Kind.ARGUMENT,
        "--shape got %s, want names of inputs: %s",
        named.keySet(),
        inputs);
    return all.build();
  }

  private static Shape.Array parsed(ProgramSource.Input input, String text) {
    try {
      Shape shape = Parser.parseShape(text);
      require(
          shape instanceof Shape.Array && !LiteralArgument.hasDynamicDimension(shape),
          Kind.ARGUMENT,
          "--shape %s got %s, want the shape of an array of known sizes",
          input.name(),
          shape);
      return ((Shape.Array) shape).withLayout(null);
    } catch (HloException refusal) {
      throw refusal.kind() == Kind.PARSE
          ? refusal.prefixed("--shape " + input.name() + ": ")
          : refusal;
    }
  }
}
