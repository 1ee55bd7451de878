package org.hlo4j.tools.input;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Lists;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.hlo4j.check.Program;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.interpreter.DeviceGrid;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.tools.program.Findings;
import org.hlo4j.tools.program.LoadedProgram;
import org.hlo4j.tools.program.ProgramChoice;
import org.hlo4j.tools.program.ProgramSource;
import org.hlo4j.tools.system.PjrtEvaluators;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The options of every command that runs one program: its arguments and the number of devices. */
public final class InputArguments {
  private static final String REMEDY =
      "; want a file that has them, as jax.jit(f).lower(x).as_text(\"hlo\"), a .pb, StableHLO or"
          + " jax.export do, or --random SEED for random numbers";

  @Option(
      names = {"-i", "--input"},
      paramLabel = "INPUT",
      preprocessor = MultiWordOption.class,
      description = {
        "Arguments, in the order of the parameters or as NAME=INPUT, any number after one --input:"
            + " a .npy file, a file with an HLO literal, or the literal itself, 'f32[2] {1, 2}',"
            + " 'float32[2]{1, 2}', '{1, 2}', 7; - is the standard input. bf16 and f8 are stored in"
            + " .npy as their bits (u2, u1), s4 and u4 as bytes.",
        "Several arguments at once: an .npz file, a .safetensors file or the"
            + " .safetensors.index.json of several, a folder of .npy files, or a pattern such as"
            + " 'in*.npy'. Arrays are matched by the names of parameters, or else in the order of"
            + " the numbers in their names.",
        "Nothing is needed for a token[], which has no value.",
        "With several devices: one argument per parameter, used on all devices, or the arguments"
            + " of device 0, then those of device 1, and so on."
      })
  private List<String> inputs = new ArrayList<>();

  @Option(
      names = "--convert",
      description = "Convert arrays of another element type to the type of the parameter.")
  private boolean convert;

  @Option(
      names = {"-r", "--random"},
      paramLabel = "SEED",
      description =
          "Use random numbers for parameters without --input and for constants written {...};"
              + " floats are normally distributed, integers are 0 to 9.")
  private Optional<Long> random = Optional.empty();

  @Option(
      names = "--replicas",
      paramLabel = "N",
      description = "The number of replicas. Default: as in the program.")
  private Optional<Integer> replicas = Optional.empty();

  @Option(
      names = {"--partitions", "--devices"},
      paramLabel = "N",
      description =
          "The number of partitions per replica; all devices are virtual. Default: as in the"
              + " program.")
  private Optional<Integer> partitions = Optional.empty();

  @Mixin private ShapeArguments shapes;

  @Mixin private ProgramChoice choice;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // fields are set by picocli
  InputArguments() {}

  /**
   * A program with its devices and arguments.
   *
   * @param program the program
   * @param grid the device grid
   * @param arguments the arguments of each device
   * @param inputs the arrays of a single device by the names of the program's inputs
   * @param weights the names of those inputs that files of weights gave
   */
  public record Prepared(
      LoadedProgram program,
      DeviceGrid grid,
      List<List<Literal>> arguments,
      Map<String, Literal> inputs,
      Set<String> weights) {
    /**
     * Returns whether one list of arguments is enough: the program is for one device, or a global
     * one, whose devices all have the same whole arrays.
     */
    public boolean isWhole() {
      return grid.deviceCount() == 1
          || (program.module().devices().isGlobal()
              && arguments.stream().allMatch(own -> own.equals(arguments.get(0))));
    }

    /** Returns the program with whole arrays, or the arguments of each device. */
    public Program toCheck() {
      return Program.ofDevices(program.module(), isWhole() ? arguments.subList(0, 1) : arguments);
    }

    /** Runs the program, and returns the results of all devices. */
    public List<Literal> run(Evaluator evaluator) {
      return Findings.located(
          program, () -> InputArguments.run(evaluator, program.module(), grid, arguments));
    }
  }

  /**
   * Prepares a program for a run with its arguments. The program is verified, its unknown sizes are
   * determined by the inputs, and elided constants are filled with random numbers if this is
   * permitted.
   *
   * @throws HloException with the position of an error or of a missing part
   */
  public Prepared prepare(String file) throws IOException {
    LoadedProgram program = choice.one(file);
    if (program.source().isStatic()) {
      LoadedProgram runnable = onGrid(runnable(program, file));
      DeviceGrid grid = DeviceGrid.of(runnable.module());
      ImmutableList<ProgramSource.Input> parameters = shapes.inputs(runnable);
      ArgumentReader reader = reader(runnable, parameters);
      List<List<Literal>> arguments = arguments(program.name(), parameters, grid, reader);
      return new Prepared(
          runnable, grid, arguments, byName(runnable, arguments.get(0)), reader.weights());
    }
    ImmutableList<ProgramSource.Input> parameters = shapes.inputs(program);
    ArgumentReader reader = reader(program, parameters);
    List<Literal> given =
        filled(program.name(), parameters, reader.read(reader.arrays(inputs), random.isPresent()));
    ProgramSource.Bound bound = program.bind(given);
    LoadedProgram runnable = onGrid(runnable(program.with(bound.module()), file));
    DeviceGrid grid = DeviceGrid.of(runnable.module());
    return new Prepared(
        runnable,
        grid,
        Collections.nCopies(grid.deviceCount(), bound.arguments()),
        byName(program, given),
        reader.weights());
  }

