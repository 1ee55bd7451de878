package org.hlo4j.interpreter.compiled.fft;

import java.util.Collections;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.Lane;
import org.hlo4j.interpreter.compiled.codegen.LaneShuffle;
import org.hlo4j.interpreter.compiled.codegen.Value;

/**
 * The code writer of the step that computes the transform of 2 m real numbers from that of m
 * complex numbers, which are pairs of them, or the reverse. The factors determine the direction.
 * The number opposite to k is m - k.
 *
 * <pre>
 * even = (from[k] + conjugate(from[m - k])) / 2
 * odd = (from[k] - conjugate(from[m - k])) / 2
 * to[k] = even - i odd factor[k]
 * </pre>
 */
final class MirroringCode extends FftStepCode {
  static final int ARRAYS = 3;
  private static final int TO = 1;
  private static final int FACTORS = 2;

  MirroringCode(CodeEmitter emitter) {
    super(emitter, Collections.nCopies(ARRAYS, ElementType.F64));
  }

  @Override
  void columns() {
    ComplexVector a = load(0, StepArguments.FROM_SHIFT, at(StepArguments.FROM));
    ComplexVector b = load(0, StepArguments.FROM_SHIFT, this::opposite);
    ComplexVector factor = load(FACTORS, StepArguments.FACTOR_SHIFT, at(StepArguments.FACTOR));
    Value re = emitter.shuffle(LaneShuffle.REVERSED, b.re(), b.re());
    Value im = emitter.shuffle(LaneShuffle.REVERSED, b.im(), b.im());
    Value half = emitter.constant(Lane.F64, 0.5);
    ComplexVector odd =
        new ComplexVector(
            emitter.multiply(emitter.subtract(a.re(), re), half),
            emitter.multiply(emitter.add(a.im(), im), half));
    ComplexVector rotated = times(odd, factor, emitter.negate(factor.im()));
    ComplexVector result =
        new ComplexVector(
            emitter.fma(emitter.add(a.re(), re), half, rotated.im()),
            emitter.subtract(emitter.multiply(emitter.subtract(a.im(), im), half), rotated.re()));
    store(TO, StepArguments.TO_SHIFT, at(StepArguments.TO), result);
  }

  /**
   * Writes the position of the last of the numbers opposite to a vector of numbers. They are
   * contiguous from there on, in reverse order.
   */
  private void opposite() {
    code.iload(argument(StepArguments.FROM_PART)).iload(column).isub();
    code.loadConstant(emitter.width() - 1).isub();
  }
}
