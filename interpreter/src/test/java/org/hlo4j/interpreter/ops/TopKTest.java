package org.hlo4j.interpreter.ops;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.ElementType.S32;
import static org.hlo4j.hlo.ElementType.S64;
import static org.hlo4j.hlo.ElementType.S8;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.builder.lib.ApproxTopK;
import org.hlo4j.builder.lib.ApproxTopK.Options;
import org.hlo4j.builder.lib.ApproxTopK.ReductionOutputSize;
import org.hlo4j.builder.lib.Sorting;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.agreement.Evaluators;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The greatest elements, wholly and approximately. */
final class TopKTest {
  private static final float NAN = Float.NaN;
  private static final float[] LINE = {3, NAN, 7, -1, 7, Float.POSITIVE_INFINITY, 0, -0f};

  private static Literal run(Object x, Function<XlaOp, XlaOp> program) {
    XlaBuilder b = new XlaBuilder("topk");
    return Evaluators.both().run(b.build(program.apply(b.constant(x))));
  }

  @Test
  void topK() {
    assertThat(run(LINE, x -> Sorting.topK(x, 5, S32)))
        .isEqualTo(
            Literal.tuple(
                Literal.of(new float[] {NAN, Float.POSITIVE_INFINITY, 7, 7, 3}),
                Literal.of(new int[] {1, 5, 2, 4, 0})));
    assertThat(run(new int[][] {{1, 9, 3}, {8, 2, 8}}, x -> Sorting.topK(x, 2, S64)))
        .isEqualTo(
            Literal.tuple(
                Literal.of(new int[][] {{9, 3}, {8, 8}}),
                Literal.of(new long[][] {{1, 2}, {0, 2}})));
    assertThat(run(LINE, x -> Sorting.topK(x, 0, S32)).element(0))
        .isEqualTo(Literal.of(new float[] {}));
  }

  /** A part has no elements, fewer than k, or all. */
  @ParameterizedTest
  @CsvSource({
    "1, 0", "1, 3", "1, 8", "2, 0", "2, 1", "2, 3", "2, 8", "3, 1", "3, 2", "3, 3", "3, 8", "4, 1",
    "4, 2", "4, 3", "4, 8", "8, 0", "8, 1", "8, 2", "8, 8", "100, 0", "100, 1", "100, 8"
  })
  void partitionsChangeNothing(long partitions, long k) {
    assertThat(run(LINE, x -> Sorting.topKWithPartitions(x, k, partitions, S32)))
        .isEqualTo(run(LINE, x -> Sorting.topK(x, k, S32)));
  }

  @Test
  void approxTopK() {
    int[] tags = {10, 11, 12, 13};
    assertThat(
            run(
                new float[] {4, 9, 1, 6},
                x ->
                    ApproxTopK.approxTopK(
                        x.builder(),
                        List.of(x, x.builder().constant(tags)),
                        List.of(x.builder().constant(0f), x.builder().constant(-1)),
                        Options.of(2, 0),
                        (c, p) -> p.get(0).gt(p.get(1)))))
        .isEqualTo(Literal.tuple(Literal.of(new float[] {9, 6}), Literal.of(new int[] {11, 13})));
    assertThat(
            run(
                new float[][] {{4, 9, 1}},
                x ->
                    ApproxTopK.approxTopKFallback(
                        x.builder(),
                        List.of(x),
                        List.of(x.builder().constant(0f)),
                        Options.of(1, 1).withoutAggregation(),
                        (c, p) -> p.get(0).lt(p.get(1)))))
        .isEqualTo(Literal.tuple(Literal.of(new float[][] {{1, 4, 9}})));
  }

