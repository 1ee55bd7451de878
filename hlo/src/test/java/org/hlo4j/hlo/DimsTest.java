package org.hlo4j.hlo;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.Refusals.assertRefused;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.common.collect.ImmutableList;
import org.junit.jupiter.api.Test;

final class DimsTest {
  private final Dims sizes = Dims.of(4, 5, 6);

  @Test
  void factories() {
    assertThat(Dims.of()).isSameInstanceAs(Dims.of());
    assertThat(Dims.copyOf(ImmutableList.of(4, 5, 6))).isEqualTo(sizes);
    assertThat(Dims.copyOf(ImmutableList.of(4L, 5L, 6L))).isEqualTo(sizes);
    assertThat(Dims.range(4, 7)).isEqualTo(sizes);
    assertThat(Dims.range(4, 3)).isEqualTo(Dims.of());
    assertThat(Dims.filled(2, 7)).isEqualTo(Dims.of(7, 7));
    assertThat(Dims.filled(0, 7)).isEqualTo(Dims.of());
  }

  @Test
  void arraysAreCopiedInAndOut() {
    long[] values = {1, 2};
    Dims dims = Dims.of(values);
    values[0] = 9;
    dims.toArray()[1] = 9;
    assertThat(dims).isEqualTo(Dims.of(1, 2));
  }

  @Test
  void equalByContent() {
    assertThat(Dims.range(1, 3)).isEqualTo(Dims.of(1, 2));
    assertThat(Dims.range(1, 3).hashCode()).isEqualTo(Dims.of(1, 2).hashCode());
    assertThat(Dims.of(2, 1)).isNotEqualTo(Dims.of(1, 2));
    assertThat(Dims.of(1, 2, 0)).isNotEqualTo(Dims.of(1, 2));
    assertThat(Dims.of()).isNotEqualTo(Dims.of(0));
  }

  @Test
  void printsAsTuple() {
    assertThat(sizes.toString()).isEqualTo("(4, 5, 6)");
    assertThat(Dims.of(-1).toString()).isEqualTo("(-1)");
    assertThat(Dims.of().toString()).isEqualTo("()");
  }

  @Test
  void reading() {
    assertThat(sizes.count()).isEqualTo(3);
    assertThat(sizes.isEmpty()).isFalse();
    assertThat(Dims.of().isEmpty()).isTrue();
    assertThat(sizes.get(1)).isEqualTo(5);
    assertThat(sizes.getInt(2)).isEqualTo(6);
    assertThat(sizes.stream().sum()).isEqualTo(15);
    assertThat(sizes.indexOf(6)).isEqualTo(2);
    assertThat(Dims.of(7, 7).indexOf(7)).isEqualTo(0);
    assertThat(sizes.indexOf(7)).isEqualTo(-1);
    assertThat(sizes.contains(4)).isTrue();
    assertThat(sizes.contains(0)).isFalse();
    assertThrows(ArithmeticException.class, () -> Dims.of(1L << 31).getInt(0));
  }

  @Test
  void rearranging() {
    assertThat(sizes.with(1, 9)).isEqualTo(Dims.of(4, 9, 6));
    assertThat(sizes.inserted(0, 9)).isEqualTo(Dims.of(9, 4, 5, 6));
    assertThat(sizes.inserted(3, 9)).isEqualTo(Dims.of(4, 5, 6, 9));
    assertThat(sizes.concat(Dims.of(7))).isEqualTo(Dims.of(4, 5, 6, 7));
    assertThat(sizes.subList(1, 3)).isEqualTo(Dims.of(5, 6));
    assertThat(sizes.at(Dims.of(2, 0, 2))).isEqualTo(Dims.of(6, 4, 6));
    assertThat(sizes.without(Dims.of(2, 0))).isEqualTo(Dims.of(5));
    assertThat(Dims.of(2, 0, 1).inverse()).isEqualTo(Dims.of(1, 2, 0));
    assertThat(sizes.toString()).isEqualTo("(4, 5, 6)");
  }

  @Test
  void arithmetic() {
    assertThat(sizes.plus(Dims.of(1, 2, 3))).isEqualTo(Dims.of(5, 7, 9));
    assertThat(sizes.minus(Dims.of(1, 2, 3))).isEqualTo(Dims.of(3, 3, 3));
    assertThat(sizes.times(Dims.of(1, 2, 3))).isEqualTo(Dims.of(4, 10, 18));
    assertThat(Dims.of(-1, 2, 9).clamp(Dims.of(0, 0, 0), Dims.of(5, 5, 5)))
        .isEqualTo(Dims.of(0, 2, 5));
    // The upper bound is applied last: with crossed bounds it wins.
    assertThat(Dims.of(3).clamp(Dims.of(7), Dims.of(5))).isEqualTo(Dims.of(5));
  }

  @Test
  void arithmeticRequiresEqualCounts() {
    assertRefused("got (1) for (4, 5, 6), want as many values", () -> sizes.plus(Dims.of(1)));
    assertRefused(
        "got (1, 2, 3, 4) for (4, 5, 6), want as many values",
        () -> sizes.times(Dims.of(1, 2, 3, 4)));
  }

  @Test
  void inBounds() {
    assertThat(Dims.of(0, 0, 0).inBounds(sizes)).isTrue();
    assertThat(Dims.of(3, 4, 5).inBounds(sizes)).isTrue();
    assertThat(Dims.of(3, 5, 5).inBounds(sizes)).isFalse();
    assertThat(Dims.of(-1, 0, 0).inBounds(sizes)).isFalse();
    assertThat(Dims.of(0).inBounds(Dims.of(0))).isFalse();
    assertThat(Dims.of().inBounds(Dims.of())).isTrue();
  }

  @Test
  void product() {
    assertThat(sizes.product()).isEqualTo(120);
    assertThat(Dims.of().product()).isEqualTo(1);
    assertThat(Dims.of(1L << 31, 1L << 31).product()).isEqualTo(1L << 62);
    assertThrows(ArithmeticException.class, () -> Dims.of(1L << 32, 1L << 31).product());
    // A zero in any position makes the product 0, even if the other sizes overflow.
    assertThat(Dims.of(1L << 62, 1L << 62, 0).product()).isEqualTo(0);
  }

  @Test
  void rowMajorStrides() {
    assertThat(Dims.of(2, 3, 4).rowMajorStrides()).isEqualTo(Dims.of(12, 4, 1));
    assertThat(Dims.of(5, 0, 4).rowMajorStrides()).isEqualTo(Dims.of(0, 4, 1));
    assertThat(Dims.of().rowMajorStrides()).isEqualTo(Dims.of());
  }

  @Test
  void order() {
    assertThat(Dims.of(0, 2, 5).isStrictlyIncreasing()).isTrue();
    assertThat(Dims.of().isStrictlyIncreasing()).isTrue();
    assertThat(Dims.of(0, 0).isStrictlyIncreasing()).isFalse();
    assertThat(Dims.of(1, 0).isStrictlyIncreasing()).isFalse();
    assertThat(Dims.of(1, 0, 2).isPermutation()).isTrue();
    assertThat(Dims.of().isPermutation()).isTrue();
    assertThat(Dims.of(1, 1, 0).isPermutation()).isFalse();
    assertThat(Dims.of(1, 3, 0).isPermutation()).isFalse();
    assertThat(Dims.of(-1, 0).isPermutation()).isFalse();
    assertThat(Dims.of(3, 5).isDistinct()).isTrue();
    assertThat(Dims.of(3, 5, 3).isDistinct()).isFalse();
  }
}
