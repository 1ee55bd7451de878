package org.hlo4j.interpreter.compiled.gemm;

import static com.google.common.truth.Truth.assertThat;

import java.util.Locale;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.Interpreter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Dots of each element type, and of two types. */
final class DotTypesTest {
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
    Products.matmul(type, 7, 13, 5);
    Products.matmul(type, 33, 65, 70);
  }

  /**
   * The product of the smallest values underflows in f32 but not in f64; it rounds to the smallest.
   */
  @Test
  void productOfSmallestPowersOfTwo() {
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
  void mixedTypes() {
    for (int size : new int[] {3, 40}) {
      Products.matmul("s8", "s8", "s32", size, 65, 70);
      Products.matmul("u8", "s8", "s32", size, 65, 70);
      Products.matmul("u8", "u8", "s64", size, 65, 70);
      Products.matmul("u32", "s32", "s64", size, 65, 70);
      Products.matmul("s64", "s8", "s16", size, 65, 70);
      Products.matmul("s32", "s32", "pred", size, 2, 70);
      Products.matmul("pred", "s8", "u64", size, 65, 70);
      Products.matmul("bf16", "bf16", "f32", size, 65, 70);
      Products.matmul("bf16", "f16", "f32", size, 65, 70);
      Products.matmul("f32", "f32", "f64", size, 65, 70);
      Products.matmul("f64", "bf16", "f32", size, 65, 70);
      Products.matmul("f8e5m2", "f8e4m3fn", "bf16", size, 65, 70);
    }
  }

  /** Integers are converted to f32 first, or to f64 if f32 cannot represent all of them. */
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

  /**
   * Declined: integers that f64 cannot all represent, sums that wrap, floats that are truncated.
   */
  @ParameterizedTest
  @CsvSource({"F32, S64, F32", "S32, S32, F32", "F32, F32, S32", "F32, S8, S32"})
  void unsupportedTypesAreDeclined(ElementType lhs, ElementType rhs, ElementType result) {
    assertThat(DotKernels.accumulatorType(lhs, rhs, result)).isEmpty();
  }

  /**
   * Passes a larger number of terms, since the bound assumes values of at most 1 and would be too
   * narrow for 70 integers.
   */
  private static void integersAndFloats(
      String lhs, String rhs, String result, int rows, int columns, int steps) {
    int[] sizes = new int[2];
    sizes[columns] = 64;
    sizes[steps] = 70;
    Products.dot(
        "%s[%d,70]".formatted(lhs, rows),
        "%s[%d,%d]".formatted(rhs, sizes[0], sizes[1]),
        "%s[%d,64]".formatted(result, rows),
        "lhs_contracting_dims={1}, rhs_contracting_dims={%d}".formatted(steps),
        4 * 70);
  }

  /** Narrow integers are summed as floats, in blocks whose sums are exact. */
  @Test
  void narrowIntegers() {
    Products.matmul("s8", "s8", "s32", 13, 2100, 70);
    Products.matmul("u8", "u8", "u32", 70, 700, 13);
    Products.matmul("u8", "s8", "s8", 7, 515, 65);
    Products.matmul("pred", "u4", "s16", 7, 515, 65);
    Products.matmul("s8", "s8", "s32", 257, 3000, 1);
    Products.matmul("u8", "u8", "s32", 20, 528, 5); // blocks of 258, 258 and 12 steps
    Products.dot(
        "u8[528]", "u8[5,528]", "u8[5]", "lhs_contracting_dims={0}, rhs_contracting_dims={1}", 528);
    Products.dot(
        "s8[3,70,1500]",
        "s8[3,1500,65]",
        "s32[3,70,65]",
        "lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2},"
            + " rhs_contracting_dims={1}",
        1500);
    Products.dot(
        "s8[40,3,30]",
        "s8[30,40,3,50]",
        "s32[50]",
        "lhs_contracting_dims={2,0,1}, rhs_contracting_dims={0,1,2}",
        3600);
  }

  /** Odd sums beyond 2^24, which f32 cannot represent. */
  @ParameterizedTest
  @CsvSource({"s8, 1043, -127, -127, 16822547", "u8, 259, 255, 255, 16841475"})
  void largeSums(String type, int count, int x, int y, int sum) {
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
}
