package org.hlo4j.buildertest;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.builder.broadcast.BroadcastPolicies.byName;
import static org.hlo4j.builder.broadcast.BroadcastPolicies.none;
import static org.hlo4j.buildertest.Refusals.assertRefused;
import static org.hlo4j.buildertest.Refusals.here;
import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.ElementType.PRED;
import static org.hlo4j.hlo.ElementType.S32;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.hlo4j.builder.DimensionName;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Constant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Java numbers as operands. */
final class NumberOperandsTest {
  private final XlaBuilder b = new XlaBuilder("test");

  private static Arguments row(String opcode, ElementType type, UnaryOperator<XlaOp> method) {
    return Arguments.of(opcode, type, method);
  }

  static Stream<Arguments> methods() {
    return Stream.of(
        row("add", F32, x -> x.add(2)),
        row("add", F32, x -> x.add(2.0)),
        row("add", F32, x -> x.plus(2f)),
        row("subtract", F32, x -> x.sub(2)),
        row("subtract", F32, x -> x.sub(2.0)),
        row("subtract", F32, x -> x.minus(2)),
        row("multiply", F32, x -> x.mul(2)),
        row("multiply", F32, x -> x.mul(2f)),
        row("multiply", F32, x -> x.times(2)),
        row("divide", F32, x -> x.div(2)),
        row("divide", F32, x -> x.div(2.0)),
        row("remainder", F32, x -> x.rem(2)),
        row("remainder", F32, x -> x.rem(2.0)),
        row("power", F32, x -> x.pow(2)),
        row("power", F32, x -> x.pow(2.0)),
        row("maximum", F32, x -> x.max(2)),
        row("maximum", F32, x -> x.max(2.0)),
        row("minimum", F32, x -> x.min(2)),
        row("minimum", F32, x -> x.min(2.0)),
        row("and", S32, x -> x.and(2)),
        row("or", S32, x -> x.or(2)),
        row("xor", S32, x -> x.xor(2)),
        row("shift-left", S32, x -> x.shiftLeft(2)),
        row("shift-right-arithmetic", S32, x -> x.shiftRightArithmetic(2)),
        row("shift-right-logical", S32, x -> x.shiftRightLogical(2)),
        row("compare EQ", F32, x -> x.eq(2)),
        row("compare EQ", F32, x -> x.eq(2.0)),
        row("compare NE", F32, x -> x.ne(2)),
        row("compare NE", F32, x -> x.ne(2.0)),
        row("compare GE", F32, x -> x.ge(2)),
        row("compare GE", F32, x -> x.ge(2.0)),
        row("compare GT", F32, x -> x.gt(2)),
        row("compare GT", F32, x -> x.gt(2.0)),
        row("compare LE", F32, x -> x.le(2)),
        row("compare LE", F32, x -> x.le(2.0)),
        row("compare LT", F32, x -> x.lt(2)),
        row("compare LT", F32, x -> x.lt(2.0)));
  }

  @ParameterizedTest
  @MethodSource("methods")
  void numberBecomesBroadcastConstant(
      String opcode, ElementType type, UnaryOperator<XlaOp> method) {
    XlaOp x = b.parameter(0, Shape.of(type, 2, 3), "x");
    String[] words = opcode.split(" ", 2);
    String direction = words.length == 1 ? "" : ", direction=" + words[1];
    Shape result = Shape.of(words.length == 1 ? type : PRED, 2, 3);
    assertThat(method.apply(x).shape()).isEqualTo(result);
    assertThat(Texts.built(b))
        .isEqualTo(
            """
            ENTRY test {
              x = TYPE[2,3] parameter(0)
              constant = TYPE[] constant(2)
              broadcast = TYPE[2,3] broadcast(constant), dimensions={}
              ROOT OPCODE = RESULT OPCODE(x, broadcast)DIRECTION
            }
            """
                .replace("TYPE", type.toString())
                .replace("OPCODE", words[0])
                .replace("RESULT", result.toString())
                .replace("DIRECTION", direction));
  }

