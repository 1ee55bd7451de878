package org.hlo4j.hlo.op;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.Shapes.dims;
import static org.hlo4j.hlo.Shapes.shape;
import static org.hlo4j.hlo.Shapes.shapes;

import com.google.common.collect.ImmutableList;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ProgramShape;
import org.hlo4j.hlo.Shape;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ReduceTest {
  private static final ProgramShape F32_SUM = signature("f32[] f32[]", shape("f32[]"));

  private static ProgramShape signature(String parameters, Shape result) {
    return new ProgramShape(ImmutableList.copyOf(shapes(parameters)), result);
  }

  private static Shape reduce(String operands, String dimensions, ProgramShape body) {
    return new Reduce(dims(dimensions))
        .infer(new Operands(ImmutableList.copyOf(shapes(operands)), ImmutableList.of(body)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          f32[2,3]      ; 1      ; f32[2]
          f32[2,3]      ; 0      ; f32[3]
          f32[2,3]      ; 1 0    ; f32[]
          f32[2,3,4]    ; 0 2    ; f32[3]
          f32[2,3]      ; ''     ; f32[2,3]
          f32[]         ; ''     ; f32[]
          f32[0,3]      ; 0      ; f32[3]
          f32[<=2,?,3]  ; 2      ; f32[<=2,?]
          """)
  void shapesOfOneInput(String input, String dimensions, String result) {
    assertThat(reduce(input + " f32[]", dimensions, F32_SUM)).isEqualTo(shape(result));
  }

  @Test
  void keptDimensions() {
    assertThat(new Reduce(Dims.of(2, 0)).kept(4)).isEqualTo(Dims.of(1, 3));
    assertThat(new Reduce(Dims.of()).kept(2)).isEqualTo(Dims.of(0, 1));
  }
}