  private static Map<String, Literal> byName(LoadedProgram program, List<Literal> given) {
    Map<String, Literal> byName = new LinkedHashMap<>();
    for (int i = 0; i < given.size(); i++) {
      byName.put(program.inputs().get(i).name(), given.get(i));
    }
    return byName;
  }

  private LoadedProgram runnable(LoadedProgram program, String file) {
    Findings.verify(program);
    if (!PjrtEvaluators.isRequested(spec)) { // a plugin says itself what it does not know
      Findings.refuse(program, Interpreter.unknownCustomCalls(program.module()));
    }
    ImmutableList<HloException> elided = ElidedConstants.findings(program.module(), REMEDY);
    if (elided.isEmpty()) {
      return program;
    }
    if (random.isEmpty()) {
      Findings.refuse(program, elided);
    }
    spec.commandLine()
        .getErr()
        .println(
            "hlo4j: "
                + file
                + ": random numbers for the elements of "
                + (elided.size() == 1 ? "1 constant" : elided.size() + " constants")
                + " written {...}");
    return program.with(
        ElidedConstants.filled(program.module(), new RandomLiterals(~random.orElseThrow())));
  }

  /** Returns the program with the requested devices in its header. */
  private LoadedProgram onGrid(LoadedProgram program) {
    HloModule module = program.module();
    DeviceGrid own = DeviceGrid.of(module);
    DeviceGrid grid =
        new DeviceGrid(replicas.orElse(own.replicas()), partitions.orElse(own.partitions()));
    if (grid.equals(own)) {
      return program;
    }
    Map<String, String> attributes = new HashMap<>(module.attributes());
    attributes.put("replica_count", "" + grid.replicas());
    attributes.put("num_partitions", "" + grid.partitions());
    return program.with(module.withText(attributes, module.stackFrames()));
  }

  /**
   * Runs a module on each device with its own arguments, and returns the results of all devices.
   */
  public static List<Literal> run(
      Evaluator evaluator, HloModule module, DeviceGrid grid, List<List<Literal>> arguments) {
    return grid.deviceCount() == 1 && module.devices().count() == 1
        ? List.of(evaluator.run(module, arguments.get(0).toArray(Literal[]::new)))
        : evaluator.runOnDevices(module, grid, arguments);
  }

  /** Returns the arguments of each device. */
  private List<List<Literal>> arguments(
      String file, List<ProgramSource.Input> parameters, DeviceGrid grid, ArgumentReader reader) {
    int devices = grid.deviceCount();
    List<InputArray> given = reader.arrays(inputs);
    int count = reader.countPerDevice(given.size(), devices);
    if (devices == 1 || count == 0 || given.size() != count * devices) {
      return Collections.nCopies(
          devices, filled(file, parameters, reader.read(given, random.isPresent())));
    }
    return Lists.partition(given, count).stream()
        .map(own -> filled(file, parameters, reader.read(own, false)))
        .toList();
  }

  private ArgumentReader reader(LoadedProgram file, List<ProgramSource.Input> parameters) {
    return new ArgumentReader(
        file.name(),
        parameters,
        convert ? ArgumentReader.Conversion.ALWAYS : ArgumentReader.Conversion.OFFERED);
  }

  /** Returns the arguments, with random ones where none are given. */
  private List<Literal> filled(
      String file, List<ProgramSource.Input> parameters, List<Optional<Literal>> given) {
    RandomLiterals numbers = new RandomLiterals(random.orElse(0L));
    List<Literal> arguments = new ArrayList<>();
    for (int i = 0; i < given.size(); i++) {
      ProgramSource.Input parameter = parameters.get(i);
      require(
          given.get(i).isPresent() || !LiteralArgument.hasDynamicDimension(parameter.shape()),
          "",
          "%s: --random got %s, whose dimensions are dynamic, want --input or --shape for it",
          file,
          parameter);
      arguments.add(given.get(i).orElseGet(() -> numbers.next(parameter.shape())));
    }
    return arguments;
  }
}
