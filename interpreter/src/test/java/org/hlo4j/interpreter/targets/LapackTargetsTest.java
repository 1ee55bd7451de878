package org.hlo4j.interpreter.targets;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.ElementType.F64;
import static org.hlo4j.interpreter.targets.StandardTargetsTest.assertRefused;
import static org.hlo4j.interpreter.targets.StandardTargetsTest.call;
import static org.hlo4j.interpreter.targets.StandardTargetsTest.run;

import java.util.Collections;
import java.util.stream.Stream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** LAPACK's routines by JAX's names for them. */
final class LapackTargetsTest {
  private static Literal lapack(String routine, String config, String result, Literal... in) {
    String target = "\"lapack_" + routine + "_ffi\", backend_config={" + config + "}";
    String[] shapes =
        Stream.of(in).map(Literal::shape).map(Object::toString).toArray(String[]::new);
    return run(call(target, result, shapes), in);
  }

  @Test
  void choleskyOfLapackSaysWhetherItIsDefinite() {
    Literal a = Literal.of(new double[][][] {{{4, 2}, {2, 5}}, {{1, 2}, {2, 1}}});
    assertThat(lapack("dpotrf", "uplo = 76 : ui8", "(f64[2,2,2], s32[2])", a).toString())
        .isEqualTo(
            "(f64[2,2,2], s32[2]) ( { { { 2, 2 }, { 1, 2 } }, { { 1, 2 }, { 2, -3 } } }, {0, 2} )");
    assertThat(lapack("dpotrf", "uplo = 85 : ui8", "(f64[2,2,2], s32[2])", a).toString())
        .startsWith("(f64[2,2,2], s32[2]) ( { { { 2, 1 }, { 2, 2 } }");
  }

  @ParameterizedTest
  @CsvSource({
    "78, 76, 76, 78, '{2, 1.5}'",
    "78, 76, 76, 84, '{1, 2}'",
    "85, 76, 76, 78, '{4, 4}'",
    "78, 76, 85, 78, '{2, 2}'"
  })
  void triangularSolveOfLapack(int diag, int side, int uplo, int trans, String want) {
    String config =
        String.format(
            "diag = %s : ui8, side = %s : ui8, trans_x = %s : ui8, uplo = %s : ui8",
            diag, side, trans, uplo);
    Literal a = Literal.of(new double[][] {{2, 0}, {1, 4}});
    Literal b = Literal.of(new double[][] {{4}, {8}});
    assertThat(Literal.of(lapack("dtrsm", config, "f64[2,1]", a, b).toDoubles()).toHloText())
        .isEqualTo(want);
  }

  @Test
  void luOfLapackCountsPivotsFromOne() {
    Literal a = Literal.of(new double[][] {{1, 2}, {4, 4}});
    assertThat(lapack("dgetrf", "", "(f64[2,2], s32[2], s32[])", a).toString())
        .isEqualTo("(f64[2,2], s32[2], s32[]) ( { { 4, 4 }, { 0.25, 1 } }, {2, 2}, 0 )");
  }

  @Test
  void pivotsOfComplexMatricesHaveTheLargestSumOfParts() {
    Literal a = Literal.of(ElementType.C128, new double[][][] {{{5, 0}}, {{3, -3}}, {{0, 6}}});
    assertThat(lapack("zgetrf", "", "(c128[3,1], s32[1], s32[])", a).element(1).toString())
        .isEqualTo("s32[1] {2}");
  }

  @Test
  void eigenvaluesOfLapack() {
    Literal a = Literal.of(new double[][] {{2, 0}, {0, 1}});
    String config = "mode = 86 : ui8, uplo = 76 : ui8";
    assertThat(lapack("dsyevd", config, "(f64[2,2], f64[2], s32[])", a).toString())
        .isEqualTo("(f64[2,2], f64[2], s32[]) ( { { 0, 1 }, { 1, 0 } }, {1, 2}, 0 )");
  }

