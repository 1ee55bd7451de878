package org.hlo4j.buildertest;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.buildertest.Refusals.assertRefused;
import static org.hlo4j.buildertest.Refusals.here;
import static org.hlo4j.buildertest.Refusals.nullOf;
import static org.hlo4j.hlo.ElementType.F32;

import java.util.List;
import org.hlo4j.builder.ComputationBody;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.junit.jupiter.api.Test;

/** Errors in regions, parameters and builders are reported by the offending call. */
final class RegionRefusalsTest {
  private static final ComputationBody FIRST = (body, p) -> p.get(0);

  private final XlaBuilder b = new XlaBuilder("test");

  @Test
  void closedBuilders() {
    int line = here();
    XlaOp x = b.parameter(0, Shape.of(F32, 2), "x");
    b.build();
    assertRefused(
        line,
        """
        builder test is closed: it was built at RegionRefusalsTest.java:+2, want a new XlaBuilder
          x   f32[2]   parameter 0   RegionRefusalsTest.java:+1
          at RegionRefusalsTest.java:@\
        """,
        () -> x.neg());
    String message =
        """
        builder test is closed: it was built at RegionRefusalsTest.java:+2, want a new XlaBuilder
          at RegionRefusalsTest.java:@\
        """;
    assertRefused(line, message, () -> b.build());
    assertRefused(line, message, () -> b.constant(1));
    assertRefused(line, message, () -> b.computation("c", List.of(), FIRST));
  }

  @Test
  void parameterNumbers() {
    int line = here();
    b.parameter(0, Shape.of(F32), "x");
    b.parameter(1, Shape.of(F32), "y");
    b.parameter(3, Shape.of(F32), "z");
    assertRefused(
        line,
        """
        parameter: number got -1, want at least 0
          at RegionRefusalsTest.java:@\
        """,
        () -> b.parameter(-1, Shape.of(F32), "negative"));
    assertRefused(
        line,
        """
        build: parameter numbers got [0, 1, 3], want 2 as well
          at RegionRefusalsTest.java:@\
        """,
        () -> b.build());
    // The error left the builder unchanged: the missing parameter can be added.
    b.parameter(2, Shape.of(F32), "w");
    assertThat(b.build().entry().parameters()).hasSize(4);
  }

  @Test
  void regionsCannotCaptureValues() {
    int line = here();
    XlaOp x = b.parameter(0, Shape.of(F32, 2), "x");
    XlaOp zero = b.constant(0f);
    XlaOp bias = zero.exp();
    assertRefused(
        line,
        """
        exponential got from builder test, want an op of builder region: a computation sees its\
         parameters and scalar constants only, make it an operand, or apply it to operands before\
         and to the result after
          p0            f32[]   parameter 0   RegionRefusalsTest.java:@
          exponential   f32[]   exponential   RegionRefusalsTest.java:+3
          at RegionRefusalsTest.java:@\
        """,
        () -> x.reduceAll(zero, (p, e) -> p.add(bias)));
    // A value of the caller cannot be the result either.
    assertRefused(
        line,
        """
        exponential got from builder test, want an op of builder region.1: a computation sees its\
         parameters and scalar constants only, make it an operand, or apply it to operands before\
         and to the result after
          exponential   f32[]   exponential   RegionRefusalsTest.java:+3
          at RegionRefusalsTest.java:@\
        """,
        () -> x.reduceAll(zero, (p, e) -> bias));
    assertRefused(
        line,
        """
        operand is null, want an op of builder region.2
          at RegionRefusalsTest.java:@\
        """,
        () -> x.reduceAll(zero, (p, e) -> nullOf(XlaOp.class)));
  }

  @Test
  void regionSignatureMismatch() {
    int line = here();
    XlaOp x = b.parameter(0, Shape.of(F32, 2), "x");
    XlaOp zero = b.constant(0f);
    assertRefused(
        line,
        """
        reduce: result of to_apply got pred[], want f32[] [reduce C6]
          x          f32[2]   parameter 0   RegionRefusalsTest.java:+1
          constant   f32[]    constant      RegionRefusalsTest.java:+2
          fits: max or min as the result, or a select by the comparison
          at RegionRefusalsTest.java:@\
        """,
        () -> x.reduceAll(zero, XlaOp::lt));
    HloComputation unary = b.computation("unary", List.of(Shape.of(F32)), FIRST);
    assertRefused(
        line,
        """
        reduce: parameter count of to_apply got 1, want 2: (f32[]) -> f32[] [reduce C6]
          x          f32[2]   parameter 0   RegionRefusalsTest.java:+1
          constant   f32[]    constant      RegionRefusalsTest.java:+2
          at RegionRefusalsTest.java:@\
        """,
        () -> x.reduce(zero, unary, 0));
    assertRefused(
        line,
        """
        reduce: dimensions[0] got 1, want a dimension of f32[2] [reduce C4]
          x          f32[2]   parameter 0   RegionRefusalsTest.java:+1
          constant   f32[]    constant      RegionRefusalsTest.java:+2
          at RegionRefusalsTest.java:@\
        """,
        () -> x.reduce(zero, XlaOp::add, 1));
  }

  @Test
  void errorInRegionNamesItsLine() {
    int line = here();
    XlaOp x = b.parameter(0, Shape.of(F32, 2), "x");
    ComputationBody wrong = (body, p) -> p.get(0).not();
    assertRefused(
        line,
        """
        not: element type of operand got f32, want pred, signed integer, unsigned integer
          p0   f32[2]   parameter 0   RegionRefusalsTest.java:+10
          at RegionRefusalsTest.java:+2\
        """,
        () -> b.call("wrong", wrong, x));
  }

  @Test
  void reduceWithoutOperands() {
    int line = here();
    XlaOp x = b.parameter(0, Shape.of(F32, 2), "x");
    ComputationBody tuple = (body, p) -> body.tuple();
    assertRefused(
        line,
        """
        reduce: operand count got 0, want at least 2
          at RegionRefusalsTest.java:@\
        """,
        () -> b.reduce(List.of(), List.of(), tuple, 0));
    assertRefused(
        line,
        """
        reduce: operand count got 1, want at least 2
          x   f32[2]   parameter 0   RegionRefusalsTest.java:+1
          at RegionRefusalsTest.java:@\
        """,
        () -> b.reduce(List.of(x), List.of(), tuple, 0));
  }
}
