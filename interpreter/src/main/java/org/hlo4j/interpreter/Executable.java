package org.hlo4j.interpreter;

import com.google.common.collect.ImmutableList;
import com.google.errorprone.annotations.CheckReturnValue;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ProgramShape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.interpreter.engine.Parameters;
import org.hlo4j.interpreter.engine.Warmup;

/**
 * A compiled module, which can be run many times and by several threads at once; made by {@link
 * Evaluator#compile}. A module with bounds in place of sizes, such as {@code f32[<=8]}, is compiled
 * for the sizes of the arguments when they are first met; the last sets of sizes are kept.
 * Arguments are given by position, by name, or, some of them, once by {@link #bind}:
 *
 * <pre>{@code
 * Executable layer = Interpreter.compiled().compile(module); // (x: f32[8,3], w: f32[3,4])
 * layer.run(x, w);
 * layer.run(Map.of("w", w, "x", x));
 * Executable bound = layer.bind(Map.of("w", w)); // (x: f32[8,3])
 * bound.run(x);
 * }</pre>
 */
public interface Executable {
  /**
   * Returns the module, as it was given.
   *
   * @return the module
   */
  HloModule module();

  /**
   * Returns the shapes that {@link #run(Literal...)} accepts and returns.
   *
   * @return the shapes of the entry's parameters and of its root, without layouts
   */
  ProgramShape signature();

  /**
   * Returns the names of the entry's parameters.
   *
   * @return a name for each argument of {@link #run(Literal...)}, in order
   */
  ImmutableList<String> parameterNames();

  /**
   * Returns the devices that a run takes.
   *
   * @return those that the module is for ({@link HloModule#devices}), or that {@link
   *     Evaluator#compile(HloModule, DeviceGrid)} was given
   */
  default DeviceGrid grid() {
    return DeviceGrid.SINGLE;
  }

  /**
   * Runs the module's entry computation, on all devices of {@link #grid}. A global program for
   * several devices, such as JAX exports, takes and gives whole arrays, as JAX's own call does:
   * {@link HloModule#devices} says which slice of them each device holds.
   *
   * @param arguments one literal for each parameter of the entry, of its shape
   * @return the value of the entry's root, in arrays of its own: none of them is an array of an
   *     argument, of a constant, of another result, or there twice
   * @throws HloException if arguments are missing or do not suit their parameters, all of which the
   *     message names, or if the run exceeds a limit; also if each of several devices wants
   *     arguments of its own, which {@link #runOnDevices} takes
   */
  Literal run(Literal... arguments);

  /**
   * Runs the module's entry computation with arguments given by name.
   *
   * @param arguments one literal for each of {@link #parameterNames}, of its parameter's shape
   * @return the value of the entry's root, as {@link #run(Literal...)} returns it
   * @throws HloException if names are missing or unknown or arguments do not suit their parameters,
   *     all of which the message names, or if the run exceeds a limit
   */
  Literal run(Map<String, Literal> arguments);

  /**
   * Runs the module's entry computation on all devices of {@link #grid}, each with its own list of
   * arguments. The devices of a global program all have whole arrays.
   *
   * @param arguments for each device, in the order of the device numbers, one literal for each
   *     parameter of the entry, of its shape
   * @return the result of each device, as {@link #run(Literal...)} returns it; no two of them share
   *     an array
   * @throws HloException as {@link #run(Literal...)}; also as {@link Evaluator#runOnDevices}
   */
  default ImmutableList<Literal> runOnDevices(List<List<Literal>> arguments) {
    Literal[] only = Parameters.ofSingle(arguments);
    return ImmutableList.of(run(only));
  }

