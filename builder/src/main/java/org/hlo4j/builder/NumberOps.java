package org.hlo4j.builder;

import java.util.Arrays;
import java.util.Collections;
import java.util.Optional;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.op.Clamp;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Compare.Direction;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Elementwise.Kind;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Select;

/**
 * The ops of a handle with a Java number as the other operand: {@code x.mul(0.5)}, {@code
 * x.lt(10)}. The number becomes a scalar constant by the rule of {@link #scalarLike}, and is
 * broadcast regardless of the builder's default policy.
 *
 * <p>For a number on the left: {@code x.scalarLike(1).sub(x)}.
 */
abstract class NumberOps extends PolicyOps {
  private XlaOp with(Op op, Number number) {
    return Binary.apply(op, (XlaOp) this, number);
  }

  final XlaOp with(Kind kind, Number number) {
    return with(new Elementwise(kind), number);
  }

  private XlaOp with(Direction direction, Number number) {
    return with(new Compare(direction, Optional.empty()), number);
  }

  /**
   * Returns a number as a scalar constant of this one's element type.
   *
   * <p>A floating-point type takes any number that it can hold, rounded to the nearest value, as
   * HLO text does: {@code 0.1} is the f32 nearest to 0.1. Refused are numbers beyond the greatest
   * finite one, and NaN and infinities where the type has none. An integer type takes whole numbers
   * in its range, whatever their Java type, and nothing else. A complex type takes the number as
   * the real part. Pred takes none.
   *
   * @param number the number
   * @return the op, a scalar
   * @throws HloException if this is not an array, or its element type does not take the number
   */
  public XlaOp scalarLike(Number number) {
    XlaOp self = (XlaOp) this;
    return owner()
        .guarded(
            Collections.singletonList(self),
            () -> owner().constant(Binary.named("scalarLike", () -> Numbers.scalar(self, number))));
  }

  /**
   * {@return {@link #add(XlaOp)} of this and a number, see {@link #scalarLike}}
   *
   * @param number the other operand
   */
  public XlaOp add(long number) {
    return with(Kind.ADD, number);
  }

  /**
   * {@return {@link #add(XlaOp)} of this and a number, see {@link #scalarLike}}
   *
   * @param number the other operand
   */
  public XlaOp add(double number) {
    return with(Kind.ADD, number);
  }

  /**
   * {@return {@link #sub(XlaOp)} of this and a number, see {@link #scalarLike}}
   *
   * @param number the other operand
   */
  public XlaOp sub(long number) {
    return with(Kind.SUBTRACT, number);
  }

  /**
   * {@return {@link #sub(XlaOp)} of this and a number, see {@link #scalarLike}}
   *
   * @param number the other operand
   */
  public XlaOp sub(double number) {
    return with(Kind.SUBTRACT, number);
  }

  /**
   * {@return {@link #mul(XlaOp)} of this and a number, see {@link #scalarLike}}
   *
   * @param number the other operand
   */
  public XlaOp mul(long number) {
    return with(Kind.MULTIPLY, number);
  }

  /**
   * {@return {@link #mul(XlaOp)} of this and a number, see {@link #scalarLike}}
   *
   * @param number the other operand
   */
  public XlaOp mul(double number) {
    return with(Kind.MULTIPLY, number);
  }

  /**
   * {@return {@link #div(XlaOp)} of this and a number, see {@link #scalarLike}}
   *
   * @param number the other operand
   */
  public XlaOp div(long number) {
    return with(Kind.DIVIDE, number);
  }

  /**
   * {@return {@link #div(XlaOp)} of this and a number, see {@link #scalarLike}}
   *
   * @param number the other operand
   */
  public XlaOp div(double number) {
    return with(Kind.DIVIDE, number);
  }

  /**
   * {@return {@link #rem(XlaOp)} of this and a number, see {@link #scalarLike}}
   *
   * @param number the other operand
   */
  public XlaOp rem(long number) {
    return with(Kind.REMAINDER, number);
  }

