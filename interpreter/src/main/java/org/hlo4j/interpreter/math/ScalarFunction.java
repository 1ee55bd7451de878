package org.hlo4j.interpreter.math;

import java.util.function.BinaryOperator;
import java.util.function.DoubleBinaryOperator;
import java.util.function.DoubleUnaryOperator;
import java.util.function.LongBinaryOperator;
import java.util.function.UnaryOperator;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.op.Elementwise;

/**
 * A scalar function of an element-wise op, with one implementation for each kind of element type
 * that the op accepts. Unary functions ignore their second argument.
 */
public final class ScalarFunction {
  /** A function of integers that may depend on their width. */
  private interface IntegerFunction {
    long apply(ElementType type, long lhs, long rhs);
  }

  private final Elementwise.Kind kind;
  private LongBinaryOperator pred = (a, b) -> undefined();
  private IntegerFunction signed = (t, a, b) -> undefined();
  private IntegerFunction unsigned = (t, a, b) -> undefined();
  private DoubleBinaryOperator floats = (a, b) -> undefined();
  private BinaryOperator<Complex> complexes = (a, b) -> new Complex(undefined(), 0);
  private LongBinaryOperator sign = (bits, signBit) -> undefined();
  private boolean changesOnlySignBit;

  private ScalarFunction(Elementwise.Kind kind) {
    this.kind = kind;
  }

  private long undefined() {
    throw new AssertionError(kind + " on a type it does not accept");
  }

  /** Returns the function of an element-wise op. */
  public static ScalarFunction of(Elementwise.Kind kind) {
    ScalarFunction f = new ScalarFunction(kind);
    return switch (kind) {
      case ABS ->
          f.signed((t, a, b) -> Math.abs(a))
              .onSignBit((bits, signBit) -> bits & ~signBit)
              .floats(Math::abs)
              .complexes(a -> new Complex(a.abs(), 0));
      case ACOS -> f.floats(StrictMath::acos).complexes(ComplexMath::acos);
      case ACOSH -> f.floats(RealMath::acosh).complexes(ComplexMath::acosh);
      case ADD ->
          f.pred((a, b) -> a | b)
              .integers((t, a, b) -> a + b)
              .floats(Double::sum)
              .complexes(Complex::plus);
      case AND -> f.pred((a, b) -> a & b).integers((t, a, b) -> a & b);
      case ASIN -> f.floats(StrictMath::asin).complexes(ComplexMath::asin);
      case ASINH -> f.floats(RealMath::asinh).complexes(ComplexMath::asinh);
      case ATAN -> f.floats(StrictMath::atan).complexes(ComplexMath::atan);
      case ATAN2 -> f.floats(StrictMath::atan2).complexes(ComplexMath::atan2);
      case ATANH -> f.floats(RealMath::atanh).complexes(ComplexMath::atanh);
      case CBRT -> f.floats(StrictMath::cbrt).complexes(ComplexMath::cbrt);
      case CEIL -> f.floats(Math::ceil);
      case COSINE -> f.floats(StrictMath::cos).complexes(ComplexMath::cos);
      case COSH -> f.floats(RealMath::cosh).complexes(ComplexMath::cosh);
      case COUNT_LEADING_ZEROS -> f.integers((t, a, b) -> Integers.countLeadingZeros(t, a));
      case DIVIDE ->
          f.signed((t, a, b) -> Integers.divide(a, b))
              .unsigned((t, a, b) -> Integers.divideUnsigned(a, b))
              .floats((a, b) -> a / b)
              .complexes(Complex::dividedBy);
      case ERF -> f.floats(RealMath::erf);
      case EXPONENTIAL -> f.floats(StrictMath::exp).complexes(ComplexMath::exp);
      case EXPONENTIAL_MINUS_ONE -> f.floats(StrictMath::expm1).complexes(ComplexMath::expm1);
      case FLOOR -> f.floats(Math::floor);
      case IMAG -> f.floats(a -> 0).complexes(a -> new Complex(a.im(), 0));
      case IS_FINITE -> f.floats(a -> Double.isFinite(a) ? 1 : 0);
      case LOG -> f.floats(StrictMath::log).complexes(ComplexMath::log);
      case LOG_PLUS_ONE -> f.floats(StrictMath::log1p).complexes(ComplexMath::log1p);
      case LOGISTIC -> f.floats(RealMath::logistic).complexes(ComplexMath::logistic);
      case MAKE_COMPLEX -> f.complexes((a, b) -> new Complex(a.re(), b.re()));
      case MAXIMUM ->
          f.pred((a, b) -> a | b)
              .signed((t, a, b) -> Math.max(a, b))
              .unsigned((t, a, b) -> Long.compareUnsigned(a, b) > 0 ? a : b)
              .floats(Math::max)
              .complexes((a, b) -> Complex.order(a, b) == 1 ? a : b);
      case MINIMUM ->
          f.pred((a, b) -> a & b)
              .signed((t, a, b) -> Math.min(a, b))
              .unsigned((t, a, b) -> Long.compareUnsigned(a, b) < 0 ? a : b)
              .floats(Math::min)
              .complexes((a, b) -> Complex.order(a, b) == -1 ? a : b);
      case MULHI -> f.signed(Integers::multiplyHigh).unsigned(Integers::multiplyHighUnsigned);
      case MULTIPLY ->
          f.pred((a, b) -> a & b)
              .integers((t, a, b) -> a * b)
              .floats((a, b) -> a * b)
              .complexes(Complex::times);
      case NEGATE ->
          f.integers((t, a, b) -> -a)
              .onSignBit((bits, signBit) -> bits ^ signBit)
              .floats(a -> -a)
              .complexes(Complex::negate);
      case NOT -> f.pred((a, b) -> 1 - a).integers((t, a, b) -> ~a);
      case OR -> f.pred((a, b) -> a | b).integers((t, a, b) -> a | b);
      case POPCNT -> f.integers((t, a, b) -> Long.bitCount(a << (64 - t.bits())));
      case POWER ->
          f.signed((t, a, b) -> Integers.power(a, b))
              .unsigned((t, a, b) -> Integers.powerUnsigned(a, b))
              .floats(RealMath::pow)
              .complexes(ComplexMath::pow);
      case REAL -> f.floats(a -> a).complexes(a -> new Complex(a.re(), 0));
      case REMAINDER ->
          f.signed((t, a, b) -> Integers.remainder(a, b))
              .unsigned((t, a, b) -> b == 0 ? a : Long.remainderUnsigned(a, b))
              .floats((a, b) -> a % b);
      case ROUND_NEAREST_AFZ -> f.floats(RealMath::roundNearestAfz);
      case ROUND_NEAREST_EVEN -> f.floats(Math::rint);
      case RSQRT -> f.floats(RealMath::rsqrt).complexes(ComplexMath::rsqrt);
      case SHIFT_LEFT -> f.integers(Integers::shiftLeft);
      case SHIFT_RIGHT_ARITHMETIC -> f.integers(Integers::shiftRightArithmetic);
      case SHIFT_RIGHT_LOGICAL -> f.integers(Integers::shiftRightLogical);
      case SIGN ->
          f.signed((t, a, b) -> Long.signum(a)).floats(Math::signum).complexes(ComplexMath::sign);
      case SINE -> f.floats(StrictMath::sin).complexes(ComplexMath::sin);
      case SINH -> f.floats(RealMath::sinh).complexes(ComplexMath::sinh);
      case SQRT -> f.floats(Math::sqrt).complexes(ComplexMath::sqrt);
      case SUBTRACT ->
          f.integers((t, a, b) -> a - b).floats((a, b) -> a - b).complexes(Complex::minus);
      case TAN -> f.floats(StrictMath::tan).complexes(ComplexMath::tan);
      case TANH -> f.floats(RealMath::tanh).complexes(ComplexMath::tanh);
      case XOR -> f.pred((a, b) -> a ^ b).integers((t, a, b) -> a ^ b);
    };
  }

