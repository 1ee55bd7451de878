package org.hlo4j.interpreter.compiled.index;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.common.collect.ImmutableList;
import org.hlo4j.hlo.Dims;
import org.junit.jupiter.api.Test;

/** Arithmetic of indices: which are affine, and how loops are split to make the others affine. */
class AffineAlgebraTest {
  private static AffineIndex affine(long base, long... coefficients) {
    AffineIndex made = AffineIndex.constant(base);
    for (int c = 0; c < coefficients.length; c++) {
      made = made.with(c, coefficients[c]);
    }
    return made;
  }

  private static AffineAlgebra<Void> over(long... sizes) {
    return new AffineAlgebra<>(IterationSpace.of(Dims.of(sizes)));
  }

  @Test
  void arraysAreTraversedInRowMajorOrder() {
    assertThat(IterationSpace.of(Dims.of(2, 3, 4)).position()).isEqualTo(affine(0, 12, 4, 1));
  }

  @Test
  void indexOfARowMajorPosition() {
    assertThat(over(2, 3).index(affine(0, 3, 1), Dims.of(2, 3)))
        .containsExactly(affine(0, 1), affine(0, 0, 1))
        .inOrder();
  }

  @Test
  void indexOfAReversedPosition() {
    assertThat(over(2, 3).index(affine(5, -3, -1), Dims.of(2, 3)))
        .containsExactly(affine(1, -1), affine(2, 0, -1))
        .inOrder();
  }

  @Test
  void loopOverSeveralRowsBecomesTwoLoops() {
    NotAffineException notAffine =
        assertThrows(NotAffineException.class, () -> over(6).index(affine(0, 1), Dims.of(2, 3)));
    assertThat(notAffine.parts()).isEqualTo(ImmutableList.of(IterationSpace.of(Dims.of(2, 3))));
  }

  @Test
  void rowsThatDoNotFitTheLoopAreNotAffine() {
    NotAffineException notAffine =
        assertThrows(NotAffineException.class, () -> over(5).index(affine(1, 1), Dims.of(2, 3)));
    assertThat(notAffine.parts()).isEmpty();
  }

  @Test
  void loopIsSplitWhereItCrossesABound() {
    AffineAlgebra<Void> positions = over(10);
    assertThat(positions.region(affine(0, 1), 10)).isEqualTo(0);
    assertThat(positions.region(affine(4, 1), 2, 4)).isEqualTo(2);
    NotAffineException notAffine =
        assertThrows(NotAffineException.class, () -> positions.region(affine(-3, 1), 0, 5));
    assertThat(notAffine.parts()).isEqualTo(IterationSpace.of(Dims.of(10)).splitAt(0, 3));
  }

  @Test
  void backwardLoopIsSplitToo() {
    NotAffineException notAffine =
        assertThrows(NotAffineException.class, () -> over(10).region(affine(9, -1), 4));
    assertThat(notAffine.parts()).isEqualTo(IterationSpace.of(Dims.of(10)).splitAt(0, 6));
  }

  @Test
  void divisionByThreeStridesTheLoopByThree() {
    AffineAlgebra<Void> positions = over(7);
    assertThat(positions.isMultiple(affine(6, 3), 3)).isTrue();
    assertThat(positions.quotient(affine(6, 3), 3)).isEqualTo(affine(2, 1));
    assertThat(positions.isMultiple(affine(7, 3), 3)).isFalse();
    NotAffineException notAffine =
        assertThrows(NotAffineException.class, () -> positions.isMultiple(affine(0, 1), 3));
    assertThat(notAffine.parts()).isEqualTo(IterationSpace.of(Dims.of(7)).strided(0, 3));
    assertThat(notAffine.parts().stream().map(IterationSpace::elements))
        .containsExactly(3L, 2L, 2L);
  }

  @Test
  void dynamicStartsAreCountersAfterTheLoops() {
    AffineAlgebra<String> positions =
        new AffineAlgebra<String>(IterationSpace.of(Dims.of(4)))
            .withElements((operand, index) -> "start");
    assertThat(positions.start(1, ImmutableList.of(), 6)).isEqualTo(affine(0, 0, 1));
    assertThat(positions.start(1, ImmutableList.of(), 6)).isEqualTo(affine(0, 0, 1));
    assertThat(positions.start(1, ImmutableList.of(), 0)).isEqualTo(affine(0));
    assertThat(positions.region(affine(0, 1, 1), 10)).isEqualTo(0);
    assertThat(
            assertThrows(NotAffineException.class, () -> positions.region(affine(0, 0, 1), 3))
                .parts())
        .isEmpty();
  }
}