  /**
   * Returns this executable with some of its arguments bound, such as the weights of a model. The
   * arguments are checked here, and must not change afterwards. The compiled evaluator computes
   * here, once, what depends on bound arguments and constants alone, such as the scale of a batch
   * norm; its matrix products pack bound matrices in the first runs and keep them so, as far as
   * {@link EvaluatorOptions#maxBytes} leaves room. Products that want the same literal in the same
   * form share it. A run of the result computes the same bits as a run with all arguments, except
   * the last bit of f32 sums of non-negative terms, whose pairing depends on fusion. Bound
   * parameters are not parameters of the result any more; several devices all have the bound
   * arguments.
   *
   * <p>The result holds the literals that its runs read. It drops a bound argument once all that
   * depends on it is computed, or once every product that reads it has packed it, so that weights
   * that nobody else holds are not twice in memory; {@link #explain} says what is held. Matrices of
   * a type that is widened, such as bf16, are held beside their packed form.
   *
   * @param arguments literals by names of {@link #parameterNames}
   * @return an executable of the remaining parameters, in their order
   * @throws HloException if names are unknown or already bound, or arguments do not suit their
   *     parameters, all of which the message names
   */
  @CheckReturnValue
  @SuppressWarnings("exports") // annotations for the compiler only
  Executable bind(Map<String, Literal> arguments);

  /**
   * Returns a literal for {@link #unsafeRunInto} to write to: zeros of the shape of the entry's
   * root, in arrays that nobody else holds.
   *
   * @return a new literal at each call
   * @throws HloException if the result has dynamic sizes or is opaque
   */
  Literal newResult();

  /**
   * Runs the module's entry computation and writes the result to the arrays of an existing literal,
   * which saves an allocation. That literal changes for everybody who holds it: the caller must be
   * its only owner. {@link #newResult} makes one, and the result of an earlier run will do. Arrays
   * that the program does not own are refused: constants, arguments, bound arguments, what came
   * from a queue or went into one, and what was handed to a custom call, a listener or another
   * device.
   *
   * @param result a literal of the shape of the entry's root: an array, or a tuple of arrays
   * @param arguments one literal for each parameter of the entry, of its shape
   * @throws HloException as {@link #run(Literal...)}; also if the result has another shape,
   *     contains anything but arrays, or has an array that is there twice or somebody else's
   */
  void unsafeRunInto(Literal result, Literal... arguments);

  /**
   * Runs the module's entry computation until it is warm, so that a service answers its first
   * request as fast as later ones: until every kernel is in its last form, the JIT compiler is idle
   * and runs allocate what warm ones do. Forms that otherwise wait until there is enough work for
   * them are made at once. A run that has begun ends, even if the time is over.
   *
   * @param atMost the time after which to give up
   * @param arguments as for {@link #run(Literal...)}; none for zeros, if all parameters are arrays
   *     of known sizes. Values matter as far as loops and branches depend on them
   * @return whether the program is warm; false if the time was over before
   * @throws HloException as {@link #run(Literal...)}; also if the time is negative
   */
  default boolean warmUp(Duration atMost, Literal... arguments) {
    return Warmup.run(this, atMost, arguments);
  }

  /**
   * Runs the module's entry computation several times and measures its steps. The first runs of a
   * program are slow, so {@link #warmUp warm it up} before. Of several devices, the steps are those
   * of the first; the time that it waits for others is part of its collectives.
   *
   * @param runs the number of runs, at least 1
   * @param arguments as for {@link #run(Literal...)}
   * @return where the time goes
   * @throws HloException if there is no run, if arguments are missing or do not suit their
   *     parameters, or if a run exceeds a limit
   */
  Profile profile(int runs, Literal... arguments);

  /**
   * Runs the module's entry computation several times on all devices of {@link #grid}, each with
   * its own list of arguments, and measures the steps of the first.
   *
   * @param runs the number of runs, at least 1
   * @param arguments as for {@link #runOnDevices(List)}
   * @return where the time goes
   * @throws HloException as {@link #profile(int, Literal...)} and {@link #runOnDevices(List)}
   */
  default Profile profileOnDevices(int runs, List<List<Literal>> arguments) {
    return profile(runs, Parameters.ofSingle(arguments));
  }

  /**
   * Returns the plan as text: which steps there are, what computes each, how much it reads and
   * writes, which of them the reference evaluator computes, and why.
   *
   * @return text for people, lines separated by line feeds
   */
  String explain();
}
