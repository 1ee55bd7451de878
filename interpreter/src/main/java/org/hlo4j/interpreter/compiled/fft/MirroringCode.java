package org.hlo4j.interpreter.compiled.fft;

import java.util.Collections;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.lanes.Arrangement;
import org.hlo4j.interpreter.compiled.lanes.Lane;
import org.hlo4j.interpreter.compiled.lanes.Lanes;
import org.hlo4j.interpreter.compiled.lanes.Value;

/**
 * Writes what makes the transform of 2 m real numbers of that of m complex ones, which are pairs of
 * them, or the other way round, as the factors say. The number opposite to k is m - k.
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

  MirroringCode(Lanes lanes) {
    super(lanes, Collections.nCopies(ARRAYS, ElementType.F64));
  }

  @Override
  void columns() {
    Parts a =
        load(
            0,
            StepArguments.FROM_SHIFT,
            () -> code.iload(place(StepArguments.FROM)).iload(column).iadd());
    Parts b = load(0, StepArguments.FROM_SHIFT, this::opposite);
    Parts factor =
        load(
            FACTORS,
            StepArguments.FACTOR_SHIFT,
            () -> code.iload(place(StepArguments.FACTOR)).iload(column).iadd());
    Value re = lanes.arranged(Arrangement.REVERSED, b.re(), b.re());
    Value im = lanes.arranged(Arrangement.REVERSED, b.im(), b.im());
    Value half = lanes.constant(Lane.F64, 0.5);
    Parts odd =
        new Parts(
            lanes.multiply(lanes.subtract(a.re(), re), half),
            lanes.multiply(lanes.add(a.im(), im), half));
    Parts turned = times(odd, factor, lanes.negate(factor.im()));
    Parts result =
        new Parts(
            lanes.fma(lanes.add(a.re(), re), half, turned.im()),
            lanes.subtract(lanes.multiply(lanes.subtract(a.im(), im), half), turned.re()));
    store(
        TO,
        StepArguments.TO_SHIFT,
        () -> code.iload(place(StepArguments.TO)).iload(column).iadd(),
        result);
  }

  /** Where the last of those opposite lies: so many are read from there on. */
  private void opposite() {
    code.iload(place(StepArguments.FROM_PART)).iload(column).isub();
    code.loadConstant(lanes.width() - 1).isub();
  }

  @Override
  void endRow() {}
}
