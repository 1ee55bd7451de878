package org.hlo4j.interpreter.engine;

import static java.util.stream.Collectors.joining;

import com.google.common.base.Suppliers;
import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ProgramShape;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.interpreter.DeviceGrid;
import org.hlo4j.interpreter.Executable;
import org.hlo4j.interpreter.Profile;
import org.jspecify.annotations.Nullable;

/**
 * A program with bounds in place of sizes: one program for each set of sizes that its arguments
 * have. Where there is none, since sizes depend on data or are refused, it runs step by step. Bound
 * arguments are prepared for each set of sizes.
 */
public final class SizedProgram implements DeviceExecutable {
  /** Prepares the program for sizes. */
  @FunctionalInterface
  public interface Preparation {
    /**
     * Returns the program for arguments of these shapes.
     *
     * @param arguments the shapes
     * @return the program
     * @throws HloException if there is none; the message says why
     */
    AtSizes prepare(List<Shape> arguments);
  }

  /**
   * A program for certain sizes.
   *
   * @param program the program
   * @param isChecked whether it gives a tuple of the value and of whether that is right; if not,
   *     the program says why when it runs step by step
   */
  public record AtSizes(Program program, boolean isChecked) {}

  private final Program given;
  private final Preparation preparation;

  /** The bound arguments, null for each of the others. */
  private final @Nullable Literal[] bound;

  private final Parameters parameters;
  private final Supplier<DeviceExecutable> stepByStep;
  private final KnownSizes<CompiledAtSizes> compiled =
      new KnownSizes<>(this::compile, CompiledAtSizes.declined("other sizes came since"));

  /** What runs for certain sizes: none if the program has to run step by step, and why. */
  private record CompiledAtSizes(
      @Nullable DeviceExecutable bound, boolean isChecked, String reason) {
    static CompiledAtSizes declined(String reason) {
      return new CompiledAtSizes(null, false, reason);
    }
  }

  /**
   * Creates a program.
   *
   * @param given the program that runs step by step
   * @param preparation prepares the program for sizes
   */
  public SizedProgram(Program given, Preparation preparation) {
    this(given, preparation, new @Nullable Literal[given.parameters().names().size()]);
  }

  private SizedProgram(Program given, Preparation preparation, @Nullable Literal[] bound) {
    this.given = given;
    this.preparation = preparation;
    this.bound = bound;
    this.parameters = given.parameters().select(i -> bound[i] == null);
    boolean isBound = Arrays.stream(bound).anyMatch(Objects::nonNull);
    this.stepByStep =
        isBound ? Suppliers.memoize(() -> BoundProgram.of(given, bound)) : () -> given;
  }

  private CompiledAtSizes compile(ImmutableList<Shape> unbound) {
    List<Shape> all = new ArrayList<>();
    for (Literal literal : bound) {
      all.add(
          literal == null ? unbound.get(all.size() - boundBefore(all.size())) : literal.shape());
    }
    try {
      return given.withinLimits(() -> {
        AtSizes sized = preparation.prepare(all);
        return new CompiledAtSizes(bound(sized.program()), sized.isChecked(), "");
      });
    } catch (HloException refusal) {
      if (refusal.kind() == Kind.LIMIT || refusal.kind() == Kind.INTERRUPTED) {
        throw refusal;
      }
      return CompiledAtSizes.declined(refusal.summary());
    }
  }

  private int boundBefore(int parameter) {
    return (int) Arrays.stream(bound, 0, parameter).filter(Objects::nonNull).count();
  }

  private DeviceExecutable bound(Program program) {
    Map<String, Literal> byName = new LinkedHashMap<>();
    for (int i = 0; i < bound.length; i++) {
      if (bound[i] != null) {
        byName.put(program.parameterNames().get(i), bound[i]);
      }
    }
    return program.bind(byName);
  }

  private CompiledAtSizes at(Literal[] arguments) {
    ImmutableList<Shape> shapes =
        Arrays.stream(arguments).map(Literal::shape).collect(ImmutableList.toImmutableList());
    return compiled.of(shapes);
  }

  @Override
  public HloModule module() {
    return given.module();
  }

  @Override
  public ProgramShape signature() {
    return new ProgramShape(parameters.shapes(), given.signature().result());
  }

  @Override
  public ImmutableList<String> parameterNames() {
    return parameters.names();
  }

