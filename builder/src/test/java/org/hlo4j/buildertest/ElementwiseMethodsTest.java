package org.hlo4j.buildertest;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.builder.XlaOp.broadcastDimensions;
import static org.hlo4j.hlo.ElementType.C64;
import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.ElementType.S32;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.util.function.BinaryOperator;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.Verifier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Each elementwise method of {@code XlaOp} builds the instruction of its mnemonic. */
final class ElementwiseMethodsTest {
  /** A binary method with explicit broadcast_dimensions. */
  @FunctionalInterface
  private interface InDim {
    XlaOp apply(XlaOp lhs, XlaOp rhs, Dims broadcastDimensions);
  }

  private static Arguments unary(String mnemonic, UnaryOperator<XlaOp> method) {
    return arguments(mnemonic, F32, method);
  }

  private static Arguments unary(String mnemonic, ElementType type, UnaryOperator<XlaOp> method) {
    return arguments(mnemonic, type, method);
  }

  static Stream<Arguments> unaryMethods() {
    return Stream.of(
        unary("abs", XlaOp::abs),
        unary("acos", XlaOp::acos),
        unary("acosh", XlaOp::acosh),
        unary("asin", XlaOp::asin),
        unary("asinh", XlaOp::asinh),
        unary("atan", XlaOp::atan),
        unary("atanh", XlaOp::atanh),
        unary("cbrt", XlaOp::cbrt),
        unary("ceil", XlaOp::ceil),
        unary("count-leading-zeros", S32, XlaOp::clz),
        unary("cosine", XlaOp::cos),
        unary("cosh", XlaOp::cosh),
        unary("erf", XlaOp::erf),
        unary("exponential", XlaOp::exp),
        unary("exponential-minus-one", XlaOp::expm1),
        unary("floor", XlaOp::floor),
        unary("imag", C64, XlaOp::imag),
        unary("is-finite", XlaOp::isFinite),
        unary("log", XlaOp::log),
        unary("log-plus-one", XlaOp::log1p),
        unary("logistic", XlaOp::logistic),
        unary("negate", XlaOp::neg),
        unary("not", S32, XlaOp::not),
        unary("popcnt", S32, XlaOp::populationCount),
        unary("real", C64, XlaOp::real),
        unary("round-nearest-afz", XlaOp::round),
        unary("round-nearest-even", XlaOp::roundNearestEven),
        unary("rsqrt", XlaOp::rsqrt),
        unary("sign", XlaOp::sign),
        unary("sine", XlaOp::sin),
        unary("sinh", XlaOp::sinh),
        unary("sqrt", XlaOp::sqrt),
        unary("tan", XlaOp::tan),
        unary("tanh", XlaOp::tanh),
        unary("copy", XlaOp::copy));
  }

  @ParameterizedTest
  @MethodSource("unaryMethods")
  void unaryMethodsBuildTheirInstruction(
      String mnemonic, ElementType type, UnaryOperator<XlaOp> method) {
    XlaBuilder b = new XlaBuilder("test");
    XlaOp x = b.parameter(0, Shape.of(type, 2), "x");
    XlaOp result = method.apply(x);
    assertThat(result.name()).isEqualTo(mnemonic);
    assertThat(result.instruction().op().opcode()).isEqualTo(mnemonic);
    assertThat(result.instruction().operands()).containsExactly(x.instruction());
    Verifier.strict().verify(b.build());
  }

  private static Arguments binary(
      String mnemonic, ElementType type, BinaryOperator<XlaOp> method, InDim inDim) {
    return arguments(mnemonic, type, method, inDim);
  }

  static Stream<Arguments> binaryMethods() {
    return Stream.of(
        binary("add", F32, XlaOp::add, XlaOp::add),
        binary("and", S32, XlaOp::and, XlaOp::and),
        binary("atan2", F32, XlaOp::atan2, XlaOp::atan2),
        binary("complex", F32, XlaOp::complex, XlaOp::complex),
        binary("divide", F32, XlaOp::div, XlaOp::div),
        binary("maximum", F32, XlaOp::max, XlaOp::max),
        binary("minimum", F32, XlaOp::min, XlaOp::min),
        binary("multiply", F32, XlaOp::mul, XlaOp::mul),
        binary("mulhi", S32, XlaOp::mulhi, XlaOp::mulhi),
        binary("or", S32, XlaOp::or, XlaOp::or),
        binary("power", F32, XlaOp::pow, XlaOp::pow),
        binary("remainder", F32, XlaOp::rem, XlaOp::rem),
        binary("shift-left", S32, XlaOp::shiftLeft, XlaOp::shiftLeft),
        binary(
            "shift-right-arithmetic",
            S32,
            XlaOp::shiftRightArithmetic,
            XlaOp::shiftRightArithmetic),
        binary("shift-right-logical", S32, XlaOp::shiftRightLogical, XlaOp::shiftRightLogical),
        binary("subtract", F32, XlaOp::sub, XlaOp::sub),
        binary("xor", S32, XlaOp::xor, XlaOp::xor));
  }

