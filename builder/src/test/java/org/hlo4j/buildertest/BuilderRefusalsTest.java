package org.hlo4j.buildertest;

import static com.google.common.truth.Truth.assertThat;
import static com.google.common.truth.Truth.assertWithMessage;
import static org.hlo4j.builder.XlaOp.broadcastDimensions;
import static org.hlo4j.buildertest.Refusals.assertRefused;
import static org.hlo4j.buildertest.Refusals.here;
import static org.hlo4j.buildertest.Refusals.nullOf;
import static org.hlo4j.hlo.ElementType.C64;
import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.ElementType.PRED;
import static org.hlo4j.hlo.ElementType.S32;
import static org.hlo4j.hlo.ElementType.S8;
import static org.hlo4j.hlo.op.Compare.Direction.LT;
import static org.hlo4j.hlo.op.Compare.Type.TOTALORDER;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.ImmutableSortedSet;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.hlo4j.builder.ComputationBody;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Fact;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.op.Dot;
import org.hlo4j.hlo.op.PadConfig;
import org.hlo4j.hlo.op.Window;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Invalid calls fail immediately, with an error that names the operands and source lines. */
final class BuilderRefusalsTest {
  private final XlaBuilder b = new XlaBuilder("test");

  private static Shape.Array unbounded(long... sizes) {
    ImmutableSortedSet.Builder<Integer> dynamic = ImmutableSortedSet.naturalOrder();
    for (int i = 0; i < sizes.length; i++) {
      if (sizes[i] == Shape.UNBOUNDED) {
        dynamic.add(i);
      }
    }
    return new Shape.Array(F32, Dims.of(sizes), dynamic.build(), Optional.empty());
  }

  @Test
  void operandsFromAnotherBuilder() {
    int line = here();
    XlaOp x = b.parameter(0, Shape.of(F32, 2), "x");
    XlaOp y = new XlaBuilder("other").parameter(0, Shape.of(F32, 2), "y");
    assertRefused(
        line,
        """
        y got from builder other, want an op of builder test
          x   f32[2]   parameter 0   BuilderRefusalsTest.java:+1
          y   f32[2]   parameter 0   BuilderRefusalsTest.java:+2
          at BuilderRefusalsTest.java:@\
        """,
        () -> x.add(y));
  }

  /** They are named as XLA names them, by ops and by methods that take a lambda. */
  @Test
  void namesOfNullOperands() {
    XlaOp x = b.parameter(0, Shape.of(F32, 2), "x");
    XlaOp i = b.constant(0);
    XlaOp none = nullOf(XlaOp.class);
    ImmutableListMultimap.Builder<String, Runnable> calls = ImmutableListMultimap.builder();
    calls.put("init_value", () -> x.reduce(none, XlaOp::add, 0));
    calls.put("init_value", () -> x.reduceAll(none, XlaOp::add));
    calls.put("init_value", () -> x.reduceWindow(none, XlaOp::add, Window.of(2)));
    calls.put("padding_value", () -> x.pad(none, PadConfig.none(1)));
    calls.put("update", () -> x.dynamicUpdateSlice(none, i));
    calls.put("start_indices", () -> x.dynamicUpdateSlice(x, none));
    calls.put("start_indices", () -> x.dynamicSlice(Collections.singletonList(none), 1));
    calls.put("on_true", () -> x.gt(x).select(none, x));
    calls.put("on_false", () -> x.gt(x).select(x, none));
    calls.put("min", () -> x.clamp(none, x));
    calls.put("max", () -> x.clamp(x, none));
    calls.put("init", () -> b.whileLoop(none, s -> s.gt(s), s -> s));
    calls
        .build()
        .forEach((name, call) ->
            assertWithMessage(name)
                .that(assertThrows(HloException.class, call::run))
                .hasMessageThat()
                .startsWith(name + " is null, want an op of builder test\n"));
  }

