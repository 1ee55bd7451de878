package org.hlo4j.tools.input;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.Literal;
import org.hlo4j.tools.program.LoadedProgram;
import org.hlo4j.tools.program.ProgramChoice;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of a command that looks at a program whose sizes may be open, without running it. */
public final class KnownSizes {
  @Option(
      names = {"-i", "--input"},
      paramLabel = "INPUT",
      preprocessor = MultiWordOption.class,
      description =
          "Arrays, as for hlo4j run, whose shapes make the symbolic dimensions of a program known.")
  private List<String> inputs = new ArrayList<>();

  @Mixin private ShapeArguments shapes;

  @Mixin private ProgramChoice choice;

  @SuppressWarnings("NullAway.Init") // fields are set by picocli
  KnownSizes() {}

  /** Returns all selected programs of a file, as {@link ProgramChoice#all}, with their sizes. */
  public ImmutableList<LoadedProgram> all(String file) throws IOException {
    ImmutableList.Builder<LoadedProgram> all = ImmutableList.builder();
    for (LoadedProgram program : choice.all(file)) {
      all.add(known(program));
    }
    return all.build();
  }

  /** Returns the selected program of a file, as {@link ProgramChoice#one}, with its sizes. */
  public LoadedProgram one(String file) throws IOException {
    return known(choice.one(file));
  }

  private LoadedProgram known(LoadedProgram program) {
    if (program.source().isStatic() || (inputs.isEmpty() && shapes.areNone())) {
      return program;
    }
    return program.with(
        program.bind(inputs.isEmpty() ? shapes.withoutElements(program) : given(program)).module());
  }

  private List<Literal> given(LoadedProgram program) {
    ArgumentReader reader =
        new ArgumentReader(program.name(), program.inputs(), ArgumentReader.Conversion.NEVER);
    return reader.read(reader.arrays(inputs), false).stream()
        .map(Optional::orElseThrow)
        .collect(toImmutableList());
  }
}
