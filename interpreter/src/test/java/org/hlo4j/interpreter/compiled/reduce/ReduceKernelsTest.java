package org.hlo4j.interpreter.compiled.reduce;

import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Reductions against the reference evaluator. */
final class ReduceKernelsTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "f32[7,13]      | 1   | add      | 0",
        "f32[7,13]      | 0   | add      | 1.5",
        "f32[7,13]      | 0,1 | add      | 0",
        "f32[3,257]     | 1   | add      | 0",
        "f32[3,4097]    | 1   | add      | 2",
        "f32[17,1300]   | 0   | add      | 2",
        "f32[5,7,100,3] | 1,3 | add      | 0",
        "f32[5,7,100,3] | 0,2 | add      | 0",
        "f32[5,7,3,100] | 1,3 | add      | 0",
        "f32[3000,2,65] | 0,2 | add      | 0",
        "f32[]          |     | add      | 3",
        "f8e4m3fn[3,257]| 1   | maximum  | 0",
        "f8e5m2[3,257]  | 1   | add      | 0",
        "f8e4m3[30,27]  | 0   | add      | 0",
        "s4[3,257]      | 1   | add      | 3",
        "u4[30,27]      | 0   | maximum  | 3",
        "s2[30,27]      | 0   | multiply | 1",
        "f32[1003,30]   | 0   | add      | 5",
        "bf16[2,99,400] | 1   | add      | 5",
        "s16[16389,129] | 1   | maximum  | 5",
        "s32[60000,3]   | 0   | maximum  | 5",
        "bf16[3,140000] | 1   | maximum  | 0",
        "bf16[3,4097]   | 1   | add      | 0",
        "bf16[300,40]   | 0   | add      | 0",
        "f16[3,4097]    | 1   | add      | 0",
        "f16[300,40]    | 0   | add      | 0",
        "f32[3,4097]    | 1   | maximum  | -inf",
        "f64[7,300]     | 1   | maximum  | 2",
        "s8[6,4097]     | 1   | add      | 2",
        "pred[6,4097]   | 1   | xor      | false",
        "f32[300,40]    | 0   | maximum  | -inf",
        "f32[3,41]      | 1   | multiply | 1",
        "s8[300,40]     | 0   | add      | 0",
        "u8[3,4097]     | 1   | maximum  | 0",
        "u16[3,4097]    | 1   | multiply | 3",
        "s16[300,40]    | 0   | maximum  | 3",
        "s32[3,4097]    | 1   | add      | 5",
        "s32[300,40]    | 0   | multiply | 5",
        "u32[3,4097]    | 1   | maximum  | 0",
        "u32[300,40]    | 0   | minimum  | 7",
        "s64[3,4097]    | 1   | add      | 0",
        "u64[3,4097]    | 1   | maximum  | 0",
        "u64[300,40]    | 0   | minimum  | 9",
        "s32[3,257]     | 1   | and      | -1",
        "u64[3,257]     | 1   | xor      | 0",
        "pred[3,257]    | 1   | and      | true",
        "pred[300,40]   | 0   | or       | false",
        "pred[3,257]    | 1   | add      | false"
      })
  void sameBits(String operand, String dimensions, String op, String initial) {
    String reduced = dimensions == null ? "" : dimensions;
    ReducePrograms.check(ReducePrograms.reduce(operand, reduced, op, initial), 1, 0);
  }

  /** What {@link #sameBits} leaves to the night. */
  @Tag("nightly")
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "f32[257,3]     | 0   | add      | 0",
        "f32[1,4,1]     | 1   | add      | 3",
        "f32[1,4,1]     | 0   | add      | 3",
        "f32[300001]    | 0   | add      | 5",
        "f32[2,140000]  | 1   | add      | 5",
        "f32[60000,3]   | 0   | add      | 5",
        "f32[3,700,30]  | 1   | add      | 5",
        "f32[100,512]   | 0   | add      | 5",
        "f32[2048,1024] | 1   | add      | 5",
        "f32[16389,129] | 1   | add      | 5",
        "f32[9,4097]    | 1   | maximum  | -inf",
        "f32[9,4097]    | 1   | add      | 2",
        "f32[5,2,6,257] | 1,3 | add      | 2",
        "f32[40,130]    | 1   | add      | 2",
        "f32[3,4097]    | 1   | minimum  | inf",
        "bf16[3,4097]   | 1   | maximum  | -inf",
        "f32[41,30]     | 0   | multiply | 1",
        "f64[3,41]      | 1   | multiply | 1",
        "f64[3,257]     | 1   | maximum  | 0",
        "s8[3,4097]     | 1   | add      | 0",
        "s8[3,4097]     | 1   | minimum  | 0",
        "s32[3,257]     | 1   | or       | 0",
        "pred[3,257]    | 1   | or       | false",
        "pred[3,257]    | 1   | xor      | false",
        "pred[3,257]    | 1   | maximum  | false",
        "pred[30,25]    | 0   | multiply | true"
      })
  void sameBitsAtNight(String operand, String dimensions, String op, String initial) {
    sameBits(operand, dimensions, op, initial);
  }

  /**
   * Special values of max and min: in rows that are reduced together and in remaining ones, in rows
   * with one lane each, in rows of several groups, and in columns.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "f32[11,263]   | 1   | maximum | -inf",
        "f64[11,263]   | 1   | maximum | -inf",
        "bf16[11,263]  | 1   | maximum | -inf",
        "f32[3,11,263] | 0,2 | maximum | -inf",
        "f32[11,263]   | 0   | maximum | -inf"
      })
  void specialValues(String operand, String dimensions, String op, String initial) {
    double[] special = {
      -0.0,
      0,
      Double.NaN,
      Double.longBitsToDouble(0xfff8L << 48), // NaN with a sign, as x86 makes them
      Double.NEGATIVE_INFINITY,
      Double.POSITIVE_INFINITY,
      1e-45,
      -1e-45
    };
    Shape.Array shape = (Shape.Array) Parser.parseShape(operand);
    long columns = shape.size(shape.rank() - 1);
    LiteralBuilder x = new LiteralBuilder(shape);
    for (int i = 0; i < shape.elementCount(); i++) {
      int row = (int) (i / columns);
      boolean isSpecial = i % columns == 37L * row % columns;
      x.setDouble(i, isSpecial ? special[row % special.length] : -0.0);
    }
    ReducePrograms.check(ReducePrograms.reduce(operand, dimensions, op, initial), 0, x.build());
  }

  /** What {@link #specialValues} leaves to the night. */
  @Tag("nightly")
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "f32[11,263]   | 1   | minimum | inf",
        "f32[11,263]   | 1   | maximum | nan",
        "f32[11,263]   | 1   | minimum | -0",
        "f64[11,263]   | 1   | minimum | inf",
        "f32[33,67]    | 1   | maximum | -inf",
        "f32[33,67]    | 1   | minimum | inf",
        "f64[33,67]    | 1   | minimum | inf",
        "f32[11,263]   | 0   | minimum | inf"
      })
  void specialValuesAtNight(String operand, String dimensions, String op, String initial) {
    specialValues(operand, dimensions, op, initial);
  }

  /** Reducers that differ only in the order of their parameters. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "f32[7,13] | 1 | f32[7]  | a, b",
        "f32[7,13] | 1 | f32[7]  | b, a",
        "f32[7,13] | 0 | f32[13] | a, b",
        "f32[7,13] | 0 | f32[13] | b, a",
      })
  void parametersInAnyOrder(String operand, String dimension, String result, String order) {
    HloModule module =
        Parser.parse(
            """
            HloModule m
            body {
              a = f32[] parameter(0)
              b = f32[] parameter(1)
              ROOT r = f32[] subtract(%s)
            }
            ENTRY e {
              x = %s parameter(0)
              i = f32[] constant(3)
              ROOT y = %s reduce(x, i), dimensions={%s}, to_apply=body
            }
            """
                .formatted(order, operand, result, dimension));
    ReducePrograms.check(module, 1, 0);
  }
}
