package org.hlo4j.buildertest;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.buildertest.Refusals.assertRefused;
import static org.hlo4j.buildertest.Refusals.here;
import static org.hlo4j.hlo.ElementType.F32;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.builder.lib.Arithmetic;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Dot;
import org.hlo4j.hlo.op.Gather;
import org.hlo4j.hlo.op.Window;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Errors for negative dimensions and for convolutions with operands in another layout. */
final class DimensionRefusalsTest {
  private final XlaBuilder b = new XlaBuilder("test");

  private static Arguments row(String refusal, UnaryOperator<XlaOp> program) {
    return Arguments.of(refusal, program);
  }

  static Stream<Arguments> negative() {
    return Stream.of(
        row(
            "reduce: dimensions[0] got -1, want a dimension of f32[2,3]",
            x -> x.reduce(x.builder().constant(0f), XlaOp::add, -1)),
        row(
            "concatenate: dimensions got (-1), want one dimension of f32[2,3]",
            x -> x.builder().concatInDim(List.of(x, x), -1)),
        row("reverse: dimensions[0] got -1, want a dimension of operand f32[2,3]", x -> x.rev(-1)),
        row(
            "transpose: dimensions got (-1, 0), want a permutation of the 2 dimensions of f32[2,3]",
            x -> x.transpose(-1, 0)),
        row("slice: dimension got -1, want one of f32[2,3]", x -> x.sliceInDim(0, 1, 1, -1)),
        row(
            "pad: dimension got -1, want one of f32[2,3]",
            x -> x.padInDim(x.scalarLike(0), -1, 1, 1)),
        row(
            "iota: iota_dimension got -1, want one from 0 to 1 of f32[2,3]",
            x -> x.builder().iota(x.arrayShape(), -1)),
        row(
            "get-dimension-size: dimension got -1, want one of f32[2,3]",
            x -> x.getDimensionSize(-1)),
        row(
            "dot: lhs dimension got -1, want one of f32[2,3]",
            x -> x.dotGeneral(x, Dot.general(Dims.of(), Dims.of(-1), Dims.of(), Dims.of(1)))),
        row(
            "dimensions got (-1), want one dimension of f32[2,3]",
            x -> {
              XlaOp i = x.builder().constant(0);
              return x.gather(i, Gather.alongDimension(x.arrayShape(), i.arrayShape(), -1));
            }),
        row(
            "batch-norm-training: feature_index got -1, want a dimension of f32[2,3]",
            x -> x.batchNormTraining(x, x, 1, -1)),
        row(
            "argMax: dimension got -1, want one of f32[2,3]",
            x -> Arithmetic.argMax(x, ElementType.S32, -1)));
  }

  @ParameterizedTest
  @MethodSource("negative")
  void negativeDimensionsSuggestPositiveOnes(String refusal, UnaryOperator<XlaOp> program) {
    XlaOp x = b.parameter(0, Shape.of(F32, 2, 3), "x");
    HloException refused =
        assertThrows(HloException.class, () -> assertThat(program.apply(x)).isNull());
    assertThat(refused.summary()).isEqualTo(refusal);
    assertThat(refused.facts().stream().map(HloException.Fact::text).toList())
        .contains("fits: 1, dimension -1 from the end");
  }

  @Test
  void outOfRangeDimensionsHaveNoSuggestion() {
    XlaOp x = b.parameter(0, Shape.of(F32, 2, 3), "x");
    for (int dimension : new int[] {-3, 2}) {
      HloException refused = assertThrows(HloException.class, () -> x.rev(dimension));
      assertThat(refused.facts().stream().map(HloException.Fact::name).toList())
          .doesNotContain("fits");
    }
  }

  @Test
  void convolutionSuggestsMatchingLayout() {
    int line = here();
    XlaOp image = b.parameter(0, Shape.of(F32, 1, 8, 8, 3), "image");
    XlaOp kernel = b.parameter(1, Shape.of(F32, 3, 3, 3, 4), "kernel");
    assertRefused(
        line,
        """
        convolution: input feature dimension 1 of kernel f32[3,3,3,4] got size 3, want 8: that of\
         feature dimension 1 of lhs f32[1,8,8,3] over feature_group_count 1 [convolution C14]
          image    f32[1,8,8,3]   parameter 0   DimensionRefusalsTest.java:+1
          kernel   f32[3,3,3,4]   parameter 1   DimensionRefusalsTest.java:+2
          layout bf01_oi01->bf01
          fits: conv(kernel, window, "b01f_01io->b01f")
          at DimensionRefusalsTest.java:@\
        """,
        () -> image.conv(kernel, Window.of(3, 3)));
    assertThat(image.conv(kernel, Window.of(3, 3), "b01f_01io->b01f").shape())
        .isEqualTo(Shape.of(F32, 1, 6, 6, 4));
    // No layout fits a window of another size.
    HloException refused =
        assertThrows(HloException.class, () -> image.conv(kernel, Window.of(5, 5)));
    assertThat(refused.facts().stream().map(HloException.Fact::name).toList())
        .containsExactly("operands", "layout", "at")
        .inOrder();
  }
}
