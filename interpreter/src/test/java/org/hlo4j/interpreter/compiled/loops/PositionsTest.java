package org.hlo4j.interpreter.compiled.loops;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.common.collect.ImmutableList;
import org.hlo4j.hlo.Dims;
import org.junit.jupiter.api.Test;

/** Arithmetic of positions: what is affine, and which loops make it so if it is not. */
class PositionsTest {
  private static Affine affine(long base, long... coefficients) {
    Affine made = Affine.constant(base);
    for (int c = 0; c < coefficients.length; c++) {
      made = made.with(c, coefficients[c]);
    }
    return made;
  }

  private static Positions over(long... sizes) {
    return new Positions(Domain.of(Dims.of(sizes)));
  }

  @Test
  void theLoopsOfAnArrayGoThroughItInOrder() {
    assertThat(Domain.of(Dims.of(2, 3, 4)).position()).isEqualTo(affine(0, 12, 4, 1));
  }

  @Test
  void theIndexOfARowMajorPosition() {
    assertThat(over(2, 3).index(affine(0, 3, 1), Dims.of(2, 3)))
        .containsExactly(affine(0, 1), affine(0, 0, 1))
        .inOrder();
  }

  @Test
  void theIndexOfARowTurnedRound() {
    assertThat(over(2, 3).index(affine(5, -3, -1), Dims.of(2, 3)))
        .containsExactly(affine(1, -1), affine(2, 0, -1))
        .inOrder();
  }

  @Test
  void aLoopThroughSeveralRowsBecomesTwo() {
    Refine refine = assertThrows(Refine.class, () -> over(6).index(affine(0, 1), Dims.of(2, 3)));
    assertThat(refine.parts()).isEqualTo(ImmutableList.of(Domain.of(Dims.of(2, 3))));
  }

  @Test
  void rowsThatDoNotFitTheLoopAreGivenUp() {
    Refine refine = assertThrows(Refine.class, () -> over(5).index(affine(1, 1), Dims.of(2, 3)));
    assertThat(refine.parts()).isEmpty();
  }

  @Test
  void aLoopIsSplitWhereItCrossesABound() {
    Positions positions = over(10);
    assertThat(positions.region(affine(0, 1), 10)).isEqualTo(0);
    assertThat(positions.region(affine(4, 1), 2, 4)).isEqualTo(2);
    Refine refine = assertThrows(Refine.class, () -> positions.region(affine(-3, 1), 0, 5));
    assertThat(refine.parts()).isEqualTo(Domain.of(Dims.of(10)).splitAt(0, 3));
  }

  @Test
  void aLoopBackwardsIsSplitToo() {
    Refine refine = assertThrows(Refine.class, () -> over(10).region(affine(9, -1), 4));
    assertThat(refine.parts()).isEqualTo(Domain.of(Dims.of(10)).splitAt(0, 6));
  }

  @Test
  void everyThirdIterationIsWholeWhenDividedByThree() {
    Positions positions = over(7);
    assertThat(positions.divided(affine(6, 3), 3)).containsExactly(affine(2, 1));
    assertThat(positions.divided(affine(7, 3), 3)).isEmpty();
    Refine refine = assertThrows(Refine.class, () -> positions.divided(affine(0, 1), 3));
    assertThat(refine.parts()).isEqualTo(Domain.of(Dims.of(7)).strided(0, 3));
    assertThat(refine.parts().stream().map(Domain::elements)).containsExactly(3L, 2L, 2L);
  }

  @Test
  void startsAreCountersBehindTheLoops() {
    Positions positions = over(4);
    Start start = new Start(new Node.Count(org.hlo4j.hlo.ElementType.S32, affine(1)), 6);
    assertThat(positions.start(start)).isEqualTo(affine(0, 0, 1));
    assertThat(positions.start(start)).isEqualTo(affine(0, 0, 1));
    assertThat(positions.region(affine(0, 1, 1), 10)).isEqualTo(0);
    assertThat(assertThrows(Refine.class, () -> positions.region(affine(0, 0, 1), 3)).parts())
        .isEmpty();
  }
}
