package org.hlo4j.tools.cases;

import static org.hlo4j.hlo.HloException.require;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.interpreter.DeviceGrid;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.tools.console.ErrorMessages;
import org.hlo4j.tools.input.ArgumentReader;
import org.hlo4j.tools.input.InputArguments;
import org.hlo4j.tools.program.LoadedProgram;
import org.hlo4j.tools.program.ProgramChoice;
import org.hlo4j.tools.program.ProgramFile;
import org.hlo4j.tools.program.ProgramSource;
import org.hlo4j.tools.system.EvaluatorArguments;

/**
 * The execution of test cases. A program for several devices is either the global program, which
 * all devices run on the global arrays, or the program of a single device, which each device runs
 * on its own shards.
 */
public final class CaseRun {
  public static final String DEFAULT_PROGRAM = "program.hlo.txt";

  private final EvaluatorArguments requested;
  private final Evaluator evaluator;
  private final String program;

  public CaseRun(EvaluatorArguments requested, String program) {
    this.requested = requested;
    this.evaluator = requested.evaluator();
    this.program = program;
  }

  /** Runs a case and returns its outcome; never throws an exception. */
  Outcome outcome(TestCase test) {
    try {
      return runAndCompare(test);
    } catch (IOException | RuntimeException | OutOfMemoryError | StackOverflowError problem) {
      String message = ErrorMessages.describe(problem).replace(test.folder() + "/", "");
      return problem instanceof HloException refusal
              && refusal.kind() == HloException.Kind.UNSUPPORTED
          ? new Outcome.Unsupported(message)
          : new Outcome.Failed(message);
    }
  }

  private Outcome runAndCompare(TestCase test) throws IOException {
    Optional<Path> file = program(test);
    if (file.isEmpty()) {
      return new Outcome.Unsupported("has no " + program);
    }
    LoadedProgram loaded = ProgramChoice.one(LoadedProgram.all(file.get().toString()));
    if (!loaded.source().isStatic()) {
      ProgramSource.Bound bound = loaded.bind(arguments(test, loaded, Optional.empty()));
      return compareResults(
          test,
          List.of(evaluator.run(bound.module(), bound.arguments().toArray(Literal[]::new))),
          false);
    }
    HloModule module = loaded.module();
    Optional<String> unsupported = requested.unknownCalls(module);
    if (unsupported.isPresent()) {
      return new Outcome.Unsupported(unsupported.get());
    }
    DeviceGrid grid = grid(module, test.devices());
    boolean isSharded = isSharded(test, module, grid);
    List<List<Literal>> arguments = new ArrayList<>();
    for (int device = 0; device < grid.deviceCount(); device++) {
      arguments.add(arguments(test, loaded, shard(device, isSharded)));
    }
    List<Literal> results = InputArguments.run(evaluator, module, grid, arguments);
    return compareResults(test, results, isSharded);
  }

  /**
   * Returns the program with the requested name. If no name was requested, the only program with
   * another name is also accepted.
   */
  private Optional<Path> program(TestCase test) throws IOException {
    Path file = test.program().orElse(test.folder().resolve(program));
    if (Files.exists(file) || !program.equals(DEFAULT_PROGRAM)) {
      return Optional.of(file).filter(Files::exists);
    }
    List<Path> others = ProgramFile.directlyIn(test.folder());
    return others.size() == 1 ? Optional.of(others.get(0)) : Optional.empty();
  }

  /**
   * Returns the device grid of the program if its size is that of the case, else a grid of that
   * size.
   */
  private static DeviceGrid grid(HloModule module, int devices) {
    DeviceGrid own = DeviceGrid.of(module);
    return own.deviceCount() == devices ? own : new DeviceGrid(1, devices);
  }

  /** Returns whether the program is that of a single device and takes shards. */
  private static boolean isSharded(TestCase test, HloModule module, DeviceGrid grid) {
    if (grid.deviceCount() == 1) {
      return false;
    }
    boolean partitioned =
        module.attributes().containsKey("num_partitions")
            || module.attributes().containsKey("replica_count");
    if (test.inputs().isEmpty()) {
      return test.hasShards(); // a recorded case has folders for the arguments of each device
    }
    return test.hasShards()
        && !module.devices().entersSlices()
        && (partitioned || !takesGlobalArrays(test, module));
  }

  /** Returns whether the parameters have the shapes of the case's global arrays. */
  private static boolean takesGlobalArrays(TestCase test, HloModule module) {
    List<Optional<Shape>> parameters =
        module.entry().parameters().stream()
            .map(p -> Optional.of(p.shape().withoutLayout()))
            .toList();
    return test.inputs().isPresent()
        && parameters.equals(
            test.inputs().get().stream().map(input -> input.shape().map(s -> (Shape) s)).toList());
  }

  /** Returns the arguments of a device, or the global ones. */
  private static List<Literal> arguments(
      TestCase test, LoadedProgram program, Optional<Integer> device) throws IOException {
    List<ProgramSource.Input> parameters = program.inputs();
    if (test.inputs().isEmpty()) {
      Path folder = test.folder().resolve(TestCase.INPUTS);
      Path own = device.map(number -> folder.resolve("device" + number)).orElse(folder);
      ArgumentReader reader =
          new ArgumentReader(program.name(), parameters, ArgumentReader.Conversion.NEVER);
      List<String> given = hasArrays(own) ? List.of(own.toString()) : List.of();
      return reader.read(reader.arrays(given), false).stream().map(Optional::orElseThrow).toList();
    }
    List<Literal> arguments = new ArrayList<>();
    for (TestCase.Array input : test.inputs().get()) {
      Shape shape =
          arguments.size() < parameters.size()
              ? parameters.get(arguments.size()).shape()
              : Shape.token();
      arguments.add(input.read(test.folder(), device, shape));
    }
    return arguments;
  }

  /** Returns whether a folder has files; a program without parameters may have an empty one. */
  private static boolean hasArrays(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      return false;
    }
    try (Stream<Path> files = Files.list(folder)) {
      return files.findAny().isPresent();
    }
  }

  private static Optional<Integer> shard(int device, boolean isSharded) {
    return isSharded ? Optional.of(device) : Optional.empty();
  }

  private static Outcome compareResults(TestCase test, List<Literal> results, boolean isSharded)
      throws IOException {
    Optional<String> worst = Optional.empty();
    double worstExcess = 0;
    for (int device = 0; device < results.size(); device++) {
      List<Literal> arrays = results.get(device).arrays();
      require(
          arrays.size() == test.outputs().size(),
          "",
          "got %s results, want %s",
          arrays.size(),
          test.outputs().size());
      for (int i = 0; i < arrays.size(); i++) {
        Literal want =
            test.outputs()
                .get(i)
                .read(test.folder(), shard(device, isSharded), arrays.get(i).shape());
        requireShape(i, arrays.get(i), want);
        ComparisonPolicy policy = test.outputs().get(i).policy(want);
        Optional<ComparisonPolicy.Worst> found = policy.worst(arrays.get(i), want);
        if (found.isPresent() && found.get().excess() > worstExcess) {
          worstExcess = found.get().excess();
          String where = "result " + i + (results.size() > 1 ? " of device " + device : "") + " ";
          worst = Optional.of(where + policy.describe(found.get(), arrays.get(i), want));
        }
      }
    }
    return worst.<Outcome>map(Outcome.Failed::new).orElseGet(Outcome.Passed::new);
  }

  private static void requireShape(int result, Literal got, Literal want) {
    require(
        got.shape().equals(want.shape()),
        "",
        "result %s got %s, want %s",
        result,
        got.shape(),
        want.shape());
  }
}