  @ParameterizedTest
  @MethodSource("binaryMethods")
  void binaryMethodsBuildTheirInstruction(
      String mnemonic, ElementType type, BinaryOperator<XlaOp> method, InDim inDim) {
    XlaBuilder b = new XlaBuilder("test");
    XlaOp x = b.parameter(0, Shape.of(type, 2, 3), "x");
    XlaOp y = b.parameter(1, Shape.of(type, 2, 3), "y");
    XlaOp v = b.parameter(2, Shape.of(type, 3), "v");

    XlaOp plain = method.apply(x, y);
    assertThat(plain.instruction().op().opcode()).isEqualTo(mnemonic);
    assertThat(plain.instruction().operands())
        .containsExactly(x.instruction(), y.instruction())
        .inOrder();

    XlaOp placed = inDim.apply(x, v, broadcastDimensions(1));
    assertThat(placed.instruction().op().opcode()).isEqualTo(mnemonic);
    assertThat(placed.instruction().operands().get(0)).isSameInstanceAs(x.instruction());
    assertThat(placed.instruction().operands().get(1).toString())
        .isEqualTo("%broadcast = " + y.shape() + " broadcast(%v)");
    Verifier.strict().verify(b.build());
  }

  private static Arguments compare(String direction, BinaryOperator<XlaOp> method, InDim inDim) {
    return arguments(direction, method, inDim);
  }

  static Stream<Arguments> compareMethods() {
    return Stream.of(
        compare("EQ", XlaOp::eq, XlaOp::eq),
        compare("NE", XlaOp::ne, XlaOp::ne),
        compare("GE", XlaOp::ge, XlaOp::ge),
        compare("GT", XlaOp::gt, XlaOp::gt),
        compare("LE", XlaOp::le, XlaOp::le),
        compare("LT", XlaOp::lt, XlaOp::lt),
        compare("EQ, type=TOTALORDER", XlaOp::eqTotalOrder, XlaOp::eqTotalOrder),
        compare("NE, type=TOTALORDER", XlaOp::neTotalOrder, XlaOp::neTotalOrder),
        compare("GE, type=TOTALORDER", XlaOp::geTotalOrder, XlaOp::geTotalOrder),
        compare("GT, type=TOTALORDER", XlaOp::gtTotalOrder, XlaOp::gtTotalOrder),
        compare("LE, type=TOTALORDER", XlaOp::leTotalOrder, XlaOp::leTotalOrder),
        compare("LT, type=TOTALORDER", XlaOp::ltTotalOrder, XlaOp::ltTotalOrder));
  }

  @ParameterizedTest
  @MethodSource("compareMethods")
  void compareMethodsBuildTheirInstruction(
      String direction, BinaryOperator<XlaOp> method, InDim inDim) {
    XlaBuilder b = new XlaBuilder("test");
    XlaOp x = b.parameter(0, Shape.of(F32, 2, 3), "x");
    XlaOp v = b.parameter(1, Shape.of(F32, 3), "v");
    XlaOp plain = method.apply(x, x);
    XlaOp placed = inDim.apply(x, v, broadcastDimensions(1));
    assertThat(plain.shape()).isEqualTo(placed.shape());
    assertThat(Texts.built(b))
        .isEqualTo(
            """
            ENTRY test {
              x = f32[2,3] parameter(0)
              v = f32[3] parameter(1)
              compare = pred[2,3] compare(x, x), direction=DIRECTION
              broadcast = f32[2,3] broadcast(v), dimensions={1}
              ROOT compare.1 = pred[2,3] compare(x, broadcast), direction=DIRECTION
            }
            """
                .replace("DIRECTION", direction));
  }

  /** Types other than floats have only one order, which is total. */
  @Test
  void totalOrderIsDefaultForIntegers() {
    XlaBuilder b = new XlaBuilder("test");
    XlaOp x = b.parameter(0, Shape.of(S32), "x");
    x.ltTotalOrder(x);
    assertThat(Texts.built(b))
        .isEqualTo(
            """
            ENTRY test {
              x = s32[] parameter(0)
              ROOT compare = pred[] compare(x, x), direction=LT
            }
            """);
  }

  @Test
  void conjugateNegatesImaginaryPart() {
    XlaBuilder b = new XlaBuilder("test");
    b.parameter(0, Shape.of(C64, 2), "z").conj();
    assertThat(Texts.built(b))
        .isEqualTo(
            """
            ENTRY test {
              z = c64[2] parameter(0)
              real = f32[2] real(z)
              imag = f32[2] imag(z)
              negate = f32[2] negate(imag)
              ROOT complex = c64[2] complex(real, negate)
            }
            """);
  }
}
