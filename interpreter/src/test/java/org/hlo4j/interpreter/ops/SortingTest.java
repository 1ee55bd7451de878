package org.hlo4j.interpreter.ops;

import static org.hlo4j.hlo.ElementType.BF16;
import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.ElementType.F64;
import static org.hlo4j.hlo.ElementType.S32;
import static org.hlo4j.hlo.ElementType.U8;
import static org.hlo4j.testing.LiteralSubject.assertThat;

import java.util.List;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.agreement.Evaluators;
import org.junit.jupiter.api.Test;

/** sort and topk: literal in, literal out. */
final class SortingTest {
  private static final float NAN = Float.NaN;
  private static final float INF = Float.POSITIVE_INFINITY;

  private final XlaBuilder b = new XlaBuilder("m");

  private Literal run() {
    return Evaluators.both().run(b.build());
  }

  @Test
  void sortsEachLineAlongItsDimension() {
    XlaOp x = b.constant(new int[][] {{3, 1, 2}, {2, 9, 0}});
    b.tuple(x.sort((a, c) -> a.lt(c), 1), x.sort((a, c) -> a.gt(c), 0));

    assertThat(run())
        .isEqualTo(
            Literal.tuple(
                Literal.of(new int[][] {{1, 2, 3}, {0, 2, 9}}),
                Literal.of(new int[][] {{3, 9, 2}, {2, 1, 0}})));
  }

  @Test
  void sortMovesAllOperandsAndKeepsTheOrderOfEquals() {
    XlaOp keys = b.constant(new float[] {2, 1, 2, 1, 2, 1, 2});
    XlaOp values = b.iota(S32, 7);
    b.sort(List.of(keys, values), (body, p) -> p.get(0).lt(p.get(1)), -1, false);

    assertThat(run())
        .isEqualTo(
            Literal.tuple(
                Literal.of(new float[] {1, 1, 1, 2, 2, 2, 2}),
                Literal.of(new int[] {1, 3, 5, 0, 2, 4, 6})));
  }

  @Test
  void sortInTotalOrderPutsNansAtTheEnds() {
    XlaOp x = b.constant(new float[] {NAN, 0f, INF, -0f, -INF});
    x.sort((a, c) -> a.ltTotalOrder(c), 0);

    assertThat(run()).holds(new float[] {-INF, -0f, 0f, INF, NAN});
  }

  /** No order at all: it must end, and give each element once. */
  @Test
  void sortByAComparatorThatIsNoOrderEnds() {
    XlaOp x = b.iota(S32, 1000);
    XlaOp sorted = x.sort((a, c) -> a.builder().constant(true), 0);
    sorted.reduceAll(b.constant(0), (p, q) -> p.add(q));

    assertThat(run()).holds(999 * 500);
  }

  @Test
  void sortOfNothing() {
    b.zeros(Shape.of(BF16, 3, 0)).sort((a, c) -> a.lt(c), 1);

    assertThat(run()).hasShape(Shape.of(BF16, 3, 0));
  }

  @Test
  void topkGivesTheLargestAndWhereTheyWere() {
    b.constant(new int[][] {{1, 9, 4, 9}, {7, -7, 0, 1}}).topK(3, true);

    assertThat(run())
        .isEqualTo(
            Literal.tuple(
                Literal.of(new int[][] {{9, 9, 4}, {7, 1, 0}}),
                Literal.of(new int[][] {{1, 3, 2}, {0, 3, 2}})));
  }

  @Test
  void topkOfTheSmallest() {
    b.constant(U8, new int[] {200, 3, 255, 3}).topK(2, false);

    assertThat(run())
        .isEqualTo(Literal.tuple(Literal.of(U8, new int[] {3, 3}), Literal.of(new int[] {1, 3})));
  }

  @Test
  void topkTakesNanForTheLargest() {
    b.constant(new float[] {1, NAN, INF, -0f, 0f}).topK(5, true);

    assertThat(run().element(0)).holds(new float[] {NAN, INF, 1, 0f, -0f});
    assertThat(run0(new double[] {1, 2}, 0)).hasShape(Shape.of(F64, 0));
  }

  private static Literal run0(Object value, long k) {
    XlaBuilder builder = new XlaBuilder("k");
    builder.constant(value).topK(k, true);
    return Evaluators.both().run(builder.build()).element(0);
  }

  @Test
  void topkOfZeroLines() {
    b.zeros(Shape.of(F32, 0, 4)).topK(2, true);

    assertThat(run())
        .isEqualTo(
            Literal.tuple(Literal.zeros(Shape.of(F32, 0, 2)), Literal.zeros(Shape.of(S32, 0, 2))));
  }
}
