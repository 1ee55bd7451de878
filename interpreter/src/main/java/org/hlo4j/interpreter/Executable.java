package org.hlo4j.interpreter;

import com.google.common.collect.ImmutableList;
import java.util.Map;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ProgramShape;
import org.hlo4j.hlo.ir.HloModule;

/**
 * A module made ready to be run many times, by several threads at once if need be; made by {@link
 * Evaluator#compile}. Arguments are given by position, by name, or some of them once:
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
   * The module, as it was given.
   *
   * @return the module
   */
  HloModule module();

  /**
   * What {@link #run(Literal...)} takes and gives.
   *
   * @return the shapes of the entry's parameters and of its root, without layouts
   */
  ProgramShape signature();

  /**
   * The names of the entry's parameters.
   *
   * @return a name for each argument of {@link #run(Literal...)}, in order
   */
  ImmutableList<String> parameterNames();

  /**
   * The result of the module's entry computation.
   *
   * @param arguments one literal for each parameter of the entry, of its shape
   * @return the value of the entry's root
   * @throws HloException if arguments are missing or do not suit their parameters, all of which it
   *     names, or the run goes beyond a limit
   */
  Literal run(Literal... arguments);

  /**
   * The result of the module's entry computation, its arguments given by name.
   *
   * @param arguments one literal for each of {@link #parameterNames}, of its parameter's shape
   * @return the value of the entry's root
   * @throws HloException if names are missing or unknown or arguments do not suit their parameters,
   *     all of which it names, or the run goes beyond a limit
   */
  Literal run(Map<String, Literal> arguments);

  /**
   * This executable with some of its arguments given once, such as the weights of a model. They are
   * checked here and not copied; a run of the result does what a run with all arguments does, with
   * the same bits. What is bound is no parameter of the result any more.
   *
   * @param arguments literals by names of {@link #parameterNames}
   * @return an executable of the arguments that are left, in their order
   * @throws HloException if names are unknown or bound already, or arguments do not suit their
   *     parameters, all of which it names
   */
  Executable bind(Map<String, Literal> arguments);

  /**
   * Puts the result of the module's entry computation where another literal lies, which saves
   * making a new one. That literal changes, for all who hold it: it must be the caller's alone, and
   * neither it nor a part of it may be an argument, nor bound.
   *
   * @param result a literal of the shape of the entry's root: an array, or a tuple of such
   * @param arguments one literal for each parameter of the entry, of its shape
   * @throws HloException as {@link #run(Literal...)}; also if the result is of another shape, not
   *     of arrays only, or shares an array with an argument or with itself
   */
  void unsafeRunInto(Literal result, Literal... arguments);

  /**
   * The plan: which steps there are, what computes each, how much it reads and writes, what the
   * reference evaluator has to do and why.
   *
   * @return text for people, lines separated by line feeds
   */
  String explain();
}
