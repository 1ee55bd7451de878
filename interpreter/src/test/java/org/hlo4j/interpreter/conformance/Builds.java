package org.hlo4j.interpreter.conformance;

import static com.google.common.collect.ImmutableMap.toImmutableMap;
import static java.util.Map.entry;

import com.google.common.collect.ImmutableMap;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Elementwise.Kind;
import org.hlo4j.interpreter.agreement.Evaluators;
import org.hlo4j.testing.ElementwiseCase;

/** How a person writes each element-wise op: the one table from kind to method of the builder. */
final class Builds {
  private static final ImmutableMap<String, Kind> KINDS =
      Arrays.stream(Kind.values()).collect(toImmutableMap(Kind::mnemonic, Function.identity()));

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

  /** The result of a case's op on its arguments, built, verified and run. */
  static Literal evaluated(ElementwiseCase row) {
    XlaBuilder b = new XlaBuilder("row");
    List<XlaOp> operands = new ArrayList<>();
    for (Literal argument : row.arguments()) {
      operands.add(b.parameter(operands.size(), argument.shape(), "p" + operands.size()));
    }
    HloModule module = b.build(op(row, operands));
    Verifier.strict().verify(module);
    return Evaluators.both().run(module, row.arguments().toArray(Literal[]::new));
  }

  private static XlaOp op(ElementwiseCase row, List<XlaOp> in) {
    return switch (row.op()) {
      case "bitcast-convert" -> in.get(0).bitcastConvertType(row.xla().elementType());
      case "clamp" -> in.get(1).clamp(in.get(0), in.get(2));
      case "compare" ->
          in.get(0)
              .compare(
                  in.get(1),
                  Compare.Direction.valueOf(attribute(row, "direction").orElseThrow()),
                  attribute(row, "type").map(Compare.Type::valueOf),
                  Dims.of());
      case "convert" -> in.get(0).convertElementType(row.xla().elementType());
      case "reduce-precision" ->
          in.get(0)
              .reducePrecision(
                  attribute(row, "exponent_bits").map(Integer::valueOf).orElseThrow(),
                  attribute(row, "mantissa_bits").map(Integer::valueOf).orElseThrow());
      case "select" -> in.get(0).select(in.get(1), in.get(2));
      default ->
          Optional.ofNullable(KINDS.get(row.op()))
              .flatMap(kind -> elementwise(kind, in))
              .orElseThrow(() -> new AssertionError("no method for " + row.op()));
    };
  }

  private static Optional<String> attribute(ElementwiseCase row, String name) {
    return Optional.ofNullable(row.attributes().get(name));
  }
}
