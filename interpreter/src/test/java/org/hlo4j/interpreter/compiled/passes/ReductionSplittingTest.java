package org.hlo4j.interpreter.compiled.passes;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.interpreter.compiled.passes.Rewrites.lines;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ReductionSplittingTest {
  private static String body(String type, String op) {
    return """
    b {
      p = T[] parameter(0)
      q = T[] parameter(1)
      ROOT r = T[] OP(p, q)
    }
    """
        .replace("T[]", type + "[]")
        .replace("OP", op);
  }

  private static String after(String type, String op, String entry) {
    return Rewrites.entry(new ReductionSplitting(), body(type, op), entry);
  }

  private static String reduce(String shape, String result, String dimensions) {
    String type = shape.substring(0, shape.indexOf('['));
    return lines(
        """
        x = SHAPE parameter(0)
        i = TYPE[] parameter(1)
        ROOT s = RESULT reduce(x, i), dimensions={DIMENSIONS}, to_apply=b
        """
            .replace("SHAPE", shape)
            .replace("TYPE", type)
            .replace("RESULT", result)
            .replace("DIMENSIONS", dimensions));
  }

  @Test
  void sumsOfPredAreSplit() {
    assertThat(after("pred", "add", reduce("pred[16,32,16]", "pred[32]", "0,2")))
        .isEqualTo(
            lines(
                """
                x = pred[16,32,16] parameter(0)
                i = pred[] parameter(1)
                constant = pred[] constant(false)
                reduce = pred[32,16] reduce(x, constant), dimensions={0}, to_apply=b
                ROOT s = pred[32] reduce(reduce, i), dimensions={1}, to_apply=b
                """));
  }

  @Test
  void floatSumsStayWideBetweenTheSteps() {
    assertThat(after("f32", "add", reduce("f32[8,32,4,1,8]", "f32[8,4]", "1,3,4")))
        .isEqualTo(
            lines(
                """
                x = f32[8,32,4,1,8] parameter(0)
                i = f32[] parameter(1)
                constant = f64[] constant(-0.0)
                convert = f64[8,32,4,1,8] convert(x)
                convert.1 = f64[] convert(i)
                reduce = f64[8,4,1,8] reduce(convert, constant), dimensions={1}, to_apply=add
                reduce.1 = f64[8,4] reduce(reduce, convert.1), dimensions={2,3}, to_apply=add
                ROOT s = f32[8,4] convert(reduce.1)
                """));
  }

  @Test
  void constantInitialValuesAreConverted() {
    assertThat(
            after(
                "bf16",
                "add",
                """
                x = bf16[512,4,8] parameter(0)
                i = bf16[] constant(2)
                ROOT s = bf16[4] reduce(x, i), dimensions={0,2}, to_apply=b
                """))
        .contains("constant.1 = f64[] constant(2)");
  }

  @Test
  void integersAreNotWidened() {
    assertThat(after("s8", "add", reduce("s8[512,4,8]", "s8[4]", "0,2")))
        .isEqualTo(
            lines(
                """
                x = s8[512,4,8] parameter(0)
                i = s8[] parameter(1)
                constant = s8[] constant(0)
                reduce = s8[4,8] reduce(x, constant), dimensions={0}, to_apply=b
                ROOT s = s8[4] reduce(reduce, i), dimensions={1}, to_apply=b
                """));
  }

  @Test
  void maximaAreNotWidened() {
    assertThat(after("f32", "maximum", reduce("f32[512,4,8]", "f32[4]", "0,2")))
        .isEqualTo(
            lines(
                """
                x = f32[512,4,8] parameter(0)
                i = f32[] parameter(1)
                reduce = f32[4,8] reduce(x, i), dimensions={0}, to_apply=b
                ROOT s = f32[4] reduce(reduce, i), dimensions={1}, to_apply=b
                """));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "an order that counts        | multiply | f32[512,4,8]   | f32[4]   | 0,2",
        "two numbers an element      | add      | c64[512,4,8]   | c64[4]   | 0,2",
        "rows long enough            | add      | f32[64,4,128]  | f32[4]   | 0,2",
        "hardly any rows             | add      | f32[2,64,64]   | f32[64]  | 0,2",
        "hardly any terms            | add      | f32[7,400,36]  | f32[400] | 0,2",
        "nothing kept in between     | add      | f32[4,512,1,8] | f32[4,1] | 1,3",
        "nothing folded but the last | add      | f32[64,64,8]   | f32[64,64] | 2",
        "no elements of many rows    | add      | f32[9999999999,0,9999999999,8] | f32[0] | 0,2,3",
        "the last kept               | add      | f32[64,64,8]   | f32[8]   | 0,1",
      })
  void otherReductionsStay(String why, String op, String shape, String result, String dimensions) {
    String text = reduce(shape, result, dimensions);
    assertThat(after(shape.substring(0, 3), op, text)).isEqualTo(text);
  }
}