  private ScalarFunction pred(LongBinaryOperator function) {
    pred = function;
    return this;
  }

  private ScalarFunction signed(IntegerFunction function) {
    signed = function;
    return this;
  }

  private ScalarFunction unsigned(IntegerFunction function) {
    unsigned = function;
    return this;
  }

  private ScalarFunction integers(IntegerFunction function) {
    return signed(function).unsigned(function);
  }

  private ScalarFunction floats(DoubleUnaryOperator function) {
    return floats((a, b) -> function.applyAsDouble(a));
  }

  private ScalarFunction floats(DoubleBinaryOperator function) {
    floats = function;
    return this;
  }

  private ScalarFunction complexes(UnaryOperator<Complex> function) {
    return complexes((a, b) -> function.apply(a));
  }

  private ScalarFunction complexes(BinaryOperator<Complex> function) {
    complexes = function;
    return this;
  }

  /**
   * Sets the function for types with a sign bit. It changes only that bit, so that a NaN keeps its
   * payload.
   */
  private ScalarFunction onSignBit(LongBinaryOperator function) {
    sign = function;
    changesOnlySignBit = true;
    return this;
  }

  public long onPred(long lhs, long rhs) {
    return pred.applyAsLong(lhs, rhs);
  }

  public long onSigned(ElementType type, long lhs, long rhs) {
    return signed.apply(type, lhs, rhs);
  }

  public long onUnsigned(ElementType type, long lhs, long rhs) {
    return unsigned.apply(type, lhs, rhs);
  }

  public double onFloat(double lhs, double rhs) {
    return floats.applyAsDouble(lhs, rhs);
  }

  public Complex onComplex(Complex lhs, Complex rhs) {
    return complexes.apply(lhs, rhs);
  }

  public boolean changesOnlySignBit() {
    return changesOnlySignBit;
  }

  public long applyToSignBit(long bits, long signBit) {
    return sign.applyAsLong(bits, signBit);
  }
}
