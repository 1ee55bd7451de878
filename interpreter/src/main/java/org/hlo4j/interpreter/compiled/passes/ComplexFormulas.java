package org.hlo4j.interpreter.compiled.passes;

import static org.hlo4j.hlo.op.Elementwise.Kind.ABS;
import static org.hlo4j.hlo.op.Elementwise.Kind.ADD;
import static org.hlo4j.hlo.op.Elementwise.Kind.AND;
import static org.hlo4j.hlo.op.Elementwise.Kind.COSINE;
import static org.hlo4j.hlo.op.Elementwise.Kind.DIVIDE;
import static org.hlo4j.hlo.op.Elementwise.Kind.EXPONENTIAL;
import static org.hlo4j.hlo.op.Elementwise.Kind.IS_FINITE;
import static org.hlo4j.hlo.op.Elementwise.Kind.MAXIMUM;
import static org.hlo4j.hlo.op.Elementwise.Kind.MULTIPLY;
import static org.hlo4j.hlo.op.Elementwise.Kind.NOT;
import static org.hlo4j.hlo.op.Elementwise.Kind.OR;
import static org.hlo4j.hlo.op.Elementwise.Kind.SINE;
import static org.hlo4j.hlo.op.Elementwise.Kind.SQRT;
import static org.hlo4j.hlo.op.Elementwise.Kind.SUBTRACT;
import static org.hlo4j.interpreter.compiled.passes.Simplification.array;

import java.util.function.BinaryOperator;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.BitcastConvert;
import org.hlo4j.hlo.op.Compare.Direction;

/**
 * Formulas of complex numbers, computed on their parts in f64. There, products of parts of c64 are
 * exact, and the squares of the largest and the smallest parts neither overflow nor underflow.
 *
 * @param rewriter adds the instructions
 */
record ComplexFormulas(Rewriter rewriter) {
  private static final long SIGN = Long.MIN_VALUE;

  /** The real and the imaginary part of a number. */
  record Parts(HloInstruction re, HloInstruction im) {}

  /**
   * Returns {@code (a + ib) (c + id) = ac - bd + i (ad + bc)}.
   *
   * @param times multiplies parts
   */
  Parts product(Parts x, Parts y, BinaryOperator<HloInstruction> times) {
    return new Parts(
        rewriter.add(SUBTRACT, times.apply(x.re, y.re), times.apply(x.im, y.im)),
        rewriter.add(ADD, times.apply(x.re, y.im), times.apply(x.im, y.re)));
  }

  /**
   * Returns {@code e^x (cos y + i sin y)} of c64. Beside an infinite x, the cosine of a y that has
   * none is 1, and its sine 0 if x is negative. The imaginary part is 0 if the sine is.
   */
  Parts exponential(Parts z) {
    HloInstruction zero = rewriter.full(0, z.re);
    HloInstruction isOdd = rewriter.add(NOT, rewriter.add(IS_FINITE, z.im));
    HloInstruction isZero =
        rewriter.compare(Direction.EQ, z.re, rewriter.full(Double.NEGATIVE_INFINITY, z.re));
    HloInstruction cosine =
        rewriter.select(
            rewriter.add(AND, isOdd, isInfinite(z.re)),
            rewriter.full(1, z.re),
            rewriter.add(COSINE, z.im));
    HloInstruction sine =
        rewriter.select(rewriter.add(AND, isOdd, isZero), zero, rewriter.add(SINE, z.im));
    HloInstruction power = rewriter.add(EXPONENTIAL, z.re);
    HloInstruction im =
        rewriter.select(rewriter.compare(Direction.EQ, sine, zero), sine, times(power, sine));
    return new Parts(times(power, cosine), im);
  }

  /** Returns the absolute value of c64. It is infinite if a part is. */
  HloInstruction modulus(Parts z) {
    HloInstruction root = rewriter.add(SQRT, squares(z));
    HloInstruction isInfinite = rewriter.add(OR, isInfinite(z.re), isInfinite(z.im));
    return rewriter.select(isInfinite, rewriter.full(Double.POSITIVE_INFINITY, root), root);
  }

  private HloInstruction squares(Parts z) {
    return rewriter.add(ADD, times(z.re, z.re), times(z.im, z.im));
  }

