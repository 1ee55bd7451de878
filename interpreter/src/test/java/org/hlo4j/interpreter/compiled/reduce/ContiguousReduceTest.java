package org.hlo4j.interpreter.compiled.reduce;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.interpreter.compiled.reduce.ReducePrograms.kernel;
import static org.hlo4j.interpreter.compiled.reduce.ReducePrograms.module;

import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Reductions of rows of medium length along the contiguous dimension. */
final class ContiguousReduceTest {
  /** Operands for each column, each row and each element; results for rows and for elements. */
  private static final String NORM =
      """
      fused {
        x = TYPE[R,C] parameter(0)
        g = TYPE[C] parameter(1)
        w = TYPE[R] parameter(2)
        i = TYPE[] parameter(3)
        gb = TYPE[R,C] broadcast(g), dimensions={1}
        wb = TYPE[R,C] broadcast(w), dimensions={0}
        p = TYPE[R,C] multiply(x, gb)
        s = TYPE[R] reduce(p, i), dimensions={1}, to_apply=sum
        sb = TYPE[R,C] broadcast(s), dimensions={0}
        d = TYPE[R,C] subtract(x, sb)
        n = TYPE[R,C] multiply(d, wb)
        t = TYPE[R] reduce(n, i), dimensions={1}, to_apply=max
        u = TYPE[R] add(t, w)
        v = TYPE[R] negate(w)
        ROOT t2 = (TYPE[R,C], TYPE[R], TYPE[R], TYPE[R]) tuple(n, u, s, v)
      }
      ENTRY e {
        x = TYPE[R,C] parameter(0)
        g = TYPE[C] parameter(1)
        w = TYPE[R] parameter(2)
        i = TYPE[] parameter(3)
        ROOT r = (TYPE[R,C], TYPE[R], TYPE[R], TYPE[R]) fusion(x, g, w, i), kind=kLoop, calls=fused
      }
      """;

  /** Products of all pairs of rows of two operands. */
  private static final String PAIRS =
      """
      fused {
        x = TYPE[5,C] parameter(0)
        y = TYPE[R,C] parameter(1)
        zero = TYPE[] constant(0)
        xb = TYPE[5,R,C] broadcast(x), dimensions={0,2}
        yb = TYPE[5,R,C] broadcast(y), dimensions={1,2}
        p = TYPE[5,R,C] multiply(xb, yb)
        ROOT s = TYPE[5,R] reduce(p, zero), dimensions={2}, to_apply=sum
      }
      ENTRY e {
        x = TYPE[5,C] parameter(0)
        y = TYPE[R,C] parameter(1)
        ROOT s = TYPE[5,R] fusion(x, y), kind=kLoop, calls=fused
      }
      """;

  /** Whole iterations and remainders, one block of rows and more, vectors of every length. */
  @ParameterizedTest
  @CsvSource({
    "f32, 13, 24",
    "f32, 40, 49",
    "f32, 9, 1000",
    "f32, 257, 72",
    "f32, 13, 65",
    "f64, 11, 73",
    "f16, 10, 53",
    "bf16, 31, 104",
  })
  void closeToTheReference(String type, int rows, int columns) {
    assertThat(kernel(module(ReducePrograms.SOFTMAX, type, rows, columns)).describe())
        .contains("contiguous");
    ReducePrograms.check(module(ReducePrograms.SOFTMAX, type, rows, columns), 1, 4);
    assertThat(kernel(module(NORM, type, rows, columns)).describe()).contains("contiguous");
    ReducePrograms.check(module(NORM, type, rows, columns), 2, type.equals("f64") ? 1e3 : 0);
    assertThat(kernel(module(PAIRS, type, rows, columns)).describe()).contains("contiguous");
    ReducePrograms.check(module(PAIRS, type, rows, columns), 3, type.equals("f64") ? 1e3 : 0);
  }