  @Test
  void nullOperands() {
    int line = here();
    XlaOp x = b.parameter(0, Shape.of(F32, 2), "x");
    assertRefused(
        line,
        """
        operand is null, want an op of builder test
          x   f32[2]   parameter 0   BuilderRefusalsTest.java:+1
          at BuilderRefusalsTest.java:@\
        """,
        () -> x.add(nullOf(XlaOp.class)));
    assertRefused(
        line,
        """
        operand is null, want an op of builder test
          at BuilderRefusalsTest.java:@\
        """,
        () -> b.tuple(nullOf(XlaOp.class)));
    assertRefused(
        line,
        """
        operand is null, want an op of builder test
          at BuilderRefusalsTest.java:@\
        """,
        () -> b.build(nullOf(XlaOp.class)));
  }

  @Test
  void nullAttributes() {
    int line = here();
    XlaOp x = b.parameter(0, Shape.of(F32, 2), "x");
    assertRefused(
        line,
        """
        add: broadcast_dimensions are null, want a tuple
          x   f32[2]   parameter 0   BuilderRefusalsTest.java:+1
          at BuilderRefusalsTest.java:@\
        """,
        () -> x.add(x, nullOf(Dims.class)));
    assertRefused(
        line,
        """
        parameter: shape is null
          at BuilderRefusalsTest.java:@\
        """,
        () -> b.parameter(1, nullOf(Shape.class), "y"));
    assertRefused(
        line,
        """
        parameter: name is null
          at BuilderRefusalsTest.java:@\
        """,
        () -> b.parameter(1, Shape.of(F32), nullOf(String.class)));
    assertRefused(
        line,
        """
        constant: literal is null
          at BuilderRefusalsTest.java:@\
        """,
        () -> b.constant(nullOf(Literal.class)));
    assertRefused(
        line,
        """
        call: computation is null
          x   f32[2]   parameter 0   BuilderRefusalsTest.java:+1
          at BuilderRefusalsTest.java:@\
        """,
        () -> b.call(nullOf(HloComputation.class), x));
    assertRefused(
        line,
        """
        computation: body is null
          at BuilderRefusalsTest.java:@\
        """,
        () -> b.computation("c", List.of(), nullOf(ComputationBody.class)));
    assertRefused(
        line,
        "XlaBuilder: name is null, want the name of the module",
        () -> new XlaBuilder(nullOf(String.class)));
  }

  @Test
  void elementTypeMismatches() {
    int line = here();
    XlaOp x = b.parameter(0, Shape.of(F32, 2), "x");
    XlaOp i = b.parameter(1, Shape.of(S32, 2), "i");
    XlaOp p = b.parameter(2, Shape.of(PRED, 2), "p");
    assertRefused(
        line,
        """
        subtract: element type of p got pred, want signed integer, unsigned integer, float, complex
          p   pred[2]   parameter 2   BuilderRefusalsTest.java:+3
          at BuilderRefusalsTest.java:@\
        """,
        () -> p.sub(p));
    assertRefused(
        line,
        """
        exponential: element type of operand got s32, want float, complex
          i   s32[2]   parameter 1   BuilderRefusalsTest.java:+2
          at BuilderRefusalsTest.java:@\
        """,
        () -> i.exp());
    assertRefused(
        line,
        """
        compare: type got TOTALORDER, want SIGNED for s32 [compare C3]
          i   s32[2]   parameter 1   BuilderRefusalsTest.java:+2
          at BuilderRefusalsTest.java:@\
        """,
        () -> i.compare(i, LT, Optional.of(TOTALORDER), broadcastDimensions()));
    assertRefused(
        line,
        """
        select: element type of pred got f32, want pred [select C1]
          x   f32[2]   parameter 0   BuilderRefusalsTest.java:+1
          fits: convertElementType(PRED) of pred
          at BuilderRefusalsTest.java:@\
        """,
        () -> x.select(x, x));
    assertRefused(
        line,
        """
        clamp: element types of min, operand and max got s32, f32 and f32, want the same [clamp C3]
          i   s32[2]   parameter 1   BuilderRefusalsTest.java:+2
          x   f32[2]   parameter 0   BuilderRefusalsTest.java:+1
          fits: convertElementType(F32) of min
          at BuilderRefusalsTest.java:@\
        """,
        () -> x.clamp(i, x));
  }