  /**
   * Returns the quotient of c64. If both parts of the result are NaN, the quotient may still be
   * zero or infinite: if the divisor is zero, or if one of the numbers is infinite and the other is
   * not.
   */
  Parts quotient(Parts x, Parts y) {
    HloInstruction square = squares(y);
    Parts plain = timesConjugate(x, y);
    Parts quotient =
        new Parts(rewriter.add(DIVIDE, plain.re, square), rewriter.add(DIVIDE, plain.im, square));
    HloInstruction infinity = rewriter.full(Double.POSITIVE_INFINITY, square);
    HloInstruction isAbove = isInfiniteByFinite(x, y);
    HloInstruction isBelow = isInfiniteByFinite(y, x);
    Parts ones = timesConjugate(onesForInfinities(x, isAbove), onesForInfinities(y, isBelow));
    HloInstruction zero = rewriter.full(0, square);
    HloInstruction nan = rewriter.full(Double.NaN, square);
    HloInstruction factor = rewriter.select(isAbove, infinity, rewriter.select(isBelow, zero, nan));
    HloInstruction isByZero =
        rewriter.add(
            AND,
            rewriter.compare(Direction.EQ, y.re, zero),
            rewriter.compare(Direction.EQ, y.im, zero));
    Parts rest = select(isByZero, times(withSignOf(infinity, y.re), x), times(factor, ones));
    HloInstruction isNaN =
        rewriter.add(
            AND,
            rewriter.compare(Direction.NE, quotient.re, quotient.re),
            rewriter.compare(Direction.NE, quotient.im, quotient.im));
    return select(isNaN, rest, quotient);
  }

  /** Returns {@code (a + ib) (c - id)}. */
  private Parts timesConjugate(Parts x, Parts y) {
    return new Parts(
        rewriter.add(ADD, times(x.re, y.re), times(x.im, y.im)),
        rewriter.add(SUBTRACT, times(x.im, y.re), times(x.re, y.im)));
  }

  private Parts onesForInfinities(Parts x, HloInstruction mask) {
    return new Parts(onesForInfinities(x.re, mask), onesForInfinities(x.im, mask));
  }

  /**
   * Returns, where the mask holds, 1 for infinities and 0 for other numbers, with their sign but
   * that of NaN; elsewhere the number itself.
   */
  private HloInstruction onesForInfinities(HloInstruction x, HloInstruction mask) {
    HloInstruction one = rewriter.select(isInfinite(x), rewriter.full(1, x), rewriter.full(0, x));
    HloInstruction signed = rewriter.select(rewriter.compare(Direction.EQ, x, x), x, one);
    return rewriter.select(mask, withSignOf(one, signed), x);
  }

  /** Returns a non-negative number with the sign of another one. */
  private HloInstruction withSignOf(HloInstruction magnitude, HloInstruction signed) {
    HloInstruction mask = rewriter.full(Literal.of(ElementType.U64, SIGN), array(signed));
    HloInstruction both = rewriter.add(OR, bits(magnitude), rewriter.add(AND, bits(signed), mask));
    return rewriter.add(new BitcastConvert(ElementType.F64), both);
  }

  private HloInstruction bits(HloInstruction x) {
    return rewriter.add(new BitcastConvert(ElementType.U64), x);
  }

  /** Returns whether the first number is infinite, and the second is finite. */
  private HloInstruction isInfiniteByFinite(Parts x, Parts y) {
    HloInstruction largest =
        rewriter.add(MAXIMUM, rewriter.add(ABS, y.re), rewriter.add(ABS, y.im));
    HloInstruction isFinite =
        rewriter.compare(Direction.LT, largest, rewriter.full(Double.POSITIVE_INFINITY, largest));
    return rewriter.add(AND, rewriter.add(OR, isInfinite(x.re), isInfinite(x.im)), isFinite);
  }

  private HloInstruction isInfinite(HloInstruction x) {
    return rewriter.compare(
        Direction.EQ, rewriter.add(ABS, x), rewriter.full(Double.POSITIVE_INFINITY, x));
  }

  private Parts select(HloInstruction mask, Parts onTrue, Parts onFalse) {
    return new Parts(
        rewriter.select(mask, onTrue.re, onFalse.re), rewriter.select(mask, onTrue.im, onFalse.im));
  }

  HloInstruction times(HloInstruction x, HloInstruction y) {
    return rewriter.add(MULTIPLY, x, y);
  }

  private Parts times(HloInstruction factor, Parts parts) {
    return new Parts(times(factor, parts.re), times(factor, parts.im));
  }
}