  /**
   * {@return {@link #rem(XlaOp)} of this and a number, see {@link #scalarLike}}
   *
   * @param number the other operand
   */
  public XlaOp rem(double number) {
    return with(Kind.REMAINDER, number);
  }

  /**
   * {@return {@link #pow(XlaOp)} of this and a number, see {@link #scalarLike}}
   *
   * @param number the other operand
   */
  public XlaOp pow(long number) {
    return with(Kind.POWER, number);
  }

  /**
   * {@return {@link #pow(XlaOp)} of this and a number, see {@link #scalarLike}}
   *
   * @param number the other operand
   */
  public XlaOp pow(double number) {
    return with(Kind.POWER, number);
  }

  /**
   * {@return {@link #max(XlaOp)} of this and a number, see {@link #scalarLike}}
   *
   * @param number the other operand
   */
  public XlaOp max(long number) {
    return with(Kind.MAXIMUM, number);
  }

  /**
   * {@return {@link #max(XlaOp)} of this and a number, see {@link #scalarLike}}
   *
   * @param number the other operand
   */
  public XlaOp max(double number) {
    return with(Kind.MAXIMUM, number);
  }

  /**
   * {@return {@link #min(XlaOp)} of this and a number, see {@link #scalarLike}}
   *
   * @param number the other operand
   */
  public XlaOp min(long number) {
    return with(Kind.MINIMUM, number);
  }

  /**
   * {@return {@link #min(XlaOp)} of this and a number, see {@link #scalarLike}}
   *
   * @param number the other operand
   */
  public XlaOp min(double number) {
    return with(Kind.MINIMUM, number);
  }

  /**
   * {@return {@link #and(XlaOp)} of this and a number, see {@link #scalarLike}}
   *
   * @param number the other operand
   */
  public XlaOp and(long number) {
    return with(Kind.AND, number);
  }

  /**
   * {@return {@link #or(XlaOp)} of this and a number, see {@link #scalarLike}}
   *
   * @param number the other operand
   */
  public XlaOp or(long number) {
    return with(Kind.OR, number);
  }

  /**
   * {@return {@link #xor(XlaOp)} of this and a number, see {@link #scalarLike}}
   *
   * @param number the other operand
   */
  public XlaOp xor(long number) {
    return with(Kind.XOR, number);
  }

  /**
   * {@return {@link #shiftLeft(XlaOp)} of this and a number, see {@link #scalarLike}}
   *
   * @param number the other operand
   */
  public XlaOp shiftLeft(long number) {
    return with(Kind.SHIFT_LEFT, number);
  }

  /**
   * {@return {@link #shiftRightArithmetic(XlaOp)} of this and a number, see {@link #scalarLike}}
   *
   * @param number the other operand
   */
  public XlaOp shiftRightArithmetic(long number) {
    return with(Kind.SHIFT_RIGHT_ARITHMETIC, number);
  }

  /**
   * {@return {@link #shiftRightLogical(XlaOp)} of this and a number, see {@link #scalarLike}}
   *
   * @param number the other operand
   */
  public XlaOp shiftRightLogical(long number) {
    return with(Kind.SHIFT_RIGHT_LOGICAL, number);
  }

  /**
   * {@return {@link #eq(XlaOp)} of this and a number, see {@link #scalarLike}}
   *
   * @param number the other operand
   */
  public XlaOp eq(long number) {
    return with(Direction.EQ, number);
  }

  /**
   * {@return {@link #eq(XlaOp)} of this and a number, see {@link #scalarLike}}
   *
   * @param number the other operand
   */
  public XlaOp eq(double number) {
    return with(Direction.EQ, number);
  }

  /**
   * {@return {@link #ne(XlaOp)} of this and a number, see {@link #scalarLike}}
   *
   * @param number the other operand
   */
  public XlaOp ne(long number) {
    return with(Direction.NE, number);
  }

  /**
   * {@return {@link #ne(XlaOp)} of this and a number, see {@link #scalarLike}}
   *
   * @param number the other operand
   */
  public XlaOp ne(double number) {
    return with(Direction.NE, number);
  }

