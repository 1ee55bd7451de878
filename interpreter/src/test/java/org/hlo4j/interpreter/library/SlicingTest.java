package org.hlo4j.interpreter.library;

import static org.hlo4j.testing.LiteralSubject.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.common.truth.Truth;
import java.util.List;
import java.util.function.Function;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.builder.lib.Slicing;
import org.hlo4j.builder.lib.Tiling;
import org.hlo4j.builder.lib.TorchIndexing;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.agreement.Evaluators;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class SlicingTest {
  private static final int[][] X = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}};
  private static final int[][][] CUBE = {{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}};

  private static Literal run(Object x, Function<XlaOp, XlaOp> program) {
    XlaBuilder b = new XlaBuilder("slicing");
    HloModule module = b.build(program.apply(b.constant(x)));
    Verifier.strict().verify(module);
    return Evaluators.both().run(module);
  }

  private static XlaOp like(XlaOp x, Object value) {
    return x.builder().constant(value);
  }

  /** Each row is what NumPy prints, of {@code X} and of {@code CUBE}. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "''            | s32[3,4] {{1,2,3,4},{5,6,7,8},{9,10,11,12}}",
        "...           | s32[3,4] {{1,2,3,4},{5,6,7,8},{9,10,11,12}}",
        "1:3           | s32[2,4] {{5,6,7,8},{9,10,11,12}}",
        ":2, 1:        | s32[2,3] {{2,3,4},{6,7,8}}",
        "1             | s32[4] {5,6,7,8}",
        "'1,'          | s32[4] {5,6,7,8}",
        "':, 0'        | s32[3] {1,5,9}",
        "'..., -1'     | s32[3] {4,8,12}",
        "'1, -2'       | s32[] 7",
        "-2:           | s32[2,4] {{5,6,7,8},{9,10,11,12}}",
        "'::2, ::3'    | s32[2,2] {{1,4},{9,12}}",
        "::-1          | s32[3,4] {{9,10,11,12},{5,6,7,8},{1,2,3,4}}",
        "'0, ::-2'     | s32[2] {4,2}",
        "'0, 2:0:-1'   | s32[2] {3,2}",
        "'0, 1::-1'    | s32[2] {2,1}",
        "'0, -1:-4:-2' | s32[2] {4,2}",
        "'0, :99'      | s32[4] {1,2,3,4}",
        "'0, -99:2'    | s32[2] {1,2}",
        "'0, 99::-3'   | s32[2] {4,1}",
        "5:            | s32[0,4] {}",
        "2:1           | s32[0,4] {}",
        "'None, 1'     | s32[1,4] {{5,6,7,8}}",
        "'1, None'     | s32[1,4] {{5,6,7,8}}",
        "'..., None, 0' | s32[3,1] {{1},{5},{9}}",
        "' 1 : 3 ,: '  | s32[2,4] {{5,6,7,8},{9,10,11,12}}",
      })
  void ranges(String ranges, String want) {
    assertThat(run(X, x -> x.slice(ranges))).isEqualTo(Parser.parseLiteral(want));
  }

  @Test
  void rangesOfMoreDimensions() {
    assertThat(run(CUBE, x -> x.slice("1, ..., 0"))).holds(new int[] {5, 7});
    assertThat(run(CUBE, x -> x.slice(":, 1"))).holds(new int[][] {{3, 4}, {7, 8}});
    assertThat(run(CUBE, x -> x.slice("..., ::-1")))
        .holds(new int[][][] {{{2, 1}, {4, 3}}, {{6, 5}, {8, 7}}});
    assertThat(run(7, x -> x.slice("..."))).holds(7);
    assertThat(run(7, x -> x.slice("None"))).holds(new int[] {7});
  }

  @Test
  void dynamicStridedSlice() {
    assertThat(
            run(
                X,
                x ->
                    Slicing.dynamicStridedSlice(
                        x, List.of(like(x, 1), like(x, 0)), Dims.of(2, 4), Dims.of(1, 3))))
        .holds(new int[][] {{5, 8}, {9, 12}});
    assertThat(
            run(
                X,
                x ->
                    Slicing.dynamicStridedSlice(
                        x, List.of(like(x, 9), like(x, 1)), Dims.of(1, 2), Dims.of(1, 1))))
        .holds(new int[][] {{10, 11}});
  }

  @Test
  void updateSlice() {
    assertThat(run(X, x -> Slicing.updateSlice(x, like(x, new int[][] {{0, -1}}), Dims.of(1, 2))))
        .holds(new int[][] {{1, 2, 3, 4}, {5, 6, 0, -1}, {9, 10, 11, 12}});
    assertThat(
            run(
                CUBE,
                x ->
                    Slicing.updateSliceInMinorDims(
                        x, like(x, new int[][][] {{{0}}, {{-1}}}), Dims.of(1, 0))))
        .holds(new int[][][] {{{1, 2}, {0, 4}}, {{5, 6}, {-1, 8}}});
    assertThat(
            run(
                CUBE,
                x ->
                    Slicing.dynamicUpdateSliceInMinorDims(
                        x, like(x, new int[][][] {{{0}, {9}}, {{-1}, {9}}}), List.of(like(x, 1)))))
        .holds(new int[][][] {{{1, 0}, {3, 9}}, {{5, -1}, {7, 9}}});
  }

  @Test
  void sliceInMinorDims() {
    assertThat(run(CUBE, x -> Slicing.sliceInMinorDims(x, Dims.of(1), Dims.of(2))))
        .holds(new int[][][] {{{2}, {4}}, {{6}, {8}}});
    assertThat(run(CUBE, x -> Slicing.sliceInMinorDims(x, Dims.of(), Dims.of()))).holds(CUBE);
    assertThat(
            run(
                CUBE,
                x ->
                    Slicing.dynamicSliceInMinorDims(
                        x, List.of(like(x, 1), like(x, 0)), Dims.of(1, 2))))
        .holds(new int[][][] {{{3, 4}}, {{7, 8}}});
  }

  @Test
  void torchGather() {
    for (boolean sparse : new boolean[] {true, false}) {
      assertThat(
              run(
                  X,
                  x ->
                      TorchIndexing.torchGather(
                          x, like(x, new int[][] {{3, 0}, {1, 1}, {2, 0}}), 1, sparse)))
          .holds(new int[][] {{4, 1}, {6, 6}, {11, 9}});
      assertThat(
              run(
                  X,
                  x ->
                      TorchIndexing.torchGather(
                          x, like(x, new long[][] {{2, 0, 1, 0}}), 0, sparse)))
          .holds(new int[][] {{9, 2, 7, 4}});
    }
  }

  @Test
  void torchScatterDense() {
    assertThat(
            run(
                new int[][] {{10, 20, 30}, {40, 50, 60}},
                x ->
                    TorchIndexing.torchScatterDense(
                        x,
                        like(x, new int[][] {{0, 0, 2, 7}, {1, 2, 1, 0}}),
                        like(x, new int[][] {{1, 2, 3, 4}, {5, 6, 7, 8}}),
                        1,
                        (a, b) -> a.add(b))))
        .holds(new int[][] {{13, 20, 33}, {48, 62, 66}});
  }

  /** Positions do not wrap in the type of the index: 266 is not 10. */
  @Test
  void torchScatterDenseByNarrowIndices() {
    Literal result =
        run(
            new int[300],
            x ->
                TorchIndexing.torchScatterDense(
                    x,
                    like(x, new int[] {10}).convertElementType(ElementType.U8),
                    like(x, new int[] {7}),
                    0,
                    (a, b) -> a.add(b)));
    int[] want = new int[300];
    want[10] = 7;
    assertThat(result).holds(want);
  }

  @Test
  void torchIndexSelect() {
    assertThat(run(X, x -> TorchIndexing.torchIndexSelect(x, like(x, new int[] {2, 0, 2}), 0, 0)))
        .holds(new int[][] {{9, 10, 11, 12}, {1, 2, 3, 4}, {9, 10, 11, 12}});
    assertThat(run(X, x -> TorchIndexing.torchIndexSelect(x, like(x, new int[] {3, 1}), 1, 0)))
        .holds(new int[][] {{4, 2}, {8, 6}, {12, 10}});
    assertThat(
            run(
                X,
                x ->
                    TorchIndexing.torchIndexSelect(
                        x, like(x, new int[][] {{3, 1}, {0, 0}, {2, 3}}), 1, 1)))
        .holds(new int[][] {{4, 2}, {5, 5}, {11, 12}});
    assertThat(
            run(
                CUBE,
                x -> TorchIndexing.torchIndexSelect(x, like(x, new int[][] {{1}, {0}}), 2, 1)))
        .holds(new int[][][] {{{2}, {4}}, {{5}, {7}}});
  }

  /** As in XLA, indices of 64 bits are gathered by as u32, so that -1 is beyond the end. */
  @Test
  void torchIndexSelectOutOfBounds() {
    int[] x = {1, 2, 3};
    long[] longs = {-1, 3, 0, (1L << 32) + 1, Long.MIN_VALUE};
    assertThat(run(x, in -> TorchIndexing.torchIndexSelect(in, like(in, longs), 0, 0)))
        .holds(new int[] {3, 3, 1, 2, 1});
    assertThat(run(x, in -> TorchIndexing.torchGather(in, like(in, longs), 0, true)))
        .holds(new int[] {3, 3, 1, 2, 1});
    int[] ints = {-1, 3, 0, Integer.MIN_VALUE};
    assertThat(run(x, in -> TorchIndexing.torchIndexSelect(in, like(in, ints), 0, 0)))
        .holds(new int[] {1, 3, 1, 1});
    assertThat(run(x, in -> TorchIndexing.torchGather(in, like(in, new long[] {-1, 1}), 0, false)))
        .holds(new int[] {0, 2});
  }

  @Test
  void broadcastTo() {
    int[] pair = {1, 2};
    assertThat(run(pair, x -> Tiling.broadcastTo(x, Dims.of(2)))).holds(pair);
    assertThat(run(pair, x -> Tiling.broadcastTo(x, Dims.of(3, 2))))
        .holds(new int[][] {{1, 2}, {1, 2}, {1, 2}});
    assertThat(run(pair, x -> Tiling.broadcastTo(x, Dims.of(6))))
        .holds(new int[] {1, 2, 1, 2, 1, 2});
    assertThat(run(new int[][] {{1}, {2}}, x -> Tiling.broadcastTo(x, Dims.of(2, 2, 3))))
        .holds(new int[][][] {{{1, 1, 1}, {2, 2, 2}}, {{1, 1, 1}, {2, 2, 2}}});
    assertThat(run(new int[][] {{1, 2}, {3, 4}}, x -> Tiling.broadcastTo(x, Dims.of(4, 2))))
        .holds(new int[][] {{1, 2}, {3, 4}, {1, 2}, {3, 4}});
    assertThat(run(7, x -> Tiling.broadcastTo(x, Dims.of(2, 1)))).holds(new int[][] {{7}, {7}});
    assertThat(run(pair, x -> Tiling.broadcastTo(x, Dims.of(0)))).holds(new int[] {});
  }

  private static void assertRefused(String message, Object x, Function<XlaOp, XlaOp> program) {
    HloException refusal = assertThrows(HloException.class, () -> run(x, program));
    Truth.assertThat(refusal.summary()).isEqualTo(message);
  }

  @Test
  void refused() {
    assertRefused(
        "updateSlice: update got s32[3,4] at (0, 1), want it within s32[3,4]",
        X,
        x -> Slicing.updateSlice(x, x, Dims.of(0, 1)));
    assertRefused(
        "updateSlice: update got s32[3,4] at (0), want it within s32[3,4]",
        X,
        x -> Slicing.updateSlice(x, x, Dims.of(0)));
    assertRefused(
        "sliceInMinorDims: got 3 indices for s32[3,4], want at most its rank",
        X,
        x -> Slicing.sliceInMinorDims(x, Dims.of(0, 0, 0), Dims.of(1, 1, 1)));
    assertRefused(
        "dynamicSliceInMinorDims: got 3 indices for s32[3,4], want at most its rank",
        X,
        x -> Slicing.dynamicSliceInMinorDims(x, List.of(x, x), Dims.of(1, 1, 1)));
    assertRefused(
        "torchGather: dimension got 2, want one of s32[3,4]",
        X,
        x -> TorchIndexing.torchGather(x, x, 2, true));
    assertRefused(
        "torchGather: index got s32[2], want integers of rank 2 and sizes of s32[3,4] in all"
            + " dimensions but 0",
        X,
        x -> TorchIndexing.torchGather(x, like(x, new int[] {1, 2}), 0, true));
    assertRefused(
        "torchScatterDense: src got s32[], want s32[3,4]",
        X,
        x -> TorchIndexing.torchScatterDense(x, x, like(x, 1), 0, (a, b) -> a.add(b)));
    assertRefused(
        "torchIndexSelect: batch dimensions got 2, want from 0 to the dimension 1 and the rank of"
            + " the index s32[3,4]",
        X,
        x -> TorchIndexing.torchIndexSelect(x, x, 1, 2));
    assertRefused(
        "broadcastTo: sizes got (4) for s32[3,4], want its rank at least",
        X,
        x -> Tiling.broadcastTo(x, Dims.of(4)));
    assertRefused(
        "broadcastTo: sizes got (3, 6) for s32[3,4], want a multiple of size 4 for its dimension 1",
        X,
        x -> Tiling.broadcastTo(x, Dims.of(3, 6)));
    assertRefused(
        "broadcastTo: sizes got (3, -4) for s32[3,4], want a multiple of size 4 for its dimension"
            + " 1",
        X,
        x -> Tiling.broadcastTo(x, Dims.of(3, -4)));
  }
}
