package org.hlo4j.interpreter;

import static java.util.Map.entry;

import com.google.common.collect.ImmutableMap;
import java.util.List;
import java.util.Optional;
import java.util.function.BinaryOperator;
import java.util.function.UnaryOperator;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.op.Elementwise.Kind;

/** How a person writes each element-wise op: the one table from kind to method of the builder. */
final class Builds {
  private static final ImmutableMap<Kind, UnaryOperator<XlaOp>> UNARY =
      ImmutableMap.ofEntries(
          entry(Kind.ABS, XlaOp::abs),
          entry(Kind.ACOS, XlaOp::acos),
          entry(Kind.ACOSH, XlaOp::acosh),
          entry(Kind.ASIN, XlaOp::asin),
          entry(Kind.ASINH, XlaOp::asinh),
          entry(Kind.ATAN, XlaOp::atan),
          entry(Kind.ATANH, XlaOp::atanh),
          entry(Kind.CBRT, XlaOp::cbrt),
          entry(Kind.CEIL, XlaOp::ceil),
          entry(Kind.COSH, XlaOp::cosh),
          entry(Kind.COSINE, XlaOp::cos),
          entry(Kind.COUNT_LEADING_ZEROS, XlaOp::clz),
          entry(Kind.ERF, XlaOp::erf),
          entry(Kind.EXPONENTIAL, XlaOp::exp),
          entry(Kind.EXPONENTIAL_MINUS_ONE, XlaOp::expm1),
          entry(Kind.FLOOR, XlaOp::floor),
          entry(Kind.IMAG, XlaOp::imag),
          entry(Kind.IS_FINITE, XlaOp::isFinite),
          entry(Kind.LOG, XlaOp::log),
          entry(Kind.LOG_PLUS_ONE, XlaOp::log1p),
          entry(Kind.LOGISTIC, XlaOp::logistic),
          entry(Kind.NEGATE, XlaOp::neg),
          entry(Kind.NOT, XlaOp::not),
          entry(Kind.POPCNT, XlaOp::populationCount),
          entry(Kind.REAL, XlaOp::real),
          entry(Kind.ROUND_NEAREST_AFZ, XlaOp::round),
          entry(Kind.ROUND_NEAREST_EVEN, XlaOp::roundNearestEven),
          entry(Kind.RSQRT, XlaOp::rsqrt),
          entry(Kind.SIGN, XlaOp::sign),
          entry(Kind.SINE, XlaOp::sin),
          entry(Kind.SINH, XlaOp::sinh),
          entry(Kind.SQRT, XlaOp::sqrt),
          entry(Kind.TAN, XlaOp::tan),
          entry(Kind.TANH, XlaOp::tanh));

  private static final ImmutableMap<Kind, BinaryOperator<XlaOp>> BINARY =
      ImmutableMap.ofEntries(
          entry(Kind.ADD, XlaOp::add),
          entry(Kind.AND, XlaOp::and),
          entry(Kind.ATAN2, XlaOp::atan2),
          entry(Kind.DIVIDE, XlaOp::div),
          entry(Kind.MAKE_COMPLEX, XlaOp::complex),
          entry(Kind.MAXIMUM, XlaOp::max),
          entry(Kind.MINIMUM, XlaOp::min),
          entry(Kind.MULHI, XlaOp::mulhi),
          entry(Kind.MULTIPLY, XlaOp::mul),
          entry(Kind.OR, XlaOp::or),
          entry(Kind.POWER, XlaOp::pow),
          entry(Kind.REMAINDER, XlaOp::rem),
          entry(Kind.SHIFT_LEFT, XlaOp::shiftLeft),
          entry(Kind.SHIFT_RIGHT_ARITHMETIC, XlaOp::shiftRightArithmetic),
          entry(Kind.SHIFT_RIGHT_LOGICAL, XlaOp::shiftRightLogical),
          entry(Kind.SUBTRACT, XlaOp::sub),
          entry(Kind.XOR, XlaOp::xor));

  private Builds() {}

  /** The op made by the method for its kind; empty if the table has none. */
  static Optional<XlaOp> elementwise(Kind kind, List<XlaOp> operands) {
    return kind.arity() == 1
        ? Optional.ofNullable(UNARY.get(kind)).map(method -> method.apply(operands.get(0)))
        : Optional.ofNullable(BINARY.get(kind))
            .map(method -> method.apply(operands.get(0), operands.get(1)));
  }
}
