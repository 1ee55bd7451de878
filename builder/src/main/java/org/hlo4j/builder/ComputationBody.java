package org.hlo4j.builder;

import java.util.List;

/**
 * A computation written as a lambda over handles. It may use its parameters, and scalar constants
 * of the enclosing builders, which are copied; all other values must be passed as operands.
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
