package org.hlo4j.interpreter.compiled.linalg;

import static com.google.common.truth.Truth.assertThat;

import com.google.common.base.Splitter;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.compiled.KernelTester;
import org.hlo4j.interpreter.compiled.Kernels;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Triangular solves, Cholesky factorizations, and custom calls of LAPACK. */
final class FactorizationsTest {
  private final KernelTester tester =
      new KernelTester(instruction -> Kernels.ofOp(instruction, false));

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "spotrf | (f32[2,5,5], s32[2])            | f32[2,5,5]",
        "dpotrf | (f64[1,1], s32[])               | f64[1,1]",
        "strsm  | f32[2,5,3]                      | f32[2,5,5] f32[2,5,3]",
        "sgetrf | (f32[3,7,5], s32[3,5], s32[3])  | f32[3,7,5]",
        "dgetrf | (f64[4,9], s32[4], s32[])       | f64[4,9]",
        "sgetrf | (f32[40,53], s32[40], s32[])    | f32[40,53]",
        "dgetrf | (f64[2,61,37], s32[2,37], s32[2]) | f64[2,61,37]",
        "sgeqrf | (f32[2,9,5], f32[2,5])          | f32[2,9,5]",
        "dgeqrf | (f64[4,6], f64[4])              | f64[4,6]",
        "sorgqr | f32[2,9,5]                      | f32[2,9,5] f32[2,5]",
      })
  void lapackFactorizations(String routine, String shape, String operands) {
    String[] shapes = operands.split(" ");
    String list = shapes.length == 1 ? "p0" : "p0, p1";
    for (int uplo : new int[] {'L', 'U'}) {
      String others = "diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8";
      String config = "backend_config={" + others + ", uplo = " + uplo + " : ui8}";
      String target = "custom_call_target=\"lapack_" + routine + "_ffi\", " + config;
      HloModule module =
          KernelTester.module("", shape, "custom-call(" + list + "), " + target, shapes);
      Literal[] arguments = tester.arguments(module);
      for (int i = 0; i < arguments.length; i++) {
        arguments[i] = finite(arguments[i].arrayShape());
      }
      tester.check(module, arguments);
    }
  }

  /** The kernel takes other steps than the reference, but gives the same bits in all its forms. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "ssyevd | (f32[2,7,7], f32[2,7], s32[2])        | f32[2,7,7]",
        "dsyevd | (f64[150,150], f64[150], s32[])       | f64[150,150]",
        "sgesdd | (f32[2,5,3], f32[2,3], f32[2,5,5], f32[2,3,3], s32[2]) | f32[2,5,3]",
        "dgesdd | (f64[70,90], f64[70], f64[70,70], f64[90,90], s32[])   | f64[70,90]",
      })
  void lapackDecompositions(String routine, String shape, String operand) {
    String target =
        "custom-call(p0), custom_call_target=\"lapack_"
            + routine
            + "_ffi\", backend_config={mode = 65 : ui8, uplo = 76 : ui8}";
    HloModule module = KernelTester.module("", shape, target, operand);
    assertThat(tester.result(module, finite((Shape.Array) Parser.parseShape(operand))).shape())
        .isEqualTo(module.entry().root().shape());
  }

  private static Literal finite(Shape.Array shape) {
    LiteralBuilder values = new LiteralBuilder(shape);
    for (int i = 0; i < shape.elementCount(); i++) {
      values.setDouble(i, i * 37 % 23 / 8.0 - 1);
    }
    return values.build();
  }

  /** {@return random matrices with a dominant diagonal, hence positive definite} */
  private Literal definite(Shape.Array shape) {
    Literal random = tester.randomLiteral(shape);
    LiteralBuilder result = new LiteralBuilder(shape);
    int n = (int) shape.size(shape.rank() - 1);
    for (int i = 0; i < random.elementCount(); i++) {
      boolean diagonal = i / n % n == i % n;
      double value = random.doubleAt(i);
      double tame = Double.isFinite(value) ? value / 4 : 1;
      result.setDouble(i, diagonal ? 40 + tame : tame / n);
    }
    return result.build();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "f32[7,7]",
        "f64[2,13,13]",
        "bf16[3,3]",
        "f32[0,0]",
        "f32[2,1,1]",
        "f64[3,65,65]",
        "f16[0,3,3]"
      })
  void choleskyFactorizations(String shape) {
    for (String lower : new String[] {"true", "false"}) {
      HloModule module = KernelTester.module("", shape, "cholesky(p0), lower=" + lower, shape);
      Shape.Array array = (Shape.Array) module.entry().root().shape().withoutLayout();
      tester.check(module, definite(array));
      tester.check(module);
    }
  }

  @Test
  void triangularSolves() {
    for (String rows :
        new String[] {
          "f32[7,7] f32[7,5] f32[5,7]",
          "f64[2,13,13] f64[2,13,70] f64[2,70,13]",
          "f32[0,0] f32[0,3] f32[3,0]",
          "f32[33,33] f32[33,67] f32[67,33]",
          "bf16[3,3] bf16[3,1] bf16[1,3]"
        }) {
      String[] shapes = Splitter.on(' ').splitToList(rows).toArray(String[]::new);
      for (int i = 0; i < 24; i++) {
        boolean left = i % 2 == 0;
        String b = shapes[left ? 1 : 2];
        String attributes =
            ", left_side="
                + left
                + ", lower="
                + (i / 2 % 2 == 0)
                + ", unit_diagonal="
                + (i / 4 % 2 == 0)
                + ", transpose_a="
                + new String[] {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"}[i / 8];
        tester.check(
            KernelTester.module("", b, "triangular-solve(p0, p1)" + attributes, shapes[0], b));
      }
    }
  }
}
