package org.hlo4j.buildertest;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.ElementType.S32;
import static org.hlo4j.hlo.ElementType.U8;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/**
 * Complete messages of other builder errors. Line numbers of this file are shown as {@code LINE}.
 */
final class RefusalsTest {
  private final XlaBuilder b = new XlaBuilder("t");
  private final XlaOp x = b.parameter(0, Shape.of(F32, 2, 3), "x");

  private static void refused(Executable call, String message) {
    HloException refusal = assertThrows(HloException.class, call);
    String told = refusal.getMessage().replaceAll("RefusalsTest.java:\\d+", "LINE");
    assertThat(told + "\n").isEqualTo(message);
  }

  @Test
  void operandFromAnotherBuilder() {
    XlaOp y = new XlaBuilder("other").parameter(0, Shape.of(F32, 2, 3), "y");
    refused(
        () -> x.add(y),
        """
        y got from builder other, want an op of builder t
          x   f32[2,3]   parameter 0   LINE
          y   f32[2,3]   parameter 0   LINE
          at LINE
        """);
  }

  @Test
  void closedBuilder() {
    HloModule module = b.build();
    assertThat(module.name()).isEqualTo("t");
    refused(
        () -> x.neg(),
        """
        builder t is closed: it was built at LINE, want a new XlaBuilder
          x   f32[2,3]   parameter 0   LINE
          at LINE
        """);
  }

  @Test
  void regionUsesValueOfCaller() {
    XlaOp zero = b.constant(0f);
    XlaOp least = zero.exp();
    refused(
        () -> x.reduce(zero, (a, e) -> a.add(least), 1),
        """
        exponential got from builder t, want an op of builder region: a computation sees its parameters and scalar constants only, make it an operand, or apply it to operands before and to the result after
          p0            f32[]   parameter 0   LINE
          exponential   f32[]   exponential   LINE
          at LINE
        """);
  }

  @Test
  void nullOperand() {
    refused(
        () -> x.add(null),
        """
        operand is null, want an op of builder t
          x   f32[2,3]   parameter 0   LINE
          at LINE
        """);
  }

  @Test
  void nullArguments() {
    refused(() -> b.parameter(1, null, "p"), "parameter: shape is null\n  at LINE\n");
    refused(() -> b.parameter(1, Shape.of(F32), null), "parameter: name is null\n  at LINE\n");
    refused(
        () -> b.constant((Object) null),
        "literal: the value is null, want a number or an array\n  at LINE\n");
    refused(
        () -> x.add(x, Refusals.nullOf(Dims.class)),
        """
        add: broadcast_dimensions are null, want a tuple
          x   f32[2,3]   parameter 0   LINE
          at LINE
        """);
    assertThat(assertThrows(HloException.class, () -> new XlaBuilder(null)))
        .hasMessageThat()
        .isEqualTo("XlaBuilder: name is null, want the name of the module");
  }

  @Test
  void parameterNumbers() {
    refused(
        () -> b.parameter(0, Shape.of(F32), "again"),
        "parameter: number 0 got taken by x, want another\n  at LINE\n");
    refused(
        () -> b.parameter(-1, Shape.of(F32), "p"),
        "parameter: number got -1, want at least 0\n  at LINE\n");
    b.parameter(3, Shape.of(F32), "fourth");
    refused(() -> b.build(), "build: parameter numbers got [0, 3], want 1 as well\n  at LINE\n");
  }

  @Test
  void emptyBuilder() {
    refused(
        () -> new XlaBuilder("empty").build(),
        "build: empty got no ops, want one at least\n  at LINE\n");
  }

  @Test
  void reducerSignatureMismatch() {
    XlaOp zero = b.constant(0f);
    refused(
        () -> x.reduce(zero, (a, e) -> a.gt(e), 1),
        """
        reduce: result of to_apply got pred[], want f32[] [reduce C6]
          x          f32[2,3]   parameter 0   LINE
          constant   f32[]      constant      LINE
          fits: max or min as the result, or a select by the comparison
          at LINE
        """);
    refused(
        () -> x.reduce(b.constant(0), XlaOp::add, 1),
        """
        reduce: init_value 0 got s32[], want f32[] as the elements of input 0 [reduce C2]
          x            f32[2,3]   parameter 0   LINE
          constant.1   s32[]      constant      LINE
          fits: constant(0f) or another constant of its type, or convertElementType(F32) of init_value 0
          at LINE
        """);
  }

  @Test
  void callSignatureMismatch() {
    XlaBuilder other = new XlaBuilder("square");
    XlaOp p = other.parameter(0, Shape.of(S32), "p");
    var square = other.buildComputation(p.mul(p));
    refused(
        () -> b.call(square, x),
        """
        call: parameter 0 of to_apply got s32[], want f32[2,3]
          x   f32[2,3]   parameter 0   LINE
          at LINE
        """);
    refused(
        () -> b.call(square),
        "call: parameter count of to_apply got 1, want 0: (s32[]) -> s32[]\n  at LINE\n");
  }

  @Test
  void invalidConstants() {
    refused(
        () -> b.constant(new float[][] {{1, 2}, {3}}),
        "literal: ragged array, got 1 elements at depth 1 where the first has 2\n  at LINE\n");
    refused(
        () -> b.constant(U8, new int[] {256}),
        "literal: got 256 for u8, want a value from 0 to 255\n  at LINE\n");
    refused(
        () -> b.constant("text"),
        "literal: got elements of java.lang.String, want boolean, byte, short, int, long, float or"
            + " double\n  at LINE\n");
  }

  @Test
  void invalidShapeOps() {
    refused(
        () -> x.reshape(4, 2),
        """
        reshape: element count got 8 for f32[4,2], want 6 as in f32[2,3] [reshape C2]
          x   f32[2,3]   parameter 0   LINE
          at LINE
        """);
    refused(
        () -> x.transpose(0, 0),
        """
        transpose: dimensions got (0, 0), want a permutation of the 2 dimensions of f32[2,3] [transpose C2]
          x   f32[2,3]   parameter 0   LINE
          at LINE
        """);
    refused(
        () -> x.collapse(1, 0),
        """
        collapse: dimensions got (1, 0), want consecutive dimensions of f32[2,3]
          x   f32[2,3]   parameter 0   LINE
          at LINE
        """);
    refused(
        () -> x.broadcast(-1),
        """
        broadcast: shape: size of dimension 0 got -1, want at least 0
          x   f32[2,3]   parameter 0   LINE
          at LINE
        """);
    refused(
        () -> x.broadcast(Long.MAX_VALUE),
        """
        broadcast: shape: the element count of f32(9223372036854775807, 2, 3) got above 2^63 - 1, want at most that
          x   f32[2,3]   parameter 0   LINE
          at LINE
        """);
    refused(
        () -> x.getTupleElement(0),
        """
        get-tuple-element: operand got f32[2,3], want a tuple
          x   f32[2,3]   parameter 0   LINE
          at LINE
        """);
    refused(
        () -> b.tuple(List.of(x)).getTupleElement(1),
        """
        get-tuple-element: index got 1, want below 1, the size of (f32[2,3]) [get_tuple_element C1]
          tuple   (f32[2,3])   tuple   LINE
          at LINE
        """);
    refused(
        () -> x.dot(x),
        """
        dot: contracting dimension 1 of lhs f32[2,3] has size 3, dimension 0 of rhs f32[2,3] has size 2, want equal [dot_general C10]
          x   f32[2,3]   parameter 0   LINE
          fits: x.dot(x.transpose(1, 0)) or x.transpose(1, 0).dot(x)
          at LINE
        """);
  }
}
