package org.hlo4j.builder.lib.random;

import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.Shape;

/**
 * A generator of random bits: {@link Prng#threeFryBitGenerator} or {@link Prng#philoxBitGenerator}.
 */
@FunctionalInterface
public interface BitGenerator {
  /**
   * Returns random bits, which are determined by the key and the state.
   *
   * @param key u64
   * @param initialState as the generator wants it
   * @param shape the shape wanted, of integers or floats
   * @return unsigned integers of that many bits, and the state after
   */
  RngOutput generate(XlaOp key, XlaOp initialState, Shape.Array shape);
}