  @Test
  void tupleOperandsWhereArraysAreExpected() {
    int line = here();
    XlaOp x = b.parameter(0, Shape.of(F32, 2), "x");
    XlaOp t = b.tuple(x);
    assertRefused(
        line,
        """
        add: tuple got (f32[2]), want an array
          x       f32[2]     parameter 0   BuilderRefusalsTest.java:+1
          tuple   (f32[2])   tuple         BuilderRefusalsTest.java:+2
          at BuilderRefusalsTest.java:@\
        """,
        () -> x.add(t));
    assertRefused(
        line,
        """
        arrayShape: tuple got (f32[2]), want an array
          at BuilderRefusalsTest.java:@\
        """,
        () -> t.arrayShape());
    assertTupleRefused(line, "reshape: tuple", () -> t.reshape(2));
    assertTupleRefused(line, "collapse: tuple", () -> t.collapse(0));
    assertTupleRefused(line, "broadcast: tuple", () -> t.broadcast(2));
    assertTupleRefused(line, "broadcast: tuple", () -> t.broadcastInDim(Dims.of(2), Dims.of(0)));
    assertTupleRefused(line, "dot: tuple", () -> t.dot(t));
    assertTupleRefused(line, "dot: lhs", () -> t.dotGeneral(t, Dot.matrix(1)));
    assertTupleRefused(line, "compare: tuple", () -> t.eq(t));
    assertTupleRefused(line, "fullLike: tuple", () -> t.fullLike(1));
    assertTupleRefused(line, "zerosLike: tuple", () -> t.zerosLike());
    assertTupleRefused(line, "select: pred", () -> t.select(t, t));
    assertTupleRefused(line, "clamp: min", () -> t.clamp(t, t));
    assertTupleRefused(line, "negate: operand", () -> t.neg());
    assertTupleRefused(line, "convert: operand", () -> t.convertElementType(S32));
    assertTupleRefused(line, "transpose: operand", () -> t.transpose(0));
    assertTupleRefused(line, "reduce: tuple", () -> t.reduceAll(t, XlaOp::add));
  }

  private static void assertTupleRefused(int line, String start, Executable call) {
    assertRefused(
        line,
        start
            + " got (f32[2]), want an array\n"
            + "  tuple   (f32[2])   tuple   BuilderRefusalsTest.java:+2\n"
            + "  at BuilderRefusalsTest.java:@",
        call);
  }

  @Test
  void arrayOperandsWhereTuplesAreExpected() {
    int line = here();
    XlaOp x = b.parameter(0, Shape.of(F32, 2), "x");
    assertRefused(
        line,
        """
        get-tuple-element: operand got f32[2], want a tuple
          x   f32[2]   parameter 0   BuilderRefusalsTest.java:+1
          at BuilderRefusalsTest.java:@\
        """,
        () -> x.getTupleElement(0));
  }

  @Test
  void invalidSizesAndDimensions() {
    int line = here();
    XlaOp x = b.parameter(0, Shape.of(F32, 2, 3), "x");
    String operand =
        "\n  x   f32[2,3]   parameter 0   BuilderRefusalsTest.java:+1"
            + "\n  at BuilderRefusalsTest.java:@";
    assertRefused(
        line,
        "reshape: element count got 5 for f32[5], want 6 as in f32[2,3] [reshape C2]" + operand,
        () -> x.reshape(5));
    assertRefused(
        line,
        "reshape: size of dimension 0 got -6, want at least 0" + operand,
        () -> x.reshape(-6));
    assertRefused(
        line,
        "transpose: dimensions got (0, 0), want a permutation of the 2 dimensions of f32[2,3]"
            + " [transpose C2]"
            + operand,
        () -> x.transpose(0, 0));
    assertRefused(
        line,
        "collapse: dimensions got (1, 0), want consecutive dimensions of f32[2,3]" + operand,
        () -> x.collapse(1, 0));
    assertRefused(
        line,
        "collapse: dimensions got (1, 2), want consecutive dimensions of f32[2,3]" + operand,
        () -> x.collapse(1, 2));
    assertRefused(
        line,
        "broadcast: shape: size of dimension 0 got -1, want at least 0" + operand,
        () -> x.broadcast(-1));
    assertRefused(
        line,
        "broadcast: shape: the element count of f32(9223372036854775807, 2, 3) got above 2^63 - 1,"
            + " want at most that"
            + operand,
        () -> x.broadcast(Long.MAX_VALUE));
    assertRefused(
        line,
        "reduce-precision: exponent_bits got 0, want at least 1 [reduce_precision C2]" + operand,
        () -> x.reducePrecision(0, 1));
    assertRefused(
        line,
        "bitcast-convert: got f32 to c64, want both complex or neither [bitcast_convert C2]"
            + operand,
        () -> x.bitcastConvertType(C64));
    assertRefused(
        line,
        "dot: contracting dimension 1 of lhs f32[2,3] has size 3, dimension 0 of rhs f32[2,3] has"
            + " size 2, want equal [dot_general C10]"
            + operand.replace(
                "\n  at", "\n  fits: x.dot(x.transpose(1, 0)) or x.transpose(1, 0).dot(x)\n  at"),
        () -> x.dot(x));
  }

