package org.hlo4j.testing;

import static com.google.common.truth.Truth.assertThat;
import static com.google.common.truth.Truth.assertWithMessage;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class NightlyTest {
  private static final List<String> TYPES = List.of("s8", "s32", "bf16", "f32", "f64");

  @Test
  void eachRowHasAChoiceAndEachChoiceARow() {
    for (int n : new int[] {2, 3, 5, 9}) {
      Set<String> taken = new HashSet<>();
      for (int row = 0; row < 40; row++) {
        List<String> some = Nightly.some(n, "row " + row, TYPES);
        assertThat(some).isNotEmpty();
        taken.addAll(some);
        int most = Nightly.isOn() ? TYPES.size() : (TYPES.size() + n - 1) / n;
        assertThat(some.size()).isAtMost(most);
      }
      assertWithMessage("each %s", n).that(taken).containsExactlyElementsIn(TYPES);
    }
  }

  @Test
  void sameRowsHaveTheSameChoices() {
    assertThat(Nightly.some(3, "f32[7]", TYPES)).isEqualTo(Nightly.some(3, "f32[7]", TYPES));
    assertThat(Nightly.some(3, "f32[7]", List.of())).isEmpty();
  }
}
