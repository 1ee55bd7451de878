package org.hlo4j.interpreter.compiled.reduce;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.interpreter.compiled.reduce.ReducePrograms.kernel;
import static org.hlo4j.interpreter.compiled.reduce.ReducePrograms.module;

import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Reductions of short rows, one per lane. */
final class RowPerLaneTest {
  /** The first operand is the same along dimension 1, the second along dimension 0. */
  private static final String DISTANCES =
      """
      fused {
        x = TYPE[5,C] parameter(0)
        y = TYPE[R,C] parameter(1)
        zero = TYPE[] constant(0)
        xb = TYPE[5,R,C] broadcast(x), dimensions={0,2}
        yb = TYPE[5,R,C] broadcast(y), dimensions={1,2}
        d = TYPE[5,R,C] subtract(xb, yb)
        dd = TYPE[5,R,C] multiply(d, d)
        s = TYPE[5,R] reduce(dd, zero), dimensions={2}, to_apply=sum
        ROOT r = TYPE[5,R] sqrt(s)
      }
      ENTRY e {
        x = TYPE[5,C] parameter(0)
        y = TYPE[R,C] parameter(1)
        ROOT r = TYPE[5,R] fusion(x, y), kind=kLoop, calls=fused
      }
      """;

  /** A transposed operand, whose rows are already interleaved, and one with an element per row. */
  private static final String TRANSPOSED =
      """
      fused {
        x = TYPE[C,R] parameter(0)
        w = TYPE[R] parameter(1)
        zero = TYPE[] constant(0)
        xt = TYPE[R,C] transpose(x), dimensions={1,0}
        wb = TYPE[R,C] broadcast(w), dimensions={0}
        p = TYPE[R,C] multiply(xt, wb)
        s = TYPE[R] reduce(p, zero), dimensions={1}, to_apply=sum
        m = TYPE[R] reduce(xt, zero), dimensions={1}, to_apply=max
        a = TYPE[R] add(s, w)
        ROOT t = (TYPE[R], TYPE[R], TYPE[R,C]) tuple(a, m, p)
      }
      ENTRY e {
        x = TYPE[C,R] parameter(0)
        w = TYPE[R] parameter(1)
        ROOT t = (TYPE[R], TYPE[R], TYPE[R,C]) fusion(x, w), kind=kLoop, calls=fused
      }
      """;

  /** Rows along the middle dimension, and operands along the innermost and the outermost one. */
  private static final String ACROSS =
      """
      fused {
        x = TYPE[3,C,R] parameter(0)
        w = TYPE[R] parameter(1)
        v = TYPE[3] parameter(2)
        low = TYPE[] constant(-inf)
        zero = TYPE[] constant(0)
        m = TYPE[3,R] reduce(x, low), dimensions={1}, to_apply=max
        mb = TYPE[3,C,R] broadcast(m), dimensions={0,2}
        d = TYPE[3,C,R] subtract(x, mb)
        e = TYPE[3,C,R] exponential(d)
        s = TYPE[3,R] reduce(e, zero), dimensions={1}, to_apply=sum
        sb = TYPE[3,C,R] broadcast(s), dimensions={0,2}
        y = TYPE[3,C,R] divide(e, sb)
        wb = TYPE[3,C,R] broadcast(w), dimensions={2}
        vb = TYPE[3,C,R] broadcast(v), dimensions={0}
        p = TYPE[3,C,R] multiply(y, wb)
        q = TYPE[3,C,R] add(p, vb)
        wr = TYPE[3,R] broadcast(w), dimensions={1}
        t = TYPE[3,R] add(s, wr)
        ROOT r = (TYPE[3,C,R], TYPE[3,R]) tuple(q, t)
      }
      ENTRY e {
        x = TYPE[3,C,R] parameter(0)
        w = TYPE[R] parameter(1)
        v = TYPE[3] parameter(2)
        ROOT r = (TYPE[3,C,R], TYPE[3,R]) fusion(x, w, v), kind=kLoop, calls=fused
      }
      """;

  private static final String LESS_SUMS =
      """
      fused {
        x = TYPE[3,C,R] parameter(0)
        zero = TYPE[] constant(0)
        s = TYPE[3,R] reduce(x, zero), dimensions={1}, to_apply=sum
        sb = TYPE[3,C,R] broadcast(s), dimensions={0,2}
        d = TYPE[3,C,R] subtract(x, sb)
        ROOT y = TYPE[3,C,R] multiply(d, d)
      }
      ENTRY e {
        x = TYPE[3,C,R] parameter(0)
        ROOT y = TYPE[3,C,R] fusion(x), kind=kLoop, calls=fused
      }
      """;

  @ParameterizedTest
  @CsvSource({
    "f32, 8, 2",
    "f32, 13, 7",
    "f32, 257, 13",
    "f32, 31, 30",
    "f32, 5000, 3",
    "f64, 13, 7",
    "f64, 57, 23",
    "bf16, 257, 13",
    "f16, 40, 23",
  })
  void closeToTheReference(String type, int rows, int columns) {
    ReducePrograms.check(module(ReducePrograms.SOFTMAX, type, rows, columns), 1, 4);
    ReducePrograms.check(module(DISTANCES, type, rows, columns), 2, 0);
    ReducePrograms.check(module(TRANSPOSED, type, rows, columns), 3, 0);
    ReducePrograms.check(module(TRANSPOSED, type, rows, 8 * columns), 3, 0);
  }

