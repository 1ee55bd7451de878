package org.hlo4j.builder;

import java.util.List;

/**
 * A computation written as a lambda over handles. It sees its parameters only; values of the caller
 * are handed in as operands.
 */
@FunctionalInterface
public interface Region {
  /**
   * Adds the ops of the computation.
   *
   * @param body the builder of the computation, for constants and tuples
   * @param parameters its parameters
   * @return its result
   */
  XlaOp build(XlaBuilder body, List<XlaOp> parameters);
}