  @Override
  public String toString() {
    return given.describe(parameters);
  }

  @Override
  public Literal run(Literal... arguments) {
    parameters.check(arguments, "run");
    return runChecked(arguments);
  }

  @Override
  public Literal run(Map<String, Literal> arguments) {
    return runChecked(parameters.orderAll(arguments, "run"));
  }

  private Literal runChecked(Literal[] arguments) {
    CompiledAtSizes sized = at(arguments);
    if (sized.bound == null) {
      return stepByStep.get().run(arguments);
    }
    Executable program = sized.bound;
    return sized.isChecked
        ? given.withinLimits(() -> runChecking(program, arguments))
        : program.run(arguments);
  }

  /** Runs a program that also says whether its value is right; one deadline for both runs. */
  private Literal runChecking(Executable program, Literal[] arguments) {
    Literal result = program.run(arguments);
    return isInPlace(result) ? result.element(0) : stepByStep.get().run(arguments);
  }

  /** Returns whether a program that checks its starts refused none. */
  private static boolean isInPlace(Literal result) {
    return result.element(1).booleanAt(0);
  }

  @Override
  public DeviceExecutable bind(Map<String, Literal> arguments) {
    @Nullable Literal[] all = parameters.bindMore(bound, arguments);
    return arguments.isEmpty() ? this : new SizedProgram(given, preparation, all);
  }

  @Override
  public Literal newResult() {
    return given.newResult();
  }

  @Override
  public void unsafeRunInto(Literal result, Literal... arguments) {
    parameters.check(arguments, "run");
    CompiledAtSizes sized = at(arguments);
    boolean isSized = sized.bound != null && !sized.isChecked && !signature().result().isDynamic();
    (isSized ? Objects.requireNonNull(sized.bound) : stepByStep.get())
        .unsafeRunInto(result, arguments);
  }

  @Override
  public Profile profile(int runs, Literal... arguments) {
    parameters.check(arguments, "profile");
    CompiledAtSizes sized = at(arguments);
    Executable program = sized.bound;
    boolean isRight = program != null && (!sized.isChecked || isInPlace(program.run(arguments)));
    return (isRight ? Objects.requireNonNull(program) : stepByStep.get()).profile(runs, arguments);
  }

  @Override
  public String explain() {
    String sizes =
        compiled.all().entrySet().stream()
            .map(entry -> describe(entry.getKey(), entry.getValue()))
            .collect(joining());
    return "compiled for the sizes of the arguments, when they are met\n"
        + sizes
        + "step by step:\n"
        + stepByStep.get().explain();
  }

  private String describe(ImmutableList<Shape> shapes, CompiledAtSizes at) {
    String named =
        IntStream.range(0, shapes.size())
            .mapToObj(i -> parameters.names().get(i) + ": " + shapes.get(i))
            .collect(joining(", ", "(", ")"));
    return at.bound == null
        ? named + ": step by step, " + at.reason + "\n"
        : named + ":\n" + at.bound.explain();
  }

  @Override
  public Parameters parameters() {
    return parameters;
  }

  @Override
  public ImmutableList<Literal> runOnDevices(DeviceGrid grid, List<List<Literal>> arguments) {
    return onDevices(arguments).runOnDevices(grid, arguments);
  }

  @Override
  public Profile profileOnDevices(DeviceGrid grid, int runs, List<List<Literal>> arguments) {
    return onDevices(arguments).profileOnDevices(grid, runs, arguments);
  }

  /** Returns the program for the sizes of all devices; the one step by step if they differ. */
  private DeviceExecutable onDevices(List<List<Literal>> arguments) {
    boolean areAlike =
        arguments != null
            && !arguments.isEmpty()
            && arguments.stream()
                .allMatch(own -> own != null && own.stream().allMatch(Objects::nonNull))
            && arguments.stream().map(SizedProgram::shapes).distinct().count() == 1
            && parameters.fit(arguments.get(0));
    CompiledAtSizes sized =
        areAlike ? at(arguments.get(0).toArray(Literal[]::new)) : CompiledAtSizes.declined("");
    return sized.bound != null && !sized.isChecked ? sized.bound : stepByStep.get();
  }

  private static List<Shape> shapes(List<Literal> literals) {
    return literals.stream().map(Literal::shape).toList();
  }
}
