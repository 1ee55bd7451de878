package org.hlo4j.builder.lib.math;

import static org.hlo4j.builder.lib.common.Floats.equal;
import static org.hlo4j.builder.lib.common.Floats.greater;
import static org.hlo4j.builder.lib.common.Floats.less;
import static org.hlo4j.builder.lib.common.Floats.minus;
import static org.hlo4j.builder.lib.common.Floats.nanWhere;
import static org.hlo4j.builder.lib.common.Floats.orElse;
import static org.hlo4j.builder.lib.common.Floats.over;
import static org.hlo4j.builder.lib.common.Floats.plus;
import static org.hlo4j.builder.lib.common.Floats.times;

import java.util.List;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.builder.lib.Constants;
import org.hlo4j.builder.lib.common.Floats;

/**
 * The regularized incomplete beta function, in f32 or f64: the continued fraction of DLMF 8.17.22
 * by Lentz's method, on the side of the mean where it converges fast.
 */
final class IncompleteBeta {
  private static final double TINY = 1e-30;

  private IncompleteBeta() {}

  static XlaOp of(XlaOp a, XlaOp b, XlaOp x) {
    XlaOp swaps = x.gt(plus(a, 1).div(plus(a.add(b), 2)));
    XlaOp y = minus(1, x);
    XlaOp inside = greater(a, 0).and(greater(b, 0)).and(greater(x, 0)).and(less(x, 1));
    XlaOp first = swaps.select(b, a);
    XlaOp second = swaps.select(a, b);
    XlaOp near = swaps.select(y, x);
    Iteration fraction = fraction(first, second, near, inside);
    XlaOp density = Deviance.betaDensity(first, second, near, swaps.select(x, y));
    XlaOp tail = density.div(first).mul(fraction.values().get(0));
    XlaOp value = swaps.select(minus(1, tail), tail);
    XlaOp bounded = equal(x, 0).or(equal(x, 1)).select(x, value);
    XlaOp defined = greater(a, 0).and(greater(b, 0)).and(x.ge(x.zerosLike()));
    XlaOp isOutside = defined.and(x.le(Constants.scalarLike(x, 1))).not();
    return nanWhere(isOutside.or(fraction.goesOn()), bounded);
  }

  /** 1 / (1 + d1 / (1 + d2 / (1 + ...))); values are h, c and d. */
  private static Iteration fraction(XlaOp a, XlaOp b, XlaOp x, XlaOp starts) {
    XlaOp d = over(1, notZero(minus(1, a.add(b).div(plus(a, 1)).mul(x))));
    return Iteration.run(
        starts,
        List.of(a, b, x),
        List.of(d, x.fullLike(1), d),
        (m, in, v) -> {
          List<XlaOp> half = lentz(even(m, in.get(0), in.get(1), in.get(2)), v);
          List<XlaOp> whole = lentz(odd(m, in.get(0), in.get(1), in.get(2)), half);
          XlaOp change = whole.get(0).sub(half.get(0)).abs();
          XlaOp allowed = times(whole.get(0).abs(), Floats.epsilon(a));
          return new Iteration.Step(change.gt(allowed), whole);
        });
  }

  /** m (b - m) x / ((a + 2m - 1) (a + 2m)). */
  private static XlaOp even(XlaOp m, XlaOp a, XlaOp b, XlaOp x) {
    XlaOp next = a.add(times(m, 2));
    return m.div(plus(next, -1)).mul(b.sub(m).div(next)).mul(x);
  }

  /** -(a + m) (a + b + m) x / ((a + 2m) (a + 2m + 1)). */
  private static XlaOp odd(XlaOp m, XlaOp a, XlaOp b, XlaOp x) {
    XlaOp next = a.add(times(m, 2));
    return a.add(m).div(next).mul(a.add(b).add(m).div(plus(next, 1))).mul(x).neg();
  }

  private static List<XlaOp> lentz(XlaOp numerator, List<XlaOp> v) {
    XlaOp d = over(1, notZero(plus(numerator.mul(v.get(2)), 1)));
    XlaOp c = notZero(plus(numerator.div(v.get(1)), 1));
    return List.of(v.get(0).mul(c).mul(d), c, d);
  }

  private static XlaOp notZero(XlaOp value) {
    return orElse(less(value.abs(), TINY).not(), value, TINY);
  }
}
