package org.hlo4j.pjrt;

import com.google.common.collect.ImmutableSet;
import org.hlo4j.hlo.HloException;
import org.hlo4j.interpreter.CustomCallTarget;

/**
 * Functions in Java that answer custom calls of programs on a plugin's CPU, by XLA's foreign
 * function interface: the same functions that {@link
 * org.hlo4j.interpreter.EvaluatorOptions.Builder#customCall} takes.
 *
 * <pre>{@code
 * PjrtCustomCalls.register(plugin, "square", (call, operands) -> {
 *   float[] x = operands.get(0).toFloats();
 *   for (int i = 0; i < x.length; i++) {
 *     x[i] *= x[i];
 *   }
 *   return Literal.of(operands.get(0).shape(), x);
 * });
 * }</pre>
 *
 * <p>A function gets copies of the operands, row by row whatever their layout, and the instruction
 * as it is in the module that was compiled, with its name, its layouts and its {@code
 * backend_config}. In a program that was not compiled from an {@link org.hlo4j.hlo.ir.HloModule},
 * it is the instruction that the plugin tells: one of the typed interface, with all arrays
 * row-major, and with attributes of each kind in its {@code backend_config}.
 *
 * <p>It is called on a thread of the plugin, or on the one that began the run, and by several at a
 * time. What it throws ends the run with a {@link PjrtException}, whose message has the name and
 * what was thrown, and whose fact {@code detail} the begin of its stack trace: of code {@link
 * PjrtException.Code#INVALID_ARGUMENT} or another one by the kind of an {@link HloException}, of
 * {@link PjrtException.Code#RESOURCE_EXHAUSTED} for an {@link OutOfMemoryError}, and {@link
 * PjrtException.Code#INTERNAL} for all else. It must not call the plugin, nor wait for a thread
 * that does: the former is refused.
 *
 * <p>The LAPACK routines that JAX calls, and what else {@link
 * org.hlo4j.interpreter.Interpreter#KNOWN_CUSTOM_CALLS} names of the typed interface, need no
 * function: where a plugin lacks one, hlo4j's own kernel answers.
 */
public final class PjrtCustomCalls {
  private PjrtCustomCalls() {}

  /**
   * Adds a function. It stays until the process ends, for all clients of the plugin: plugins do not
   * forget one.
   *
   * @param plugin the plugin
   * @param name the target of the custom calls
   * @param function what computes their result
   * @throws HloException if the name has a function; of kind {@code UNSUPPORTED} if the plugin has
   *     no extension FFI, or one of before version 0.73
   */
  public static void register(PjrtPlugin plugin, String name, CustomCallTarget function) {
    requireGiven(plugin, name, function);
    plugin.customCalls().register(name, function);
  }

  /**
   * Replaces a function, also for programs that are compiled already. A run under way may call
   * either.
   *
   * @param plugin the plugin
   * @param name the target of the custom calls
   * @param function what computes their result from now on
   * @return the function until now
   * @throws HloException if the name has no function
   */
  public static CustomCallTarget replace(
      PjrtPlugin plugin, String name, CustomCallTarget function) {
    requireGiven(plugin, name, function);
    return plugin.customCalls().replace(name, function);
  }

  /**
   * Returns the names that have a function.
   *
   * @param plugin the plugin
   * @return the names, in the order in which they came
   */
  public static ImmutableSet<String> names(PjrtPlugin plugin) {
    HloException.require(plugin != null, "", "custom-call: plugin is null");
    return plugin.customCalls().names();
  }

  private static void requireGiven(PjrtPlugin plugin, String name, CustomCallTarget function) {
    HloException.require(plugin != null, "", "custom-call: plugin is null");
    HloException.require(name != null, "", "custom-call: name is null");
    HloException.require(function != null, "", "custom-call: function is null");
  }
}
