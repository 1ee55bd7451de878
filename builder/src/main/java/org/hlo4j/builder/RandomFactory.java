package org.hlo4j.builder;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Rng;
import org.hlo4j.hlo.op.RngBitGenerator;
import org.hlo4j.hlo.op.RngGetAndUpdateState;

/** The random-number ops of a builder. */
abstract class RandomFactory extends DeviceFactory {
  /**
   * Random numbers, each as likely, of the evaluator's own state.
   *
   * @param a a scalar of the shape's element type, the least number
   * @param b likewise, the number above the greatest
   * @param shape the shape of the result, of floats, integers or pred
   * @return the op
   * @throws HloException if an operand is not a scalar of that type, or the type is complex
   */
  public XlaOp rngUniform(XlaOp a, XlaOp b, Shape.Array shape) {
    return rng(Rng.Distribution.RNG_UNIFORM, a, b, shape);
  }

  /**
   * Random numbers normally distributed, of the evaluator's own state.
   *
   * @param mu a scalar of the shape's element type, their mean
   * @param sigma likewise, their standard deviation
   * @param shape the shape of the result, of floats
   * @return the op
   * @throws HloException if an operand is not a scalar of that type, or the type is not a float
   */
  public XlaOp rngNormal(XlaOp mu, XlaOp sigma, Shape.Array shape) {
    return rng(Rng.Distribution.RNG_NORMAL, mu, sigma, shape);
  }

  private XlaOp rng(Rng.Distribution distribution, XlaOp a, XlaOp b, Shape.Array shape) {
    List<XlaOp> operands = Arrays.asList(a, b);
    return guarded(operands, () -> append(new Rng(shape, distribution), operands, List.of()));
  }

  /**
   * Random bits from a state, the same from the same state.
   *
   * @param algorithm how the bits are made
   * @param initialState u64[2]; or, but for Threefry, u64[3]
   * @param shape the shape of the bits, of integers or floats
   * @return the op, a tuple of the state after and the bits
   * @throws HloException if the state does not suit the algorithm, or the type of the bits is pred
   *     or complex
   */
  public XlaOp rngBitGenerator(
      RngBitGenerator.Algorithm algorithm, XlaOp initialState, Shape.Array shape) {
    List<XlaOp> operands = Collections.singletonList(initialState);
    return guarded(
        operands,
        () ->
            append(
                RngBitGenerator.of(algorithm, initialState.shape(), shape), operands, List.of()));
  }

  /**
   * Returns the hidden state of the evaluator, and then adds to it. XLA's builder has it for XLA's
   * own passes only.
   *
   * @param delta what to add
   * @return the op, u64[2], low half first
   */
  public XlaOp rngGetAndUpdateState(long delta) {
    return apply(new RngGetAndUpdateState(delta), List.of());
  }
}