  /** Conversion by scalarLike. An exclamation mark precedes what the error message expects. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          # element type | Java number | constant, or the refusal
          f32    | 0.1d                 | 0.1
          f64    | 0.1d                 | 0.1
          f64    | 0.1f                 | 0.10000000149011612
          bf16   | 0.044715d            | 0.04468
          bf16   | 257                  | 256
          f32    | 3.4028235677973366e38d | ! one that f32 can hold
          f32    | 3.4028235677973362e38d | 3.40282347e+38
          f32    | Infinityd            | inf
          f32    | NaNd                 | nan
          f8e4m3fn | 463d               | 448
          f8e4m3fn | 464d               | ! one that f8e4m3fn can hold
          f8e4m3fn | Infinityd          | ! one that f8e4m3fn can hold
          f4e2m1fn | 7                  | ! one that f4e2m1fn can hold
          f4e2m1fn | NaNd               | ! one that f4e2m1fn can hold
          f8e8m0fnu | -1                | ! one that f8e8m0fnu can hold
          c64    | 0.5d                 | (0.5, 0)
          c64    | 1e39d                | ! one that f32 can hold
          s32    | 3d                   | 3
          s32    | 2147483648           | ! a whole number from -2147483648 to 2147483647
          s64    | 9007199254740993     | 9007199254740993
          s64    | 9223372036854775808d | ! a whole number from -9223372036854775808 to 9223372036854775807
          u8     | 255                  | 255
          u8     | -1                   | ! a whole number from 0 to 255
          u64    | -1                   | ! a whole number from 0 to 18446744073709551615
          s4     | 8                    | ! a whole number from -8 to 7
          f32    | 1152921573326323713  | 1.15292164e+18
          f32    | 1152921573326323713n | 1.15292164e+18
          f32    | 1152921573326323713.0m | 1.15292164e+18
          bf16   | 1.00390625000000000000001m | 1.008
          f64    | 1e400m               | ! one that f64 can hold
          f64    | 1e-400m              | 0
          u64    | 9223372036854775808d | 9223372036854775808
          u64    | 18446744073709551615n | 18446744073709551615
          u64    | 18446744073709551616n | ! a whole number from 0 to 18446744073709551615
          s64    | 1.00000000000000000001m | ! a whole number from -9223372036854775808 to 9223372036854775807
          s64    | 5.000m               | 5
          pred   | 1                    | ! an op: pred takes no numbers
          """)
  void numbersAreConvertedOrRejected(String type, String text, String wanted) {
    ElementType elementType = ElementType.named(type).orElseThrow();
    XlaOp x = b.parameter(0, Shape.of(elementType, 2), "x");
    Number number = number(text);
    if (wanted.startsWith("! ")) {
      HloException refusal = assertThrows(HloException.class, () -> x.scalarLike(number));
      assertThat(refusal.summary())
          .isEqualTo(
              "scalarLike: number got "
                  + number
                  + " beside "
                  + type
                  + "[2], want "
                  + wanted.substring(2));
      assertThat(b.toString()).isEqualTo("XlaBuilder test, 1 op");
      return;
    }
    x.scalarLike(number);
    assertThat(Texts.built(b))
        .contains("ROOT constant = " + type + "[] constant(" + wanted + ")\n");
  }

  private static Number number(String text) {
    String digits = text.substring(0, text.length() - 1);
    return switch (text.charAt(text.length() - 1)) {
      case 'd' -> Double.valueOf(digits);
      case 'f' -> Float.valueOf(digits);
      case 'n' -> new BigInteger(digits);
      case 'm' -> new BigDecimal(digits);
      default -> Long.valueOf(text);
    };
  }

  @Test
  void errorsSuggestWhatFits() {
    int line = here();
    XlaOp x = b.parameter(0, Shape.of(S32, 2), "x");
    assertRefused(
        line,
        """
        multiply: number got 0.5 beside s32[2], want a whole number from -2147483648 to 2147483647
          x   s32[2]   parameter 0   NumberOperandsTest.java:+1
          fits: x.convertElementType(F32)
          at NumberOperandsTest.java:@\
        """,
        () -> x.mul(0.5));
    XlaOp y = b.parameter(1, Shape.of(F32, 2), "y");
    assertRefused(
        line,
        """
        and: element type of y got f32, want pred, signed integer, unsigned integer
          y   f32[2]   parameter 1   NumberOperandsTest.java:+11
          at NumberOperandsTest.java:@\
        """,
        () -> y.and(1));
    // No constant is left behind.
    assertThat(b.toString()).isEqualTo("XlaBuilder test, 2 ops");
  }

  @Test
  void clampAndSelect() {
    XlaOp x = b.parameter(0, Shape.of(F32, 3), "x");
    x.ge(0).select(x, 0).clamp(-1, 6.5).lt(2).select(1, x);
    assertThat(Texts.built(b))
        .isEqualTo(
            """
            ENTRY test {
              x = f32[3] parameter(0)
              constant = f32[] constant(0)
              broadcast = f32[3] broadcast(constant), dimensions={}
              compare = pred[3] compare(x, broadcast), direction=GE
              constant.1 = f32[] constant(0)
              broadcast.1 = f32[3] broadcast(constant.1), dimensions={}
              select = f32[3] select(compare, x, broadcast.1)
              constant.2 = f32[] constant(-1)
              constant.3 = f32[] constant(6.5)
              broadcast.2 = f32[3] broadcast(constant.2), dimensions={}
              broadcast.3 = f32[3] broadcast(constant.3), dimensions={}
              clamp = f32[3] clamp(broadcast.2, select, broadcast.3)
              constant.4 = f32[] constant(2)
              broadcast.4 = f32[3] broadcast(constant.4), dimensions={}
              compare.1 = pred[3] compare(clamp, broadcast.4), direction=LT
              constant.5 = f32[] constant(1)
              broadcast.5 = f32[3] broadcast(constant.5), dimensions={}
              ROOT select.1 = f32[3] select(compare.1, broadcast.5, x)
            }
            """);
  }

  @Test
  void numbersIgnoreDefaultPolicy() {
    XlaOp x = b.parameter(0, Shape.of(F32, 3), "x").named("feature");
    b.defaultBroadcast(none());
    XlaOp sum = x.add(1).clamp(0, 1);
    b.defaultBroadcast(byName());
    sum = sum.mul(2);
    assertThat(sum.dimensionNames().get(0).map(DimensionName::name))
        .isEqualTo(Optional.of("feature"));
    assertThat(sum.shape()).isEqualTo(Shape.of(F32, 3));
  }

  @Test
  void boundedSizes() {
    XlaOp x = b.parameter(0, Shape.of(F32, 3).withDynamic(Set.of(0)), "x");
    assertThat(x.add(1).shape().toString()).isEqualTo("f32[<=3]");
    HloInstruction added = x.add(1).instruction();
    assertThat(added.operands().get(1).operands().get(0).op()).isInstanceOf(Constant.class);
  }
}
