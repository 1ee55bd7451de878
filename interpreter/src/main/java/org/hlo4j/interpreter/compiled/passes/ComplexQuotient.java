package org.hlo4j.interpreter.compiled.passes;

import static org.hlo4j.interpreter.compiled.passes.Simplification.array;

import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.BitcastConvert;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Compare.Direction;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Elementwise.Kind;
import org.hlo4j.hlo.op.Select;

/**
 * The quotient {@code (a + ib) / (c + id)} of c64 numbers, computed on their parts in f64. There,
 * products of parts are exact, and the squares of the largest and the smallest parts neither
 * overflow nor underflow. If both parts of the result are NaN, the quotient may still be zero or
 * infinite: if the divisor is zero, or if one of the numbers is infinite and the other is not.
 *
 * @param rewriter adds the instructions of the quotient
 * @param a the real part of the dividend
 * @param b its imaginary part
 * @param c the real part of the divisor
 * @param d its imaginary part
 */
record ComplexQuotient(
    Rewriter rewriter, HloInstruction a, HloInstruction b, HloInstruction c, HloInstruction d) {
  private static final long SIGN = Long.MIN_VALUE;

  /** The real and the imaginary part of a number. */
  record Parts(HloInstruction re, HloInstruction im) {}

  Parts parts() {
    HloInstruction square = apply(Kind.ADD, times(c, c), times(d, d));
    Parts plain = timesConjugate(a, b, c, d);
    Parts quotient =
        new Parts(apply(Kind.DIVIDE, plain.re, square), apply(Kind.DIVIDE, plain.im, square));
    HloInstruction infinity = broadcast(Double.POSITIVE_INFINITY);
    HloInstruction isAbove = isInfiniteByFinite(a, b, c, d);
    HloInstruction isBelow = isInfiniteByFinite(c, d, a, b);
    Parts ones =
        timesConjugate(
            onesForInfinities(a, isAbove),
            onesForInfinities(b, isAbove),
            onesForInfinities(c, isBelow),
            onesForInfinities(d, isBelow));
    HloInstruction zero = broadcast(0);
    HloInstruction nan = broadcast(Double.NaN);
    HloInstruction factor = select(isAbove, infinity, select(isBelow, zero, nan));
    HloInstruction isByZero = and(compare(Direction.EQ, c, zero), compare(Direction.EQ, d, zero));
    Parts rest =
        select(isByZero, times(withSignOf(infinity, c), new Parts(a, b)), times(factor, ones));
    HloInstruction isNaN =
        and(
            compare(Direction.NE, quotient.re, quotient.re),
            compare(Direction.NE, quotient.im, quotient.im));
    return select(isNaN, rest, quotient);
  }

  /** Returns {@code (x + iy) (u - iv)}. */
  private Parts timesConjugate(
      HloInstruction x, HloInstruction y, HloInstruction u, HloInstruction v) {
    return new Parts(
        apply(Kind.ADD, times(x, u), times(y, v)), apply(Kind.SUBTRACT, times(y, u), times(x, v)));
  }

  /**
   * Returns, where the mask holds, 1 for infinities and 0 for other numbers, with their sign but
   * that of NaN; elsewhere the number itself.
   */
  private HloInstruction onesForInfinities(HloInstruction x, HloInstruction mask) {
    HloInstruction one = select(isInfinite(x), broadcast(1), broadcast(0));
    HloInstruction signed = select(compare(Direction.EQ, x, x), x, one);
    return select(mask, withSignOf(one, signed), x);
  }

  /** Returns a non-negative number with the sign of another one. */
  private HloInstruction withSignOf(HloInstruction magnitude, HloInstruction signed) {
    HloInstruction sign = and(bits(signed), broadcast(Literal.of(ElementType.U64, SIGN)));
    HloInstruction both = apply(Kind.OR, bits(magnitude), sign);
    return rewriter.add(new BitcastConvert(ElementType.F64), both);
  }

  private HloInstruction bits(HloInstruction x) {
    return rewriter.add(new BitcastConvert(ElementType.U64), x);
  }

  /** Returns whether one of the first two numbers is infinite, and the last two are finite. */
  private HloInstruction isInfiniteByFinite(
      HloInstruction x, HloInstruction y, HloInstruction u, HloInstruction v) {
    HloInstruction largest = apply(Kind.MAXIMUM, apply(Kind.ABS, u), apply(Kind.ABS, v));
    HloInstruction isFinite = compare(Direction.LT, largest, broadcast(Double.POSITIVE_INFINITY));
    return and(apply(Kind.OR, isInfinite(x), isInfinite(y)), isFinite);
  }

  private HloInstruction isInfinite(HloInstruction x) {
    return compare(Direction.EQ, apply(Kind.ABS, x), broadcast(Double.POSITIVE_INFINITY));
  }

  private Parts select(HloInstruction mask, Parts onTrue, Parts onFalse) {
    return new Parts(select(mask, onTrue.re, onFalse.re), select(mask, onTrue.im, onFalse.im));
  }

  private HloInstruction select(
      HloInstruction mask, HloInstruction onTrue, HloInstruction onFalse) {
    return rewriter.add(new Select(), mask, onTrue, onFalse);
  }

  private HloInstruction and(HloInstruction x, HloInstruction y) {
    return apply(Kind.AND, x, y);
  }

  private HloInstruction times(HloInstruction x, HloInstruction y) {
    return apply(Kind.MULTIPLY, x, y);
  }

  private Parts times(HloInstruction factor, Parts parts) {
    return new Parts(times(factor, parts.re), times(factor, parts.im));
  }

  private HloInstruction compare(Direction direction, HloInstruction x, HloInstruction y) {
    return rewriter.add(new Compare(direction, Optional.empty()), x, y);
  }

  private HloInstruction broadcast(double value) {
    return broadcast(Literal.of(value));
  }

  private HloInstruction broadcast(Literal scalar) {
    Shape.Array shape = array(a).withElementType(scalar.elementType());
    return rewriter.broadcast(rewriter.constant(scalar), shape, Dims.of());
  }

  private HloInstruction apply(Kind kind, HloInstruction... operands) {
    return rewriter.add(new Elementwise(kind), operands);
  }
}