  /** What {@link #closeToTheReference} leaves to the night. */
  @Tag("nightly")
  @ParameterizedTest
  @CsvSource({
    "f32, 257, 25",
    "f32, 8, 64",
    "f32, 13, 80",
    "f32, 100, 68",
    "f32, 10, 79",
    "f32, 30, 197",
    "f64, 11, 31",
    "f64, 13, 76",
    "f64, 9, 1024",
    "f16, 10, 139",
  })
  void closeToTheReferenceAtNight(String type, int rows, int columns) {
    closeToTheReference(type, rows, columns);
  }

  @ParameterizedTest
  @CsvSource({
    "8,  64,    'reduce rows 8x64 contiguous, blocks of 8, passes 4'",
    "31, 2048,  'reduce rows 31x2048 contiguous, blocks of 2, passes 4'",
    "31, 2049,  'reduce rows 31x2049 contiguous, blocks of 1, passes 4'",
    "31, 67,    'reduce rows 31x67 contiguous, blocks of 31, passes 4'",
    "31, 24,    'reduce rows 31x24 contiguous, blocks of 31, passes 4'",
    "31, 23,    'reduce rows 31x23 one per lane, blocks of 31, passes 3'",
    "7,  64,    'reduce rows 7x64 contiguous, blocks of 7, passes 4'",
    "1,  64,    'reduce rows 1x64 contiguous, blocks of 1, passes 4'",
  })
  void rowsOfMediumLengthAreContiguous(int rows, int columns, String how) {
    assertThat(kernel(module(ReducePrograms.SOFTMAX, "f32", rows, columns)).describe())
        .isEqualTo(how);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "f32[8,24]    | reduce rows 8x24 contiguous, blocks of 8, passes 1",
        "f32[8,33]    | reduce rows 8x33 contiguous, blocks of 8, passes 1",
        "f32[8,23]    | reduce rows 8x23 one per lane, blocks of 8, passes 1",
        "f32[8,15360] | reduce rows 8x15360 contiguous, blocks of 1, passes 1",
        "f32[8,15361] | reduce rows 8x15361 contiguous, blocks of 1, parts 2, passes 1",
      })
  void sumsOfShorterAndLongerRows(String operand, String how) {
    HloModule module = ReducePrograms.reduce(operand, "1", "add", "0");
    assertThat(kernel(module).describe()).isEqualTo(how);
    ReducePrograms.check(module, 4, 0);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "f32[13,101]  | add      | 1.5",
        "bf16[13,100] | add      | 1.5",
        "f32[13,105]  | maximum  | -inf",
        "f64[13,101]  | maximum  | 1",
        "f16[13,100]  | minimum  | 0",
        "s8[13,101]   | add      | 100",
        "u8[13,111]   | maximum  | 3",
        "s16[13,97]   | multiply | 7",
        "u32[13,100]  | minimum  | 4000000000",
        "s64[13,107]  | add      | 5",
        "u64[13,100]  | maximum  | 5",
        "pred[13,101] | and      | true",
        "pred[13,100] | xor      | false",
      })
  void sameBits(String operand, String op, String initial) {
    HloModule module = ReducePrograms.reduce(operand, "1", op, initial);
    assertThat(kernel(module).describe()).contains("contiguous");
    ReducePrograms.check(module, 5, 0);
  }

  /** A maximum does not depend on the order, so that the form may depend on the machine. */
  @ParameterizedTest
  @CsvSource({"f32, -1", "f64, -1", "s16, 3"})
  void extremesOfShorterRowsAreContiguousIfVectorsAreShort(String type, String initial) {
    int least = Machine.isVectorApiOn() && Machine.vectorBits() < 512 ? 16 : 24;
    HloModule module = ReducePrograms.reduce(type + "[13," + least + "]", "1", "maximum", initial);
    assertThat(kernel(module).describe()).contains("contiguous");
    ReducePrograms.check(module, 6, 0);
    HloModule shorter =
        ReducePrograms.reduce(type + "[13," + (least - 1) + "]", "1", "maximum", "3");
    assertThat(kernel(shorter).describe()).contains("one per lane");
  }

  /**
   * Rows must be longer if a logarithm follows, which takes as long for a row as for a vector, or
   * if lanes are reduced one by one.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "f32 | 48 | add     | log    | contiguous",
        "f32 | 47 | add     | log    | one per lane",
        "f32 | 24 | add     | negate | contiguous",
        "f32 | 23 | add     | negate | one per lane",
        "s32 | 24 | maximum | negate | contiguous",
        "s32 | 2  | maximum | negate | one per lane",
        "u32 | 64 | maximum | negate | contiguous",
        "u32 | 63 | maximum | negate | one per lane",
      })
  void minimumRowLength(String type, int columns, String op, String then, String how) {
    HloModule module =
        Parser.parse(
            """
            HloModule m
            together {
              a = TYPE[] parameter(0)
              b = TYPE[] parameter(1)
              ROOT c = TYPE[] OP(a, b)
            }
            fused {
              x = TYPE[13,C] parameter(0)
              one = TYPE[] constant(1)
              r = TYPE[13] reduce(x, one), dimensions={1}, to_apply=together
              ROOT s = TYPE[13] THEN(r)
            }
            ENTRY e {
              x = TYPE[13,C] parameter(0)
              ROOT s = TYPE[13] fusion(x), kind=kLoop, calls=fused
            }
            """
                .replace("TYPE", type)
                .replace("OP", op)
                .replace("THEN", then)
                .replace("C]", columns + "]"));
    assertThat(kernel(module).describe()).contains(how);
    ReducePrograms.check(module, 6, 1);
  }

  /** Exponentials are expensive, but they are not stored. */
  @Test
  void longRowsOfExpensiveElements() {
    String text =
        """
        fused {
          x = TYPE[R,C] parameter(0)
          zero = TYPE[] constant(0)
          e = TYPE[R,C] exponential(x)
          ROOT s = TYPE[R] reduce(e, zero), dimensions={1}, to_apply=sum
        }
        ENTRY e {
          x = TYPE[R,C] parameter(0)
          ROOT s = TYPE[R] fusion(x), kind=kLoop, calls=fused
        }
        """;
    HloModule module = module(text, "f32", 9, 3001);
    assertThat(kernel(module).describe()).contains("contiguous");
    ReducePrograms.check(module, 7, 2);
  }

  @Test
  void sumsWithAndWithoutNegativeTerms() {
    String text =
        """
        fused {
          x = TYPE[R,C] parameter(0)
          zero = TYPE[] constant(0)
          t = TYPE[R,C] multiply(x, x)
          u = TYPE[R,C] subtract(t, x)
          v = TYPE[R,C] multiply(u, t)
          p = pred[R,C] compare(v, x), direction=LT
          l = TYPE[R,C] select(p, v, u)
          a = TYPE[R,C] abs(l)
          s = TYPE[R] reduce(a, zero), dimensions={1}, to_apply=sum
          q = TYPE[R] reduce(l, zero), dimensions={1}, to_apply=sum
          ROOT t2 = (TYPE[R], TYPE[R]) tuple(s, q)
        }
        ENTRY e {
          x = TYPE[R,C] parameter(0)
          ROOT s = (TYPE[R], TYPE[R]) fusion(x), kind=kLoop, calls=fused
        }
        """;
    HloModule module = module(text, "f32", 9, 200);
    assertThat(kernel(module).describe()).contains("contiguous");
    ReducePrograms.check(module, 8, 2);
  }

  /** The order of products matters, and that of any other reducer may. */
  @Test
  void orderedReductionsAreNotContiguous() {
    HloModule products = ReducePrograms.reduce("f32[13,64]", "1", "multiply", "1");
    assertThat(kernel(products).describe()).contains("one per lane");
  }

  @ParameterizedTest
  @CsvSource({"maximum, -inf", "minimum, inf", "add, 0"})
  void specialValues(String op, String initial) {
    double infinity = Double.POSITIVE_INFINITY;
    double[][] rows = {
      {-0.0, 0.0},
      {0.0, -0.0},
      {1, Double.NaN},
      {1e-40, -0.0},
      {infinity, 1},
      {-infinity, 1},
      {infinity, -infinity},
      {1e38, 1e38},
      {-1e38, -1e38},
    };
    HloModule module = ReducePrograms.reduce("f32[9,85]", "1", op, initial);
    LiteralBuilder builder = new LiteralBuilder((Shape.Array) Parser.parseShape("f32[9,85]"));
    for (int i = 0; i < 9 * 85; i++) {
      builder.setDouble(i, (float) rows[i / 85][i % 17 == 5 ? 1 : 0]);
    }
    ReducePrograms.check(module, 0, builder.build());
  }

  @Test
  void inPlace() {
    HloModule module = module(ReducePrograms.SOFTMAX, "f32", 31, 80);
    assertThat(kernel(module).canReuseOperandBuffer(0)).isTrue();
    ReducePrograms.check(module, 6, 4);
    assertThat(kernel(module(ReducePrograms.SOFTMAX, "f32", 31, 81)).canReuseOperandBuffer(0))
        .isFalse();
    assertThat(kernel(module(NORM, "f32", 31, 80)).canReuseOperandBuffer(0)).isFalse();
    assertThat(kernel(module(PAIRS, "f32", 31, 80)).canReuseOperandBuffer(1)).isFalse();
  }

  /** The sum of op(x) over each row. */
  private static HloModule sumOf(String op, int columns) {
    return module(
        """
        fused {
          x = TYPE[R,C] parameter(0)
          zero = TYPE[] constant(0)
          y = TYPE[R,C] OP(x)
          ROOT s = TYPE[R] reduce(y, zero), dimensions={1}, to_apply=sum
        }
        ENTRY e { x = TYPE[R,C] parameter(0) ROOT r = TYPE[R] fusion(x), kind=kLoop, calls=fused }
        """
            .replace("OP", op),
        "f32",
        256,
        columns);
  }

  @Test
  void loopsOfOtherTermsAreNotShared() {
    ReducePrograms.check(sumOf("exponential", 64), 1, 8);
    ReducePrograms.check(sumOf("tanh", 64), 1, 8);
  }

  /** The difference of each element and the greatest or least one of its row, as an exponent. */
  private static HloModule exponential(String reducer, int columns) {
    return module(
        """
        fused {
          x = TYPE[R,C] parameter(0)
          first = TYPE[] constant(START)
          m = TYPE[R] reduce(x, first), dimensions={1}, to_apply=BODY
          mb = TYPE[R,C] broadcast(m), dimensions={0}
          d = TYPE[R,C] subtract(x, mb)
          ROOT e = TYPE[R,C] exponential(d)
        }
        ENTRY e { x = TYPE[R,C] parameter(0) ROOT r = TYPE[R,C] fusion(x), kind=kLoop, calls=fused }
        """
            .replace("BODY", reducer)
            .replace("START", reducer.equals("max") ? "-inf" : "inf"),
        "f32",
        256,
        columns);
  }

  /** An exponential of what is at most 0 has no upper bound; its code is not shared. */
  @ParameterizedTest
  @ValueSource(ints = {12, 64})
  void exponentialsOfOtherDifferencesAreNotShared(int columns) {
    LiteralBuilder wide = new LiteralBuilder(Shape.of(ElementType.F32, 256, columns));
    for (int i = 0; i < 256 * columns; i++) {
      wide.setDouble(i, i * 37 % 60);
    }
    Literal argument = wide.build();
    ReducePrograms.check(exponential("max", columns), 8, argument);
    ReducePrograms.check(exponential("min", columns), 8, argument);
  }
}
