package org.hlo4j.hlo.op;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.Refusals.assertRefused;
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

  private static void assertReduceRefused(
      String message, String operands, String dimensions, ProgramShape body) {
    assertRefused("reduce: " + message, () -> reduce(operands, dimensions, body));
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
  void severalInputsGiveATuple() {
    ProgramShape body =
        signature("f32[] s32[] f32[] s32[]", Shape.tuple(shape("f32[]"), shape("s32[]")));
    assertThat(reduce("f32[2,3] s32[2,3] f32[] s32[]", "0", body))
        .isEqualTo(Shape.tuple(shape("f32[3]"), shape("s32[3]")));
  }

  @Test
  void keptDimensions() {
    assertThat(new Reduce(Dims.of(2, 0)).kept(4)).isEqualTo(Dims.of(1, 3));
    assertThat(new Reduce(Dims.of()).kept(2)).isEqualTo(Dims.of(0, 1));
  }

  @Test
  void c1InputsHaveTheSameSizes() {
    assertReduceRefused(
        "sizes of input 1 got f32[3], want those of input 0, f32[2] [reduce C1]",
        "f32[2] f32[3] f32[] f32[]",
        "0",
        F32_SUM);
  }

  @Test
  void c2InitialValuesAreScalarsOfTheElementType() {
    assertReduceRefused(
        "init_value 0 got s32[], want f32[] as the elements of input 0 [reduce C2]",
        "f32[2] s32[]",
        "0",
        F32_SUM);
    assertReduceRefused(
        "init_value 0 got f32[1], want f32[] as the elements of input 0 [reduce C2]",
        "f32[2] f32[1]",
        "0",
        F32_SUM);
  }

  @Test
  void c3AsManyInitialValuesAsInputs() {
    assertReduceRefused(
        "operand count got 3, want as many initial values as inputs [reduce C3]",
        "f32[2] f32[] f32[]",
        "0",
        F32_SUM);
    assertReduceRefused("operand count got 0, want at least 2", "", "0", F32_SUM);
  }

  @Test
  void c4DimensionsExist() {
    assertReduceRefused(
        "dimensions[1] got 2, want a dimension of f32[2,3] [reduce C4]",
        "f32[2,3] f32[]",
        "0 2",
        F32_SUM);
    assertReduceRefused(
        "dimensions[0] got -1, want a dimension of f32[2,3] [reduce C4]",
        "f32[2,3] f32[]",
        "-1",
        F32_SUM);
  }

  @Test
  void c5NoDimensionTwice() {
    assertReduceRefused(
        "dimensions got (1, 1), want no dimension twice [reduce C5]",
        "f32[2,3] f32[]",
        "1 1",
        F32_SUM);
  }

  @Test
  void c6ComputationFoldsScalars() {
    assertReduceRefused(
        "parameter count of to_apply got 1, want 2: (f32[]) -> f32[] [reduce C6]",
        "f32[2] f32[]",
        "0",
        signature("f32[]", shape("f32[]")));
    assertReduceRefused(
        "parameter 1 of to_apply got s32[], want f32[] [reduce C6]",
        "f32[2] f32[]",
        "0",
        signature("f32[] s32[]", shape("f32[]")));
    assertReduceRefused(
        "result of to_apply got f32[2], want f32[] [reduce C6]",
        "f32[2] f32[]",
        "0",
        signature("f32[] f32[]", shape("f32[2]")));
  }

  @Test
  void inputsAreArrays() {
    Operands in =
        new Operands(ImmutableList.of(Shape.tuple(), shape("f32[]")), ImmutableList.of(F32_SUM));
    assertRefused("reduce: input 0 got (), want an array", () -> new Reduce(Dims.of(0)).infer(in));
  }
}