  @Test
  void collapsedSizeOverflows() {
    int line = here();
    XlaOp x = b.parameter(0, Shape.of(F32, 0, 1L << 62, 4), "x");
    assertRefused(
        line,
        """
        shape: the element count of f32(4611686018427387904, 4) got above 2^63 - 1, want at most\
         that
          x   f32[0,4611686018427387904,4]   parameter 0   BuilderRefusalsTest.java:+1
          at BuilderRefusalsTest.java:@\
        """,
        () -> x.collapse(1, 2));
  }

  @Test
  void dotRejectsHigherRanks() {
    int line = here();
    XlaOp x = b.parameter(0, Shape.of(F32, 2, 2, 2), "x");
    assertRefused(
        line,
        """
        dot: rank of x got 3, want 1 or 2
          x   f32[2,2,2]   parameter 0   BuilderRefusalsTest.java:+1
          fits: x.matmul(x), Einsum.einsum(x, x, "...ij,...jk->...ik") or x.dotGeneral(x, Dot.batchMatmul(3))
          at BuilderRefusalsTest.java:@\
        """,
        () -> x.dot(x));
  }

  @Test
  void invalidConstantsAndIotas() {
    int line = here();
    String at = "\n  at BuilderRefusalsTest.java:@";
    assertRefused(
        line,
        "literal: ragged array, got 1 elements at depth 1 where the first has 2" + at,
        () -> b.constant(new int[][] {{1, 2}, {3}}));
    assertRefused(
        line,
        "literal: got 128 for s8, want a value from -128 to 127" + at,
        () -> b.constant(S8, 128));
    assertRefused(
        line, "literal: got true, want a number" + at, () -> b.full(Shape.of(F32, 2), true));
    assertRefused(
        line,
        "iota: iota_dimension got 1, want one from 0 to 0 of s32[2] [iota C1]" + at,
        () -> b.iota(Shape.of(S32, 2), 1));
    assertRefused(
        line, "shape: size of dimension 0 got -1, want at least 0" + at, () -> b.iota(S32, -1));
  }

  @Test
  void unboundedSizes() {
    XlaOp x = b.parameter(0, unbounded(Shape.UNBOUNDED, 3), "x");
    XlaOp v = b.parameter(1, Shape.of(F32), "v");
    HloException refusal = assertThrows(HloException.class, () -> x.add(v));
    assertThat(refusal.summary())
        .endsWith("got a size that only run time knows, want bounds on all sizes");
    HloException reshape = assertThrows(HloException.class, () -> x.reshape(3));
    assertThat(reshape.summary())
        .isEqualTo("reshape: got f32[?,3] to f32[3], want bounds on all sizes");
  }

  /** The facts of an error, which programs read instead of its message. */
  @Test
  void errorsCarryStructuredFacts() {
    int line = here();
    XlaOp x = b.parameter(0, Shape.of(F32, 2, 3), "x");
    XlaOp v = b.parameter(1, Shape.of(F32, 3), "v");
    HloException refusal = assertThrows(HloException.class, () -> x.add(v, broadcastDimensions(0)));
    assertThat(refusal.label()).isEqualTo("broadcast B6");
    assertThat(refusal.facts().stream().map(Fact::name))
        .containsExactly("operands", "alignment", "fits", "at")
        .inOrder();
    assertThat(refusal.facts().get(3).text())
        .isEqualTo("at BuilderRefusalsTest.java:" + (line + 3));
  }
}
