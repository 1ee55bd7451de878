package org.hlo4j.interpreter.compiled.tiering;

import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.arrays.Storages;
import org.hlo4j.interpreter.compiled.codegen.VectorSupport;

/**
 * Runs code on made-up data.
 *
 * @param <T> the type of the code
 */
@FunctionalInterface
public interface WarmupInput<T> {
  /** How many iterations, of so many elements as vectors have, are asked for at most. */
  int ITERATIONS = 32;

  /**
   * {@return an array to warm up on} Branches take the longer the less can be told of them in
   * advance; vectors have none.
   */
  static Object array(ElementType type, int count) {
    return VectorSupport.isOn() ? Storages.allocate(type, count) : Storages.varied(type, count);
  }

  /**
   * One call.
   *
   * @param form the code
   * @param iterations of its loop, at most {@link #ITERATIONS}; 0 or negative: how many to count
   *     without doing anything, see {@link Tiered#writeCounting}
   */
  void call(T form, int iterations);
}
