package org.hlo4j.interpreter;

import com.google.common.collect.ImmutableList;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ProgramShape;
import org.hlo4j.hlo.ir.HloModule;

/**
 * A module made ready to be run many times, by several threads at once if need be; made by {@link
 * Evaluator#compile}.
 */
public interface Executable {
  /**
   * The module, as it was given.
   *
   * @return the module
   */
  HloModule module();

  /**
   * What {@link #run} takes and gives.
   *
   * @return the shapes of the entry's parameters and of its root, without layouts
   */
  ProgramShape signature();

  /**
   * The names of the entry's parameters.
   *
   * @return a name for each argument of {@link #run}, in order
   */
  ImmutableList<String> parameterNames();

  /**
   * The result of the module's entry computation.
   *
   * @param arguments one literal for each parameter of the entry, of its shape
   * @return the value of the entry's root
   * @throws HloException if an argument does not suit its parameter, or the run goes beyond a limit
   */
  Literal run(Literal... arguments);

  /**
   * Puts the result of the module's entry computation where another literal lies, which saves
   * making a new one. That literal changes, for all who hold it: it must be the caller's alone, and
   * neither it nor a part of it may be an argument.
   *
   * @param result a literal of the shape of the entry's root: an array, or a tuple of such
   * @param arguments one literal for each parameter of the entry, of its shape
   * @throws HloException as {@link #run}; also if the result is of another shape, not of arrays
   *     only, or shares an array with an argument or with itself
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
