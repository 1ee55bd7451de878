package org.hlo4j.interpreter.compiled.dots;

import static com.google.common.truth.Truth.assertThat;

import java.util.Locale;
import java.util.Random;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.Interpreter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Kernels of dots against the reference evaluator; the same bits early and late, alone or not. */
class DotsTest {
  private static void check(String lhs, String rhs, String result, String attributes, long terms) {
    Products.check(
        Dots::kernel,
        """
        HloModule m
        ENTRY e {
          a = %s parameter(0)
          b = %s parameter(1)
          ROOT c = %s dot(a, b), %s
        }
        """
            .formatted(lhs, rhs, result, attributes),
        terms,
        terms);
  }

  private static void matmul(String type, int m, int k, int n) {
    matmul(type, type, type, m, k, n);
  }

  private static void matmul(String lhs, String rhs, String result, int m, int k, int n) {
    check(
        "%s[%d,%d]".formatted(lhs, m, k),
        "%s[%d,%d]".formatted(rhs, k, n),
        "%s[%d,%d]".formatted(result, m, n),
        "lhs_contracting_dims={1}, rhs_contracting_dims={0}",
        k);
  }

  @ParameterizedTest
  @ValueSource(strings = {"f32", "f64", "s32", "u64"})
  void sizes(String type) {
    matmul(type, 1, 1, 1);
    matmul(type, 7, 13, 65);
    matmul(type, 65, 257, 13);
    matmul(type, 0, 7, 13);
    matmul(type, 7, 0, 13);
    matmul(type, 7, 13, 0);
    matmul(type, 1, 257, 65);
    matmul(type, 257, 65, 1);
    matmul(type, 1, 257, 1);
    matmul(type, 257, 257, 257);
    matmul(type, 13, 600, 130);
    matmul(type, 100, 1, 600);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "pred",
        "s2",
        "s4",
        "s8",
        "s16",
        "s64",
        "u2",
        "u4",
        "u8",
        "u16",
        "u32",
        "bf16",
        "f16",
        "f8e4m3fn",
        "f8e5m2",
        "f4e2m1fn"
      })
  void types(String type) {
    matmul(type, 7, 13, 5);
    matmul(type, 33, 65, 70);
  }

  /** The product of the two least is beyond f32, and not of f64: it rounds to the least. */
  @Test
  void leastPowerOfTwo() {
    HloModule module =
        Parser.parse(
            """
            HloModule least
            ENTRY main {
              x = f8e8m0fnu[1] parameter(0)
              ROOT product = f8e8m0fnu[] dot(x, x), lhs_contracting_dims={0}, rhs_contracting_dims={0}
            }
            """);
    Literal least = Literal.of(ElementType.F8E8M0FNU, new double[] {0x1p-127});
    assertThat(Interpreter.compiled().run(module, least))
        .isEqualTo(Literal.of(ElementType.F8E8M0FNU, 0x1p-127));
  }

  @Test
  void complexNumbersAreThoseOfTheReference() {
    matmul("c64", 7, 13, 5);
    matmul("c128", 33, 65, 20);
    matmul("c64", "c128", "c64", 3, 2, 1);
  }

  /** The left side is copied: its rows lie far apart, and there are many. */
  @Test
  void longRows() {
    matmul("f32", 130, 2100, 70);
  }

  /** Few sums of many steps, which are cut into equal parts if there is a number of those. */
  @Test
  void fewSumsOfManySteps() {
    for (String type : new String[] {"f32", "f64", "s32", "bf16", "s8"}) {
      matmul(type, 16, 6000, 17);
      check(
          type + "[4098,13]",
          type + "[4098,30]",
          type + "[13,30]",
          "lhs_contracting_dims={0}, rhs_contracting_dims={0}",
          4098);
    }
    matmul("f32", 16, 4099, 17);
    matmul("f32", 0, 6000, 17);
    String description =
        Dots.kernel(
                Parser.parse(
                        """
                        HloModule m
                        ENTRY e {
                          a = f32[4098,13] parameter(0)
                          ROOT c = f32[13,13] dot(a, a), lhs_contracting_dims={0}, rhs_contracting_dims={0}
                        }
                        """)
                    .entry()
                    .root())
            .orElseThrow()
            .describe();
    assertThat(description).startsWith("sums of 3 parts: gemm f32 3x13x1366x13, ");
  }

  /** Few rows: the right side is read where it lies, the last columns apart. */
  @Test
  void fewRows() {
    for (String type : new String[] {"f32", "f64", "s32"}) {
      matmul(type, 1, 300, 128);
      matmul(type, 1, 65, 191);
      matmul(type, 3, 130, 127);
      matmul(type, 6, 130, 200);
      matmul(type, 5, 1100, 130);
      matmul(type, 2, 5000, 67);
      matmul(type, 13, 1100, 70);
    }
    check(
        "f32[2,3,40]",
        "f32[2,40,130]",
        "f32[2,3,130]",
        "lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2},"
            + " rhs_contracting_dims={1}",
        40);
  }

  /** Few columns of many rows: loops go over rows, eight steps, or results, are moved at a time. */
  @ParameterizedTest
  @ValueSource(strings = {"f32", "f64", "s32", "u64", "bf16"})
  void fewColumns(String type) {
    matmul(type, 300, 65, 13);
    matmul(type, 1200, 20, 100);
    matmul(type, 2050, 17, 8);
    matmul(type, 130, 600, 20);
    check(
        type + "[40,300]",
        type + "[13,40]",
        type + "[300,13]",
        "lhs_contracting_dims={0}, rhs_contracting_dims={1}",
        40);
    check(
        type + "[3,260,40]",
        type + "[3,40,24]",
        type + "[3,260,24]",
        "lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2},"
            + " rhs_contracting_dims={1}",
        40);
  }

  /** Few columns, or rows, that lie in memory as they are summed over. */
  @ParameterizedTest
  @ValueSource(strings = {"f32", "f64", "s32", "u64"})
  void rowsTimesVector(String type) {
    matmul(type, 257, 64, 1);
    matmul(type, 1, 97, 1);
    matmul(type, 7, 9000, 1);
    matmul(type, 130, 257, 1);
    for (int columns : new int[] {1, 2, 3, 5, 12, 13}) {
      check(
          "%s[67,257]".formatted(type),
          "%s[%d,257]".formatted(type, columns),
          "%s[67,%d]".formatted(type, columns),
          "lhs_contracting_dims={1}, rhs_contracting_dims={1}",
          257);
      check(
          "%s[5,%d,65]".formatted(type, columns),
          "%s[5,70,65]".formatted(type),
          "%s[5,%d,70]".formatted(type, columns),
          "lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2},"
              + " rhs_contracting_dims={2}",
          65);
    }
  }

  /** Rows that fill vectors of sums and some that do not; as many as chunks have, and more. */
  @ParameterizedTest
  @ValueSource(strings = {"f32", "f64", "s32", "s64", "bf16"})
  void shortRowsTimesVector(String type) {
    for (int steps : new int[] {32, 96, 128, 512}) {
      check(
          "%s[5,%d]".formatted(type, steps),
          "%s[5,77,%d]".formatted(type, steps),
          "%s[5,77]".formatted(type),
          "lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={1},"
              + " rhs_contracting_dims={2}",
          steps);
      matmul(type, 600, steps, 1);
      matmul(type, 3, steps, 1);
    }
  }

  /** So many steps that they are done a few blocks after the other. */
  @Test
  void longRowsTimesVectors() {
    check(
        "f32[3,4200]",
        "f32[70,4200]",
        "f32[3,70]",
        "lhs_contracting_dims={1}, rhs_contracting_dims={1}",
        4200);
  }

  /** The large side is widened where it is read: by columns, by rows, whole panels or not. */
  @ParameterizedTest
  @ValueSource(strings = {"bf16", "f16", "s8", "u8", "s16", "u16"})
  void narrowRows(String type) {
    String sum = type.contains("f") ? "f32" : "s32";
    matmul(type, type, sum, 1, 300, 128);
    matmul(type, type, sum, 3, 130, 1280);
    matmul(type, type, sum, 2, 70, 130);
    for (int rows : new int[] {1, 3}) {
      for (int steps : new int[] {70, 1100, 4200}) {
        check(
            "%s[%d,%d]".formatted(type, rows, steps),
            "%s[35,%d]".formatted(type, steps),
            "%s[%d,35]".formatted(sum, rows),
            "lhs_contracting_dims={1}, rhs_contracting_dims={1}",
            steps);
        check(
            "%s[5,%d]".formatted(type, steps),
            "%s[%d,%d]".formatted(type, rows, steps),
            "%s[5,%d]".formatted(sum, rows),
            "lhs_contracting_dims={1}, rhs_contracting_dims={1}",
            steps);
      }
    }
  }

  /** Elements of a few columns lie as far apart as there are columns, or rows, of a side. */
  @ParameterizedTest
  @ValueSource(strings = {"f32", "f64", "s32", "bf16"})
  void fewStridedColumns(String type) {
    matmul(type, 70, 130, 2);
    matmul(type, 9, 203, 8);
    matmul(type, 9, 203, 9);
    check(
        "%s[130,3]".formatted(type),
        "%s[70,130]".formatted(type),
        "%s[3,70]".formatted(type),
        "lhs_contracting_dims={0}, rhs_contracting_dims={1}",
        130);
    check(
        "%s[2,5,70]".formatted(type),
        "%s[70,2,3]".formatted(type),
        "%s[2,5,3]".formatted(type),
        "lhs_batch_dims={0}, rhs_batch_dims={1}, lhs_contracting_dims={2},"
            + " rhs_contracting_dims={0}",
        70);
  }

  /** Columns lie as they are summed over; there are too many rows to leave them there. */
  @Test
  void transposedWhilePacked() {
    for (String type : new String[] {"f32", "f64", "s32"}) {
      check(
          "%s[40,1100]".formatted(type),
          "%s[130,1100]".formatted(type),
          "%s[40,130]".formatted(type),
          "lhs_contracting_dims={1}, rhs_contracting_dims={1}",
          1100);
    }
  }

  @Test
  void mixedTypes() {
    for (int size : new int[] {3, 40}) {
      matmul("s8", "s8", "s32", size, 65, 70);
      matmul("u8", "s8", "s32", size, 65, 70);
      matmul("u8", "u8", "s64", size, 65, 70);
      matmul("u32", "s32", "s64", size, 65, 70);
      matmul("s64", "s8", "s16", size, 65, 70);
      matmul("s32", "s32", "pred", size, 2, 70);
      matmul("pred", "s8", "u64", size, 65, 70);
      matmul("bf16", "bf16", "f32", size, 65, 70);
      matmul("bf16", "f16", "f32", size, 65, 70);
      matmul("f32", "f32", "f64", size, 65, 70);
      matmul("f64", "bf16", "f32", size, 65, 70);
      matmul("f8e5m2", "f8e4m3fn", "bf16", size, 65, 70);
    }
  }

  /** Integers are made floats first: of f32, or of f64 if that has not all of them. */
  @ParameterizedTest
  @CsvSource({
    "f32, s8, f32",
    "s8, bf16, f32",
    "u16, f32, bf16",
    "pred, f32, f32",
    "f32, s4, f32",
    "s8, s8, f32",
    "s16, u16, f32",
    "f32, s32, f32",
    "u32, f32, f32"
  })
  void integersAndFloats(String lhs, String rhs, String result) {
    for (int rows : new int[] {1, 40}) {
      integersAndFloats(lhs, rhs, result, rows, 1, 0);
      integersAndFloats(lhs, rhs, result, rows, 0, 1);
    }
  }

  /** What does not fit: integers of which f64 has not all, sums that wrap, floats cut off. */
  @ParameterizedTest
  @CsvSource({"F32, S64, F32", "S32, S32, F32", "F32, F32, S32", "F32, S8, S32"})
  void leftToTheReference(ElementType lhs, ElementType rhs, ElementType result) {
    assertThat(Dots.carrier(lhs, rhs, result)).isEmpty();
  }

  /** The bound is of values of at most 1, and would be too narrow for 70 integers. */
  private static void integersAndFloats(
      String lhs, String rhs, String result, int rows, int columns, int steps) {
    int[] sizes = new int[2];
    sizes[columns] = 64;
    sizes[steps] = 70;
    check(
        "%s[%d,70]".formatted(lhs, rows),
        "%s[%d,%d]".formatted(rhs, sizes[0], sizes[1]),
        "%s[%d,64]".formatted(result, rows),
        "lhs_contracting_dims={1}, rhs_contracting_dims={%d}".formatted(steps),
        4 * 70);
  }

  /** Summed as floats, as many at a time as are exact. */
  @Test
  void narrowIntegers() {
    matmul("s8", "s8", "s32", 13, 2100, 70);
    matmul("u8", "u8", "u32", 70, 700, 13);
    matmul("u8", "s8", "s8", 7, 515, 65);
    matmul("pred", "u4", "s16", 7, 515, 65);
    matmul("s8", "s8", "s32", 257, 3000, 1);
    check(
        "s8[3,70,1500]",
        "s8[3,1500,65]",
        "s32[3,70,65]",
        "lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2},"
            + " rhs_contracting_dims={1}",
        1500);
    check(
        "s8[40,3,30]",
        "s8[30,40,3,50]",
        "s32[50]",
        "lhs_contracting_dims={2,0,1}, rhs_contracting_dims={0,1,2}",
        3600);
  }

  /** Sums that are odd and beyond 2^24, which f32 has none of. */
  @ParameterizedTest
  @CsvSource({"s8, 1043, -127, -127, 16822547", "u8, 259, 255, 255, 16841475"})
  void greatSums(String type, int count, int x, int y, int sum) {
    HloModule module =
        Parser.parse(
            """
            HloModule great
            ENTRY main {
              x = %1$s[] parameter(0)
              y = %1$s[] parameter(1)
              xs = %1$s[9,%2$d] broadcast(x), dimensions={}
              ys = %1$s[%2$d,9] broadcast(y), dimensions={}
              ROOT product = s32[9,9] dot(xs, ys), lhs_contracting_dims={1}, rhs_contracting_dims={0}
            }
            """
                .formatted(type, count));
    ElementType of = ElementType.valueOf(type.toUpperCase(Locale.ROOT));
    Literal got = Interpreter.compiled().run(module, Literal.of(of, x), Literal.of(of, y));
    for (int i = 0; i < 81; i++) {
      assertThat(got.longAt(i)).isEqualTo(sum);
    }
  }

  private static void batch(String type, int batches, int m, int k, int n) {
    check(
        "%s[%d,%d,%d]".formatted(type, batches, m, k),
        "%s[%d,%d,%d]".formatted(type, batches, k, n),
        "%s[%d,%d,%d]".formatted(type, batches, m, n),
        "lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2},"
            + " rhs_contracting_dims={1}",
        k);
  }

  /** Tiles read them where they lie, or no tiles do. */
  @Test
  void smallMatrices() {
    batch("f32", 1, 8, 8, 8);
    batch("f32", 33, 8, 8, 8);
    batch("f32", 7, 16, 13, 16);
    batch("f32", 7, 13, 256, 80);
    batch("f32", 3, 7, 13, 4);
    batch("f32", 70, 10, 10, 10);
    batch("f32", 70, 3, 300, 1);
    batch("f64", 9, 7, 5, 12);
    batch("f64", 9, 1, 50, 8);
    batch("s32", 9, 33, 17, 48);
    batch("s64", 9, 6, 7, 8);
    batch("u8", 9, 16, 16, 16);
    batch("f32", 0, 16, 16, 16);
    batch("f32", 5, 16, 0, 16);
  }

  @Test
  void dimensionsInAnyOrder() {
    check(
        "f32[40,33]",
        "f32[40,70]",
        "f32[33,70]",
        "lhs_contracting_dims={0}, rhs_contracting_dims={0}",
        40);
    check(
        "f32[33,40]",
        "f32[70,40]",
        "f32[33,70]",
        "lhs_contracting_dims={1}, rhs_contracting_dims={1}",
        40);
    check(
        "f32[5,9,7,4]",
        "f32[4,9,11,5]",
        "f32[9,7,11]",
        "lhs_batch_dims={1}, rhs_batch_dims={1}, lhs_contracting_dims={3,0},"
            + " rhs_contracting_dims={0,3}",
        20);
    check(
        "s32[2,3,40,30]",
        "s32[3,50,2,30]",
        "s32[3,2,40,50]",
        "lhs_batch_dims={1,0}, rhs_batch_dims={0,2}, lhs_contracting_dims={3},"
            + " rhs_contracting_dims={3}",
        30);
    check("f32[9,10]", "f32[8,11]", "f32[9,10,8,11]", "lhs_contracting_dims={}", 1);
    check(
        "f32[30,20]",
        "f32[20,30]",
        "f32[]",
        "lhs_contracting_dims={0,1}, rhs_contracting_dims={1,0}",
        600);
  }

  @Test
  void randomShapes() {
    Random random = new Random(7);
    for (int i = 0; i < 30; i++) {
      int batch = 1 + random.nextInt(3);
      int m = 1 + random.nextInt(150);
      int k = 1 + random.nextInt(300);
      int n = 1 + random.nextInt(150);
      boolean lhs = random.nextBoolean();
      boolean rhs = random.nextBoolean();
      String type = random.nextBoolean() ? "f32" : random.nextBoolean() ? "f64" : "s32";
      check(
          (lhs ? "%s[%d,%d,%d]" : "%1$s[%2$d,%4$d,%3$d]").formatted(type, batch, m, k),
          (rhs ? "%s[%d,%d,%d]" : "%1$s[%2$d,%4$d,%3$d]").formatted(type, batch, k, n),
          "%s[%d,%d,%d]".formatted(type, batch, m, n),
          "lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={%d},"
                  .formatted(lhs ? 2 : 1)
              + " rhs_contracting_dims={%d}".formatted(rhs ? 1 : 2),
          k);
    }
  }
}
