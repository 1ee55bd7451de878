package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.HloException.require;

/**
 * The number of operands that an op takes.
 *
 * @param least the least number
 * @param most the greatest number
 */
public record Arity(int least, int most) {
  /**
   * Returns the arity of exactly {@code count} operands.
   *
   * @param count the number of operands
   * @return the arity
   */
  public static Arity exactly(int count) {
    return new Arity(count, count);
  }

  /**
   * Returns the arity of {@code count} or more operands.
   *
   * @param count the least number of operands
   * @return the arity
   */
  public static Arity atLeast(int count) {
    return new Arity(count, Integer.MAX_VALUE);
  }

  void check(int count) {
    require(
        count >= least && count <= most,
        "",
        "operand count got %s, want %s%s",
        count,
        least == most ? "" : "at least ",
        least);
  }
}
