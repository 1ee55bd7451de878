package org.hlo4j.tools;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.stablehlo.jax.JaxExport;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of a command that looks at a program whose sizes may be open, without running it. */
final class OpenSizes {
  @Option(
      names = {"-i", "--input"},
      paramLabel = "INPUT",
      preprocessor = MultiWordOption.class,
      description =
          "Arrays, as for hlo4j run, whose shapes make the open sizes of a program known.")
  private List<String> inputs = new ArrayList<>();

  @Option(
      names = {"-s", "--shape"},
      paramLabel = "NAME=SIZE",
      preprocessor = MultiWordOption.class,
      description = {
        "The size variables of a jax.export file: --shape b=5.",
        "The shapes of inputs with open sizes, by name: --shape 'x=f32[5,8]'."
      })
  private List<String> shapes = new ArrayList<>();

  @Mixin private ModuleChoice choice;

  @SuppressWarnings("NullAway.Init") // fields are set by picocli
  OpenSizes() {}

  /** Returns all selected programs of a file, as {@link ModuleChoice#all}, with their sizes. */
  ImmutableList<ModuleFiles.Loaded> all(String file) throws IOException {
    ImmutableList.Builder<ModuleFiles.Loaded> all = ImmutableList.builder();
    for (ModuleFiles.Loaded program : choice.all(file)) {
      all.add(known(program));
    }
    return all.build();
  }

  /** Returns the selected program of a file, as {@link ModuleChoice#one}, with its sizes. */
  ModuleFiles.Loaded one(String file) throws IOException {
    return known(choice.one(file));
  }

  private ModuleFiles.Loaded known(ModuleFiles.Loaded program) {
    if (program.source().isStatic() || (inputs.isEmpty() && shapes.isEmpty())) {
      return program;
    }
    if (inputs.isEmpty() && program.source() instanceof ProgramSource.Exported exported) {
      return program.with(source ->
          new ProgramSource.Hlo(
              exported.export().toHlo(variables(exported.export()), exported.platform())));
    }
    return program.with(
        program.bind(inputs.isEmpty() ? fromShapes(program) : given(program)).module());
  }

  private List<Literal> given(ModuleFiles.Loaded program) {
    ArgumentReader reader =
        new ArgumentReader(program.name(), program.inputs(), ArgumentReader.Conversion.NEVER);
    return reader.read(reader.arrays(inputs), false).stream()
        .map(Optional::orElseThrow)
        .collect(toImmutableList());
  }

  /** Returns the values of size variables; none of other names. */
  private Map<String, Long> variables(JaxExport export) {
    Map<String, Long> sizes = new TreeMap<>();
    named()
        .forEach((name, text) -> {
          require(
              text.matches("\\d{1,18}"),
              HloException.Kind.ARGUMENT,
              "--shape %s got %s, want a number",
              name,
              text);
          sizes.put(name, Long.valueOf(text));
        });
    require(
        export.sizeVariables().containsAll(sizes.keySet()),
        HloException.Kind.ARGUMENT,
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
      require(equals > 0, HloException.Kind.ARGUMENT, "--shape got %s, want NAME=SIZE", shape);
      String name = shape.substring(0, equals).strip();
      require(
          named.put(name, shape.substring(equals + 1).strip()) == null,
          HloException.Kind.ARGUMENT,
          "--shape got %s twice, want it once",
          name);
    }
    return named;
  }

  /** Returns arrays without elements of the shapes of the inputs, the open ones as given. */
  private ImmutableList<Literal> fromShapes(ModuleFiles.Loaded program) {
    Map<String, String> named = named();
    ImmutableList.Builder<Literal> all = ImmutableList.builder();
    for (ProgramSource.Input input : program.inputs()) {
      String given = named.remove(input.name());
      require(
          given != null || !LiteralArgument.isOpen(input.shape()),
          HloException.Kind.ARGUMENT,
          "--shape got none for %s, want one: --shape 'x=f32[5,8]'",
          input);
      all.add(Literal.elided(given == null ? array(input, input.shape()) : parsed(input, given)));
    }
    require(
        named.isEmpty(),
        HloException.Kind.ARGUMENT,
        "--shape got %s, want names of inputs: %s",
        named.keySet(),
        program.inputs());
    return all.build();
  }

  private static Shape.Array parsed(ProgramSource.Input input, String text) {
    try {
      return array(input, Parser.parseShape(text));
    } catch (HloException refusal) {
      throw refusal.kind() == HloException.Kind.PARSE
          ? refusal.prefixed("--shape " + input.name() + ": ")
          : refusal;
    }
  }

  private static Shape.Array array(ProgramSource.Input input, Shape shape) {
    require(
        shape instanceof Shape.Array && !LiteralArgument.isOpen(shape),
        HloException.Kind.ARGUMENT,
        "--shape %s got %s, want the shape of an array of known sizes",
        input.name(),
        shape);
    return ((Shape.Array) shape).withLayout(null);
  }
}
