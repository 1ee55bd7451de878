package org.hlo4j.interpreter.compiled.tiers;

/**
 * Runs code on scratch data.
 *
 * @param <T> the type of the code
 */
@FunctionalInterface
public interface Practice<T> {
  /** How many turns, of so many elements as vectors have, are asked for at most. */
  int TURNS = 32;

  /**
   * One call.
   *
   * @param form the code
   * @param turns how many turns its loop is to make, at most {@link #TURNS}; 0 or negative: how
   *     many to count without doing anything, see {@link Tiered#writeCounting}
   */
  void call(T form, int turns);
}