  private static Stream<Arguments> sizes() {
    return Stream.of(
        Arguments.of(100, 1, Options.of(5, 0).withoutAggregation(), 100, 0),
        Arguments.of(2000, 1, Options.of(1, 0).withoutAggregation(), 1024, 1),
        Arguments.of(
            100_000, 1, Options.of(10, 0).withRecallTarget(0.95).withoutAggregation(), 2048, 6),
        Arguments.of(
            100_000, 2, Options.of(10, 0).withRecallTarget(0.95).withoutAggregation(), 256, 9),
        Arguments.of(100_000, 2, Options.of(10, 0).withRecallTarget(0.95), 10, -1),
        Arguments.of(5000, 2, Options.of(3, 0).withRecallTarget(0.99).withoutAggregation(), 384, 4),
        Arguments.of(
            5000,
            2,
            Options.of(3, 0)
                .withRecallTarget(0.99)
                .withoutAggregation()
                .withReductionInputSizeOverride(1_000_000),
            128,
            6),
        Arguments.of(1_000_000, 2, Options.of(50, 0).withoutAggregation(), 512, 11),
        Arguments.of(129, 2, Options.of(2, 0).withRecallTarget(0.5).withoutAggregation(), 129, 0),
        Arguments.of(
            100_000, 2, Options.of(10, 0).withRecallTarget(1).withoutAggregation(), 100_000, 0));
  }

  /** As XLA says by approx_top_k_reduction_output_size, JAX 0.10.2. */
  @ParameterizedTest
  @MethodSource("sizes")
  void reductionOutputSize(
      long inputSize, int rank, Options options, long outputSize, int log2Reduction) {
    assertThat(ApproxTopK.approxTopKReductionOutputSize(inputSize, rank, options))
        .isEqualTo(new ReductionOutputSize(outputSize, log2Reduction));
  }

  private static Arguments refusal(String message, Function<XlaOp, XlaOp> program) {
    return Arguments.of(message, program);
  }

  private static Stream<Arguments> refusals() {
    return Stream.of(
        refusal(
            "topK: k got 9, want from 0 to the last size of f32[8]", x -> Sorting.topK(x, 9, S32)),
        refusal(
            "topK: k got -1, want from 0 to the last size of f32[8]",
            x -> Sorting.topK(x, -1, S32)),
        refusal("topK: index type got f32, want an integer type", x -> Sorting.topK(x, 1, F32)),
        refusal(
            "topK: input got c64[8], want real numbers of rank 1 at least",
            x -> Sorting.topK(x.complex(x), 1, S32)),
        refusal(
            "topKWithPartitions: partitions got 0, want at least 1",
            x -> Sorting.topKWithPartitions(x, 1, 0, S32)),
        refusal(
            "approxTopK: recall target got 0.0, want above 0 and at most 1",
            x -> approx(x, Options.of(1, 0).withRecallTarget(0))),
        refusal("approxTopK: k got 0, want at least 1", x -> approx(x, Options.of(0, 0))),
        refusal(
            "approxTopK: k got 9, want at most size 8 of dimension 0",
            x -> approx(x, Options.of(9, 0))),
        refusal(
            "approxTopK: dimension got 1, want one of f32[8]", x -> approx(x, Options.of(1, 1))),
        refusal(
            "approxTopK: init value 0 got f32[8], want f32[]",
            x ->
                ApproxTopK.approxTopK(
                    x.builder(), List.of(x), List.of(x), Options.of(1, 0), (c, p) -> p.get(0))),
        refusal(
            "approxTopK: got 1 operands and 0 init values, want one at least and as many",
            x ->
                ApproxTopK.approxTopK(
                    x.builder(), List.of(x), List.of(), Options.of(1, 0), (c, p) -> p.get(0))));
  }

  @ParameterizedTest
  @MethodSource("refusals")
  void refused(String message, Function<XlaOp, XlaOp> program) {
    HloException refusal = assertThrows(HloException.class, () -> run(LINE, program));
    assertThat(refusal.summary()).isEqualTo(message);
  }

  @Test
  void indexTypeHoldsTheLastIndex() {
    XlaOp line = new XlaBuilder("topk").parameter(0, Shape.of(F32, 129), "line");
    assertThat(assertThrows(HloException.class, () -> Sorting.topK(line, 1, S8)).summary())
        .isEqualTo("topK: index type got s8, want one that can hold 128");
  }

  private static XlaOp approx(XlaOp x, Options options) {
    return ApproxTopK.approxTopK(
        x.builder(),
        List.of(x),
        List.of(x.builder().constant(0f)),
        options,
        (c, p) -> p.get(0).gt(p.get(1)));
  }
}
