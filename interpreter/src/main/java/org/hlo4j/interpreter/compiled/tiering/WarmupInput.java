package org.hlo4j.interpreter.compiled.tiering;

import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.arrays.Storages;
import org.hlo4j.interpreter.compiled.codegen.Machine;

/**
 * Made-up operands, and a way to run code on them during warm-up.
 *
 * @param <T> the type of the code
 */
@FunctionalInterface
public interface WarmupInput<T> {
  /**
   * The greatest number of iterations of one call; an iteration processes one vector of elements.
   */
  int ITERATIONS = 32;

  /**
   * {@return an array to warm up on} Vector code has no branches, so its array is all zeros. Scalar
   * code gets varied elements, since branches take longer if they are hard to predict.
   */
  static Object array(ElementType type, int count) {
    return Machine.isVectorApiOn()
        ? Storages.allocate(type, count)
        : Storages.irregularValues(type, count);
  }

  /**
   * Runs the code once.
   *
   * @param form the code
   * @param iterations how many iterations its loop makes, at most {@link #ITERATIONS}; if 0 or
   *     negative, the negated number of counting steps that do no work, see {@link
   *     Tiered#writeWarmupPrologue}
   */
  void call(T form, int iterations);
}