  @Test
  void singularValuesOfLapack() {
    Literal a = Literal.of(new double[][] {{0, 3}, {-4, 0}, {0, 0}});
    String shape = "(f64[3,2], f64[2], f64[3,2], f64[2,2], s32[])";
    assertThat(lapack("dgesdd", "mode = 83 : ui8", shape, a).toString())
        .isEqualTo(
            shape
                + " ( { { 0, 3 }, { -4, 0 }, { 0, 0 } }, {4, 3}, "
                + "{ { 0, 1 }, { -1, 0 }, { 0, 0 } }, { { 1, 0 }, { 0, 1 } }, 0 )");
    String full = "(f64[3,2], f64[2], f64[3,3], f64[2,2], s32[])";
    assertThat(lapack("dgesvd", "mode = 65 : ui8", full, a).element(2).toString())
        .isEqualTo("f64[3,3] { { 0, 1, 0 }, { -1, 0, 0 }, { 0, 0, 1 } }");
  }

  @Test
  void singularValuesAlone() {
    Literal nan = Literal.of(new double[][] {{1, Double.NaN}});
    String shape = "(f64[1,2], f64[1], f64[1,1], f64[1,2], s32[])";
    Literal result = lapack("dgesdd", "mode = 78 : ui8", shape, nan);
    assertThat(result.element(1).toString()).isEqualTo("f64[1] {nan}");
    assertThat(result.element(4).toString()).isEqualTo("s32[] -4");
  }

  @Test
  void threeDiagonalsOfLapack() {
    Literal below = Literal.of(new double[] {7, 1, 1});
    Literal diagonal = Literal.of(new double[] {2, 2.5, 2.5});
    Literal above = Literal.of(new double[] {1, 1, 7});
    Literal b = Literal.of(new double[][] {{4}, {9}, {9.5}});
    String shape = "(f64[3], f64[3], f64[3], f64[3,1], s32[])";
    Literal result = lapack("dgtsv", "", shape, below, diagonal, above, b);
    assertThat(result.element(3).toString()).isEqualTo("f64[3,1] { {1}, {2}, {3} }");
    assertThat(result.element(4).toString()).isEqualTo("s32[] 0");
    Literal zeros = Literal.of(new double[] {0, 0, 0});
    assertThat(lapack("dgtsv", "", shape, zeros, zeros, above, b).element(4).toString())
        .isEqualTo("s32[] 1");
    Literal small = Literal.of(new double[] {0, 2, 2}); // less than what is below: rows change
    assertThat(lapack("dgtsv", "", shape, below, small, above, b).element(3).toString())
        .isEqualTo("f64[3,1] { {-1.75}, {4}, {2.75} }");
  }

  @Test
  void pivotedQrOfLapack() {
    Literal a = Literal.of(new double[][] {{1, 3}, {0, 4}});
    String shape = "(f64[2,2], s32[2], f64[2])";
    assertThat(lapack("dgeqp3", "", shape, a, Literal.of(new int[] {0, 0})).toString())
        .isEqualTo(
            shape + " ( { { -5, -0.60000000000000009 }, { 0.5, -0.8 } }, {2, 1}, {1.6, 0} )");
    assertThat(lapack("dgeqp3", "", shape, a, Literal.of(new int[] {1, 0})).element(1).toString())
        .isEqualTo("s32[2] {1, 2}");
  }