  /**
   * {@return {@link #ge(XlaOp)} of this and a number, see {@link #scalarLike}}
   *
   * @param number the other operand
   */
  public XlaOp ge(long number) {
    return with(Direction.GE, number);
  }

  /**
   * {@return {@link #ge(XlaOp)} of this and a number, see {@link #scalarLike}}
   *
   * @param number the other operand
   */
  public XlaOp ge(double number) {
    return with(Direction.GE, number);
  }

  /**
   * {@return {@link #gt(XlaOp)} of this and a number, see {@link #scalarLike}}
   *
   * @param number the other operand
   */
  public XlaOp gt(long number) {
    return with(Direction.GT, number);
  }

  /**
   * {@return {@link #gt(XlaOp)} of this and a number, see {@link #scalarLike}}
   *
   * @param number the other operand
   */
  public XlaOp gt(double number) {
    return with(Direction.GT, number);
  }

  /**
   * {@return {@link #le(XlaOp)} of this and a number, see {@link #scalarLike}}
   *
   * @param number the other operand
   */
  public XlaOp le(long number) {
    return with(Direction.LE, number);
  }

  /**
   * {@return {@link #le(XlaOp)} of this and a number, see {@link #scalarLike}}
   *
   * @param number the other operand
   */
  public XlaOp le(double number) {
    return with(Direction.LE, number);
  }

  /**
   * {@return {@link #lt(XlaOp)} of this and a number, see {@link #scalarLike}}
   *
   * @param number the other operand
   */
  public XlaOp lt(long number) {
    return with(Direction.LT, number);
  }

  /**
   * {@return {@link #lt(XlaOp)} of this and a number, see {@link #scalarLike}}
   *
   * @param number the other operand
   */
  public XlaOp lt(double number) {
    return with(Direction.LT, number);
  }

  /**
   * Keeps each element between two numbers, see {@link #scalarLike}: {@code x.clamp(0, 6)}.
   *
   * @param min the lower bound
   * @param max the upper bound
   * @return the op, of this one's shape
   * @throws HloException if the element type does not take the numbers, or has no order
   */
  public XlaOp clamp(Number min, Number max) {
    XlaOp self = (XlaOp) this;
    return owner()
        .guarded(
            Collections.singletonList(self),
            () -> {
              Clamp op = new Clamp();
              op.infer(self.shape(), self.shape(), self.shape());
              Binary.named("clamp", () -> Numbers.scalar(self, max));
              XlaOp low = Binary.constant(op, self, min);
              return self.clampByXlaRules(low, Binary.constant(op, self, max));
            });
  }

  /**
   * Takes each element of an array where this holds, and a number elsewhere, see {@link
   * #scalarLike}: {@code x.ge(0).select(x, 0)}.
   *
   * @param onTrue an array of this one's sizes, or of any if this is a scalar
   * @param onFalse the number
   * @return the op, of the shape of onTrue
   * @throws HloException if this is not pred, shapes differ, or the element type does not take the
   *     number
   */
  public XlaOp select(XlaOp onTrue, Number onFalse) {
    XlaOp self = (XlaOp) this;
    return XlaBuilder.innermost(Arrays.asList(self, onTrue))
        .guarded(
            Arrays.asList(self, onTrue),
            () -> self.select(onTrue, Binary.filled(new Select(), self, onTrue, onFalse)));
  }

  /**
   * Takes a number where this holds, see {@link #scalarLike}, and each element of an array
   * elsewhere: {@code x.lt(0).select(0, x)}.
   *
   * @param onTrue the number
   * @param onFalse an array of this one's sizes, or of any if this is a scalar
   * @return the op, of the shape of onFalse
   * @throws HloException if this is not pred, shapes differ, or the element type does not take the
   *     number
   */
  public XlaOp select(Number onTrue, XlaOp onFalse) {
    XlaOp self = (XlaOp) this;
    return XlaBuilder.innermost(Arrays.asList(self, onFalse))
        .guarded(
            Arrays.asList(self, onFalse),
            () -> self.select(Binary.filled(new Select(), self, onFalse, onTrue), onFalse));
  }
}
