package org.hlo4j.hlo.op;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.junit.jupiter.api.Test;

class ConvolutionDimensionNumbersTest {
  @Test
  void defaultsMatchXla() {
    assertThat(ConvolutionDimensionNumbers.defaults(2).toString()).isEqualTo("bf01_oi01->bf01");
    assertThat(ConvolutionDimensionNumbers.defaults(0).toString()).isEqualTo("bf_oi->bf");
  }

  @Test
  void labelsRoundTrip() {
    ConvolutionDimensionNumbers numbers = ConvolutionDimensionNumbers.fromLabels("b01f_10io->f0b1");
    assertThat(numbers)
        .isEqualTo(
            new ConvolutionDimensionNumbers(
                0, 3, Dims.of(1, 2), 2, 3, Dims.of(1, 0), 2, 0, Dims.of(1, 3)));
    assertThat(numbers.toString()).isEqualTo("b01f_10io->f0b1");
  }

  private static String refusal(String labels) {
    return assertThrows(HloException.class, () -> ConvolutionDimensionNumbers.fromLabels(labels))
        .summary();
  }

  @Test
  void malformedLabelsAreRefused() {
    assertThat(refusal("b01f"))
        .isEqualTo("dim_labels: got b01f, want lhs_rhs->result, such as b01f_01io->b01f");
    assertThat(refusal("b01_01io->b01f"))
        .isEqualTo("dim_labels: b01_01io->b01f got b01, want f in it once");
    assertThat(refusal("b01f_00io->b01f"))
        .isEqualTo("dim_labels: b01f_00io->b01f got 00io, want 0 in it once");
    assertThat(refusal("b01f_0io->b01f"))
        .isEqualTo(
            "dim_labels: b01f_0io->b01f got 0io, want 2 spatial dimensions as in lhs, 10 at most");
  }

  @Test
  void explainPrintsATable() {
    assertThat(ConvolutionDimensionNumbers.fromLabels("b0f_0io->b0f").explain())
        .isEqualTo(
            """
                    dim 0      dim 1      dim 2
            lhs     batch      spatial 0  feature
            kernel  spatial 0  input      output
            result  batch      spatial 0  feature\
            """);
  }
}
