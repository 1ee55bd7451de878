package org.hlo4j.interpreter.engine;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ProgramShape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.interpreter.DeviceGrid;
import org.hlo4j.interpreter.Executable;
import org.hlo4j.interpreter.Profile;
import org.jspecify.annotations.Nullable;

/**
 * An executable whose program is run by another system, as a whole. Arguments are checked here, as
 * they are for hlo4j's own evaluators; results come back as literals that nobody else holds.
 */
public abstract class OutsideExecutable implements Executable {
  private final HloModule module;
  private final @Nullable Literal[] bound;
  private final Parameters parameters;

  /**
   * Creates an executable.
   *
   * @param module a verified module
   * @param bound the bound arguments, null for each of the others; {@link #nothingBound} for none
   */
  protected OutsideExecutable(HloModule module, @Nullable Literal[] bound) {
    this.module = module;
    this.bound = bound;
    this.parameters = Parameters.of(module).select(i -> bound[i] == null);
  }

  /**
   * Returns no bound arguments.
   *
   * @param module the module
   * @return a null for each of its parameters
   */
  protected static @Nullable Literal[] nothingBound(HloModule module) {
    return new @Nullable Literal[module.entry().parameters().size()];
  }

  /**
   * Runs the program.
   *
   * @param arguments those that are not bound, checked, in order
   * @return the value of the entry's root
   */
  protected abstract Literal runChecked(Literal[] arguments);

  /**
   * Returns the executable with other bound arguments.
   *
   * @param all the bound arguments, checked, null for each of the others
   * @return the executable of the others
   */
  protected abstract Executable rebound(@Nullable Literal[] all);

  /**
   * Returns what runs the program, for people.
   *
   * @return text such as {@code pjrt cpu}
   */
  protected abstract String system();

  /**
   * Returns a bound argument.
   *
   * @param parameter the number of a parameter
   * @return the argument; null if it is not bound
   */
  protected final @Nullable Literal bound(int parameter) {
    return bound[parameter];
  }

  /**
   * Returns all arguments of a device.
   *
   * @param arguments those that are not bound, in order
   * @return these and the bound ones, in order
   */
  protected final Literal[] withBound(Literal[] arguments) {
    Literal[] all = new Literal[bound.length];
    for (int i = 0, next = 0; i < all.length; i++) {
      Literal own = bound[i];
      all[i] = own == null ? arguments[next++] : own;
    }
    return all;
  }

  /**
   * Returns all arguments of each device, checked.
   *
   * @param grid the devices
   * @param arguments those of each device that are not bound
   * @param call the name of the call, for messages
   * @return these and the bound ones, in order
   */
  protected final List<List<Literal>> withBound(
      DeviceGrid grid, List<List<Literal>> arguments, String call) {
    return parameters.checkOnDevices(grid, arguments, call).stream()
        .map(own -> Arrays.asList(withBound(own)))
        .toList();
  }

  /**
   * Returns the parameters.
   *
   * @return those that are not bound
   */
  public final Parameters parameters() {
    return parameters;
  }

  @Override
  public final HloModule module() {
    return module;
  }

  @Override
  public final ProgramShape signature() {
    return new ProgramShape(parameters.shapes(), module.entry().root().shape().withoutLayout());
  }

  @Override
  public final ImmutableList<String> parameterNames() {
    return parameters.names();
  }

  @Override
  public final Literal run(Literal... arguments) {
    parameters.check(arguments, "run");
    return runChecked(arguments);
  }

  @Override
  public final Literal run(Map<String, Literal> arguments) {
    return runChecked(parameters.orderAll(arguments, "run"));
  }

  @Override
  public final Executable bind(Map<String, Literal> arguments) {
    @Nullable Literal[] all = parameters.bindMore(bound, arguments);
    return arguments.isEmpty() ? this : rebound(all);
  }

  @Override
  public final Literal newResult() {
    return OwnArrays.zeros(signature().result());
  }

  @Override
  public final void unsafeRunInto(Literal result, Literal... arguments) {
    parameters.check(arguments, "run");
    OwnArrays.requireWritable(result, signature().result(), arguments);
    OwnArrays.copy(runChecked(arguments), result);
  }

  /** Measures whole runs: the only step is the root, which stands for the program. */
  @Override
  public final Profile profile(int runs, Literal... arguments) {
    parameters.check(arguments, "profile");
    return profile(runs, () -> runChecked(arguments));
  }

  /**
   * Measures whole runs.
   *
   * @param runs the number of runs
   * @param run runs the program
   * @return the profile
   */
  final Profile profile(int runs, Supplier<?> run) {
    require(runs > 0, "", "profile: got %s runs, want at least 1", runs);
    long[] nanos = new long[runs];
    for (int i = 0; i < runs; i++) {
      long start = System.nanoTime();
      var _ = run.get();
      nanos[i] = System.nanoTime() - start;
    }
    Arrays.sort(nanos);
    HloInstruction root = module.entry().root();
    return new Profile(
        module,
        runs,
        ImmutableList.of(
            new Profile.Step(module.entry(), root, "program", system(), 1, nanos[runs / 2], 0, 0)));
  }

  /** Returns text such as {@code executable m (x: f32[2], y: f32[]) -> f32[2]}. */
  @Override
  public String toString() {
    return "executable " + module.name() + " " + parameters + " -> " + signature().result();
  }
}
