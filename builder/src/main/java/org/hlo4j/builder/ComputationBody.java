package org.hlo4j.builder;

import java.util.List;

/**
 * A computation written as a lambda over handles. It sees its parameters, and scalar constants of
 * the builders around it, which it gets copies of; other values are handed in as operands.
 */
@FunctionalInterface
public interface ComputationBody {
  /**
   * Adds the ops of the computation.
   *
   * @param body the builder of the computation, for constants and tuples
   * @param parameters its parameters
   * @return its result
   */
  XlaOp build(XlaBuilder body, List<XlaOp> parameters);
}
