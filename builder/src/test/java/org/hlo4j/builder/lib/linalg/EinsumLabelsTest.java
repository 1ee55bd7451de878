package org.hlo4j.builder.lib.linalg;

import static com.google.common.truth.Truth.assertThat;

import org.hlo4j.hlo.Dims;
import org.junit.jupiter.api.Test;

final class EinsumLabelsTest {
  @Test
  void parsed() {
    assertThat(EinsumLabels.parseEinsumString("...ab,...bcd->...acd", 4, 5))
        .isEqualTo(
            new EinsumLabels(
                Dims.of(-2, -1, 'a', 'b'),
                Dims.of(-2, -1, 'b', 'c', 'd'),
                Dims.of(-2, -1, 'a', 'c', 'd')));
    assertThat(EinsumLabels.normalizeEinsumString("ba,...bc")).isEqualTo("ba,...bc->...ac");
    assertThat(EinsumLabels.normalizeEinsumString("ab->a")).isEqualTo("ab->a");
  }
}
