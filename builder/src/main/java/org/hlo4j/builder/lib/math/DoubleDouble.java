package org.hlo4j.builder.lib.math;

import org.hlo4j.builder.XlaOp;

/**
 * An unevaluated sum of two f64, which has twice the digits (Dekker, 1971; HLO has no fused
 * multiply-add). The second is at most half a unit in the last place of the first.
 */
record DoubleDouble(XlaOp high, XlaOp low) {
  /** Mantissa bits of a factor whose products with others of as many are exact. */
  private static final int HALF = 25;

  /** Returns a + b. */
  static DoubleDouble sum(XlaOp a, XlaOp b) {
    XlaOp high = a.add(b);
    XlaOp ofB = high.sub(a);
    return new DoubleDouble(high, a.sub(high.sub(ofB)).add(b.sub(ofB)));
  }

  /** Returns a * b, exactly but for underflow. */
  static DoubleDouble product(XlaOp a, XlaOp b) {
    XlaOp high = a.mul(b);
    XlaOp a1 = a.reducePrecision(11, HALF);
    XlaOp b1 = b.reducePrecision(11, HALF);
    XlaOp a2 = a.sub(a1);
    XlaOp b2 = b.sub(b1);
    XlaOp middle = a1.mul(b1).sub(high).add(a1.mul(b2)).add(a2.mul(b1));
    return new DoubleDouble(high, middle.add(a2.mul(b2)));
  }

  /** Returns this plus b. */
  DoubleDouble plusOf(XlaOp b) {
    DoubleDouble sum = sum(high, b);
    return new DoubleDouble(sum.high, sum.low.add(low));
  }

  /** Returns this / b. */
  DoubleDouble over(DoubleDouble b) {
    XlaOp quotient = high.div(b.high);
    DoubleDouble product = product(quotient, b.high);
    XlaOp rest = high.sub(product.high).sub(product.low).add(low).sub(quotient.mul(b.low));
    return new DoubleDouble(quotient, rest.div(b.high));
  }

  /** Returns this to the power of x, of which the relative error is that of one pow. */
  XlaOp pow(XlaOp x) {
    XlaOp power = high.pow(x);
    XlaOp change = x.mul(low).div(high);
    XlaOp isPlain = power.isFinite().and(change.isFinite());
    return isPlain.select(power.add(power.mul(change)), power);
  }
}