  @Test
  void whatLapackCannotTakeIsRefused() {
    assertRefused(
        "custom-call: r: result got (f64[2,2], f64[2]), want (f64[2,2], f64[2], f64[2,2],"
            + " f64[2,2], s32[])",
        call(
            "\"lapack_dgesdd_ffi\", backend_config={mode = 65 : ui8}",
            "(f64[2,2], f64[2])",
            "f64[2,2]"),
        Literal.zeros(Shape.of(F64, 2, 2)));
    assertRefused(
        "custom-call: r: gtsv got [f64[2,2]], want three diagonals as long as the columns of b,"
            + " and b of floats or complex numbers",
        call("\"lapack_dgtsv_ffi\"", "f64[2,2]", "f64[2,2]"),
        Literal.zeros(Shape.of(F64, 2, 2)));
    assertRefused(
        "custom-call: r: result got f64[2,2], want (f64[2,2], s32[])",
        call("\"lapack_dpotrf_ffi\"", "f64[2,2]", "f64[2,2]"),
        Literal.zeros(Shape.of(F64, 2, 2)));
    assertRefused(
        "custom-call: operand count got 1, want 2",
        call("\"lapack_dtrsm_ffi\"", "f64[2,2]", "f64[2,2]"),
        Literal.zeros(Shape.of(F64, 2, 2)));
    assertRefused(
        "custom-call: r: operand got f64[2,3], want square matrices",
        call("\"lapack_dsyevd_ffi\"", "(f64[2,3], f64[3], s32[])", "f64[2,3]"),
        Literal.zeros(Shape.of(F64, 2, 3)));
  }

  /** Each choice gives other numbers, so that none is guessed. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "dtrsm | side = 76 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8 | diag | none | N, U",
        "dtrsm | diag = 78 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8 | side | none | L, R",
        "dtrsm | diag = 78 : ui8, side = 76 : ui8, uplo = 76 : ui8 | trans_x | none | N, T, C",
        "dtrsm | diag = 78 : ui8, side = 76 : ui8, trans_x = 88 : ui8, uplo = 76 : ui8"
            + " | trans_x | X | N, T, C",
        "dtrsm | diag = 78 : ui8, side = 76 : ui8, trans_x = 0 : ui8, uplo = 76 : ui8"
            + " | trans_x | 0 : ui8 | N, T, C",
        "dtrsm | diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8 | uplo | none | L, U",
      })
  void triangularSolvesWithoutAParameterAreRefused(
      String routine, String config, String name, String got, String want) {
    assertIncomplete(routine, config, "f64[1,1]", 2, name, got, want);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "dpotrf | '' | (f64[1,1], s32[]) | uplo | L, U",
        "dpotrf | uplo = \"L\" | (f64[1,1], s32[]) | uplo | L, U",
        "dsyevd | mode = 86 : ui8 | (f64[1,1], f64[1], s32[]) | uplo | L, U",
        "dsytrd | '' | (f64[1,1], f64[1], f64[0], f64[0], s32[]) | uplo | L, U",
        "dgesdd | '' | (f64[1,1], f64[1], f64[1,1], f64[1,1], s32[]) | mode | A, S, N",
        "dgesvd | '' | (f64[1,1], f64[1], f64[1,1], f64[1,1], s32[]) | mode | A, S, N",
        "dgees | sort = 78 : ui8 | (f64[1,1], f64[1,1], f64[1], f64[1], s32[], s32[]) | mode"
            + " | N, V",
        "dgees | mode = 86 : ui8 | (f64[1,1], f64[1,1], f64[1], f64[1], s32[], s32[]) | sort"
            + " | N",
        "dgeev | compute_left = 86 : ui8 | (f64[1], f64[1], c128[1,1], c128[1,1], s32[])"
            + " | compute_right | N, V",
        "dgeev | compute_right = 86 : ui8 | (f64[1], f64[1], c128[1,1], c128[1,1], s32[])"
            + " | compute_left | N, V",
      })
  void callsWithoutAParameterAreRefused(
      String routine, String config, String result, String name, String want) {
    assertIncomplete(routine, config, result, 1, name, "none", want);
  }

  private static void assertIncomplete(
      String routine, String config, String result, int in, String name, String got, String want) {
    String target = "\"lapack_" + routine + "_ffi\", backend_config={" + config + "}";
    Literal one = Literal.of(new double[][] {{1}});
    String[] shapes = Collections.nCopies(in, "f64[1,1]").toArray(String[]::new);
    assertRefused(
        "custom-call: r: %s in backend_config got %s, want one of %s as ui8"
            .formatted(name, got, want),
        call(target, result, shapes),
        Collections.nCopies(in, one).toArray(Literal[]::new));
  }
}
