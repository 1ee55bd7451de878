package org.hlo4j.interpreter.ops;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import java.util.List;
import org.hlo4j.builder.ComputationBody;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Gather;
import org.hlo4j.hlo.op.Scatter;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.agreement.Evaluators;
import org.hlo4j.testing.LiteralSubject;
import org.junit.jupiter.api.Test;

/** Windows taken from, and combined into, arrays at index vectors. */
class GatherScatterTest {
  private final XlaBuilder b = new XlaBuilder("indexed");

  private static Literal run(XlaOp root) {
    return Evaluators.both().run(root.builder().build(root));
  }

  private static void holds(Object want, XlaOp root) {
    LiteralSubject.assertThat(run(root)).holds(want);
  }

  private XlaOp rows() {
    return b.constant(new int[][] {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}});
  }

  private static Gather rowsOf(XlaOp x, XlaOp indices) {
    return Gather.takeRows(x.arrayShape(), indices.arrayShape());
  }

  @Test
  void takeRowsClampsIndices() {
    XlaOp i = b.constant(new int[] {2, 0, 99, -99});
    holds(
        new int[][] {{7, 8, 9}, {1, 2, 3}, {7, 8, 9}, {1, 2, 3}},
        rows().gather(i, rowsOf(rows(), i)));
  }

  @Test
  void takeAlongALaterDimension() {
    XlaOp i = b.constant(new int[][] {{2, 0}});
    Gather columns = Gather.alongDimension(rows().arrayShape(), i.arrayShape(), 1);
    holds(new int[][][] {{{3, 1}}, {{6, 4}}, {{9, 7}}}, rows().gather(i, columns));
  }

  @Test
  void pointsTakeSingleElements() {
    XlaOp i = b.constant(new int[][] {{0, 2}, {2, 1}, {5, 5}});
    holds(
        new int[] {3, 8, 9}, rows().gather(i, Gather.points(rows().arrayShape(), i.arrayShape())));
  }

  @Test
  void windowsAreMovedToWhereTheyFit() {
    XlaOp i = b.constant(new int[][] {{0, 0}, {2, 2}});
    Gather twoByTwo =
        new Gather(
            Dims.of(1, 2), Dims.of(), Dims.of(0, 1), Dims.of(), Dims.of(), 1, Dims.of(2, 2), true);
    holds(new int[][][] {{{1, 2}, {4, 5}}, {{5, 6}, {8, 9}}}, rows().gather(i, twoByTwo));
  }

  /** The example of the StableHLO specification, its index vectors in a map that is not sorted. */
  @Test
  void specificationExample() {
    XlaOp operand = b.iota(ElementType.S64, 24).reshape(3, 4, 2).add(b.constant(1L));
    XlaOp i = b.constant(new int[][][] {{{0, 0}, {1, 0}, {2, 1}}, {{0, 1}, {1, 1}, {0, 9}}});
    Gather gather =
        new Gather(
            Dims.of(2, 3),
            Dims.of(0),
            Dims.of(1, 0),
            Dims.of(),
            Dims.of(),
            2,
            Dims.of(1, 2, 2),
            false);
    holds(
        new long[][][][] {
          {{{1, 2}, {3, 4}}, {{3, 4}, {5, 6}}, {{13, 14}, {15, 16}}},
          {{{9, 10}, {11, 12}}, {{11, 12}, {13, 14}}, {{17, 18}, {19, 20}}}
        },
        operand.gather(i, gather));
  }

  @Test
  void indexVectorDimMayBeAnyDimension() {
    XlaOp i = b.constant(new int[][] {{0, 2, 5}, {2, 1, 5}});
    Gather first =
        new Gather(
            Dims.of(), Dims.of(0, 1), Dims.of(0, 1), Dims.of(), Dims.of(), 0, Dims.of(1, 1), false);
    holds(new int[] {3, 8, 9}, rows().gather(i, first));
  }

  @Test
  void batchingDimsRunAlong() {
    XlaOp i = b.constant(new int[][][] {{{2}, {1}, {0}}, {{0}, {0}, {9}}});
    // result[n, b] = rows[b, i[n, b, 0]], batching over dimension 1 of the indices
    Gather each =
        new Gather(
            Dims.of(), Dims.of(1), Dims.of(1), Dims.of(0), Dims.of(1), 2, Dims.of(1, 1), false);
    holds(new int[][] {{3, 5, 7}, {1, 4, 9}}, rows().gather(i, each));
  }

  @Test
  void indicesMayBeUnsignedAndBeyondTheSignedRange() {
    LiteralBuilder i = new LiteralBuilder(Shape.of(ElementType.U64, 2));
    i.setLong(0, -1);
    i.setLong(1, 1);
    XlaOp indices = b.constant(i.build());
    holds(new int[][] {{7, 8, 9}, {4, 5, 6}}, rows().gather(indices, rowsOf(rows(), indices)));
  }

  @Test
  void noVectorsNoWindowsAndScalars() {
    XlaOp none = b.constant(new int[0]);
    LiteralSubject.assertThat(run(rows().gather(none, rowsOf(rows(), none))))
        .hasShape(Shape.of(ElementType.S32, 0, 3));
    XlaBuilder scalars = new XlaBuilder("scalars");
    Gather all =
        new Gather(Dims.of(), Dims.of(), Dims.of(), Dims.of(), Dims.of(), 0, Dims.of(), false);
    holds(7, scalars.constant(7).gather(scalars.constant(new int[0]), all));
  }

  @Test
  void aWindowWithoutElementsToTakeIsRefused() {
    XlaOp i = b.constant(new int[] {0, 1});
    Gather nothing = rowsOf(rows(), i).withSliceSizes(Dims.of(0, 3));
    assertThat(assertThrows(HloException.class, () -> run(rows().gather(i, nothing))).summary())
        .isEqualTo(
            "gather: slice_sizes got (0, 3), want 1 in the dimensions left out, (0): there is no"
                + " element to take for s32[2,3]");
  }

  private XlaOp ones() {
    return b.full(Shape.of(ElementType.S32, 3, 2), 1);
  }

  private Scatter intoRows(XlaOp indices) {
    return Scatter.rows(ones().arrayShape(), indices.arrayShape());
  }

  @Test
  void scatterCombinesInOrder() {
    XlaOp i = b.constant(new int[] {2, 0, 2});
    XlaOp updates = b.constant(new int[][] {{5, 6}, {7, 8}, {1, 1}});
    holds(
        new int[][] {{8, 9}, {1, 1}, {7, 8}},
        ones().scatter(i, updates, (a, c) -> a.add(c), intoRows(i)));
  }

  @Test
  void scatterOfTheLastUpdateWins() {
    XlaOp i = b.constant(new int[] {2, 0, 2});
    XlaOp updates = b.constant(new int[][] {{5, 6}, {7, 8}, {3, 4}});
    holds(
        new int[][] {{7, 8}, {1, 1}, {3, 4}}, ones().scatter(i, updates, (a, c) -> c, intoRows(i)));
    XlaBuilder kept = new XlaBuilder("kept");
    XlaOp x = kept.constant(new int[] {1, 2});
    XlaOp at = kept.constant(new int[] {0});
    holds(
        new int[] {1, 2},
        x.scatter(
            at,
            kept.constant(new int[] {9}),
            (a, c) -> a,
            Scatter.rows(x.arrayShape(), at.arrayShape())));
  }

  @Test
  void scatterTakesOperandsInTheirOrder() {
    XlaOp i = b.constant(new int[] {0, 0});
    XlaOp updates = b.constant(new int[][] {{5, 6}, {7, 8}});
    holds(
        new int[][] {{3, 3}, {1, 1}, {1, 1}},
        ones().scatter(i, updates, (a, c) -> c.sub(a), intoRows(i)));
  }

  @Test
  void scatterRunsAnyComputation() {
    XlaOp i = b.constant(new int[] {1, 1});
    XlaOp updates = b.constant(new int[][] {{5, 6}, {7, 8}});
    holds(
        new int[][] {{1, 1}, {(1 * 2 + 5) * 2 + 7, (1 * 2 + 6) * 2 + 8}, {1, 1}},
        ones().scatter(i, updates, (a, c) -> a.add(a).add(c), intoRows(i)));
  }

  @Test
  void scatterDropsWindowsOutOfBoundsAsAWhole() {
    XlaOp x = b.constant(new int[] {0, 0, 0, 0});
    XlaOp i = b.constant(new int[][] {{0}, {3}, {-1}, {4}, {2}, {Integer.MAX_VALUE}});
    XlaOp updates = b.constant(new int[][] {{1, 2}, {9, 9}, {9, 9}, {9, 9}, {3, 4}, {9, 9}});
    Scatter pairs =
        new Scatter(Dims.of(1), Dims.of(), Dims.of(0), Dims.of(), Dims.of(), 1, false, true);
    holds(new int[] {1, 2, 3, 4}, x.scatter(i, updates, (a, c) -> c, pairs));
  }

  @Test
  void scatterOfPointsAndIntoNothing() {
    XlaOp i = b.constant(new int[][] {{0, 1}, {2, 0}, {2, 2}});
    XlaOp updates = b.constant(new int[] {5, 6, 7});
    Scatter points = Scatter.points(ones().arrayShape(), i.arrayShape());
    holds(
        new int[][] {{1, 6}, {1, 1}, {7, 1}},
        ones().scatter(i, updates, (a, c) -> a.add(c), points));
    XlaBuilder none = new XlaBuilder("none");
    XlaOp empty = none.constant(new int[0]);
    XlaOp at = none.constant(new int[] {0, -1});
    holds(
        new int[0],
        empty.scatter(
            at,
            none.constant(new int[] {1, 2}),
            (a, c) -> c,
            Scatter.rows(empty.arrayShape(), at.arrayShape())));
  }

  @Test
  void scatterBatchingDimsRunAlong() {
    XlaOp i = b.constant(new int[][] {{1}, {0}, {5}});
    XlaOp updates = b.constant(new int[] {5, 6, 7});
    Scatter each =
        new Scatter(Dims.of(), Dims.of(1), Dims.of(1), Dims.of(0), Dims.of(0), 1, false, false);
    holds(new int[][] {{1, 5}, {6, 1}, {1, 1}}, ones().scatter(i, updates, (a, c) -> c, each));
  }

  @Test
  void scatterOfSeveralArrays() {
    XlaOp x = b.constant(new int[] {1, 2});
    XlaOp y = b.constant(new float[] {3, 4});
    XlaOp i = b.constant(new int[] {1, 1});
    // (x, y, u, v) -> (x + u, y * v)
    ComputationBody body =
        (inner, p) -> inner.tuple(p.get(0).add(p.get(2)), p.get(1).mul(p.get(3)));
    XlaOp result =
        b.scatter(
            List.of(x, y),
            i,
            List.of(b.constant(new int[] {10, 20}), b.constant(new float[] {2, 3})),
            body,
            Scatter.rows(x.arrayShape(), i.arrayShape()));
    Literal got = run(result);
    LiteralSubject.assertThat(got.element(0)).holds(new int[] {1, 32});
    LiteralSubject.assertThat(got.element(1)).holds(new float[] {3, 24});
  }

  @Test
  void scatterRoundsAfterEachStep() {
    XlaOp x = b.constant(ElementType.BF16, new float[] {256});
    XlaOp i = b.constant(new int[] {0, 0});
    XlaOp updates = b.constant(ElementType.BF16, new float[] {1, 1});
    holds(
        new float[] {256},
        x.scatter(i, updates, (a, c) -> a.add(c), Scatter.rows(x.arrayShape(), i.arrayShape())));
  }

  @Test
  void gatherAndScatterOfEveryType() {
    for (ElementType type : ElementType.values()) {
      XlaBuilder each = new XlaBuilder("types");
      XlaOp x = each.constant(values(type));
      XlaOp i = each.constant(new int[] {1, 0});
      XlaOp turned = x.gather(i, rowsOf(x, i));
      XlaOp back = x.scatter(i, turned, (a, c) -> c, Scatter.rows(x.arrayShape(), i.arrayShape()));
      assertThat(run(back)).isEqualTo(values(type));
    }
  }

  private static Literal values(ElementType type) {
    LiteralBuilder values = LiteralBuilder.zeros(Shape.of(type, 2));
    values.setBits(0, 1);
    return values.build();
  }

  @Test
  void longScatterKeepsToItsDeadline() {
    XlaOp x = b.constant(new int[] {1, 2});
    XlaOp i = b.zeros(Shape.of(ElementType.S32, 100_000));
    XlaOp updates = b.zeros(Shape.of(ElementType.S32, 100_000));
    XlaOp result =
        x.scatter(
            i, updates, (a, c) -> a.add(a).add(c), Scatter.rows(x.arrayShape(), i.arrayShape()));
    Evaluator hurried =
        Evaluators.both(EvaluatorOptions.builder().deadline(Duration.ofMillis(1)).build());
    assertThat(assertThrows(HloException.class, () -> hurried.run(b.build(result))).summary())
        .isEqualTo("run: got beyond the deadline of 1 ms");
  }
}