  @ParameterizedTest
  @CsvSource({
    "8,   7,   'reduce rows 8x7 one per lane, blocks of 8, passes 3'",
    "257, 13,  'reduce rows 257x13 one per lane, blocks of 257, passes 3'",
    "31,  23,  'reduce rows 31x23 one per lane, blocks of 31, passes 3'",
    "7,   13,  'reduce rows 7x13 one per lane, blocks of 7, passes 3'",
    "31,  24,  'reduce rows 31x24 contiguous, blocks of 31, passes 4'",
  })
  void shortRowsAreOnePerLaneIfThereAreEnough(int rows, int columns, String how) {
    assertThat(kernel(module(ReducePrograms.SOFTMAX, "f32", rows, columns)).describe())
        .isEqualTo(how);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "f32[13,7]   | add      | 1.5",
        "f32[257,23] | add      | 0",
        "f64[13,23]  | add      | 1.5",
        "bf16[13,23] | add      | 1.5",
        "f32[13,11]  | maximum  | -inf",
        "f32[13,11]  | minimum  | 0",
        "f32[13,50]  | multiply | 2",
        "s8[13,50]   | add      | 100",
        "u8[13,50]   | maximum  | 3",
        "s16[13,50]  | multiply | 7",
        "u32[13,50]  | minimum  | 4000000000",
        "s64[13,50]  | add      | 5",
        "u64[13,50]  | maximum  | 5",
        "pred[13,50] | and      | true",
        "pred[13,3]  | xor      | false",
      })
  void sameBits(String operand, String op, String initial) {
    HloModule module = ReducePrograms.reduce(operand, "1", op, initial);
    assertThat(kernel(module).describe()).contains("one per lane");
    ReducePrograms.check(module, 4, 0);
  }

  @ParameterizedTest
  @ValueSource(ints = {13, 7, 1})
  void sumsOfBytesWrapBeforeTheyAreUsed(int rows) {
    String text =
        """
        fused {
          x = TYPE[R,C] parameter(0)
          zero = TYPE[] constant(0)
          s = TYPE[R] reduce(x, zero), dimensions={1}, to_apply=sum
          ROOT w = s32[R] convert(s)
        }
        ENTRY e {
          x = TYPE[R,C] parameter(0)
          ROOT w = s32[R] fusion(x), kind=kLoop, calls=fused
        }
        """;
    ReducePrograms.check(module(text, "s8", rows, 50), 5, 0);
  }

  @ParameterizedTest
  @CsvSource({"maximum, -inf", "minimum, inf", "add, 0"})
  void specialValues(String op, String initial) {
    double[] numbers = {-0.0, 0.0, 1, Double.NaN, 1e-40, 2, 3, 4, -0.0, 1e38, 1e38, -1};
    double infinity = Double.POSITIVE_INFINITY;
    double[] infinities = {1, infinity, 2, -infinity, 5, -infinity, -infinity, -infinity};
    HloModule module = ReducePrograms.reduce("f32[29,5]", "1", op, initial);
    Literal operand = literal((Shape.Array) Parser.parseShape("f32[29,5]"), numbers, infinities);
    assertThat(kernel(module).describe()).contains("one per lane");
    ReducePrograms.check(module, 0, operand);
  }

  private static Literal literal(Shape.Array shape, double[] first, double[] second) {
    LiteralBuilder builder = new LiteralBuilder(shape);
    for (int i = 0; i < shape.elementCount(); i++) {
      double[] from = i / 5 % 2 == 0 ? first : second;
      builder.setDouble(i, (float) from[i % from.length]);
    }
    return builder.build();
  }

  @Test
  void inPlace() {
    HloModule module = module(ReducePrograms.SOFTMAX, "f32", 257, 13);
    assertThat(kernel(module).canReuseOperandBuffer(0)).isTrue();
    ReducePrograms.check(module, 6, 4);
    assertThat(kernel(module(DISTANCES, "f32", 40, 40)).canReuseOperandBuffer(1)).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "f32, 17, 5",
    "f32, 64, 30",
    "f32, 33, 240",
    "f64, 20, 9",
    "bf16, 40, 11",
  })
  void rowsAlongTheMiddleDimension(String type, int rows, int columns) {
    assertThat(kernel(module(ACROSS, type, rows, columns)).describe()).contains("one per lane");
    ReducePrograms.check(module(ACROSS, type, rows, columns), 7, 4);
    assertThat(kernel(module(LESS_SUMS, type, rows, columns)).describe()).contains("one per lane");
    ReducePrograms.check(module(LESS_SUMS, type, rows, columns), 8, type.equals("f64") ? 1e3 : 0);
  }

  @ParameterizedTest
  @CsvSource({
    "128, 900, 'reduce rows 384x900 one per lane, blocks of 16, passes 2'",
    "256, 30,  'reduce rows 768x30 one per lane, blocks of 128, passes 2'",
  })
  void rowsAlongASmallMiddleDimension(int rows, int columns, String how) {
    HloModule module = module(LESS_SUMS, "f32", rows, columns);
    assertThat(kernel(module).describe()).isEqualTo(how);
    ReducePrograms.check(module, 9, 0);
  }

  @Test
  void inPlaceAlongTheMiddleDimension() {
    HloModule module = module(LESS_SUMS, "f32", 64, 40);
    assertThat(kernel(module).canReuseOperandBuffer(0)).isTrue();
    ReducePrograms.check(module, 10, 4);
    assertThat(kernel(module(ACROSS, "f32", 64, 40)).canReuseOperandBuffer(0)).isFalse();
  }
}
