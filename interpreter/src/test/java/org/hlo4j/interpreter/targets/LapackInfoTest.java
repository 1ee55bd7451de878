package org.hlo4j.interpreter.targets;

import static com.google.common.truth.Truth.assertThat;
import static com.google.common.truth.Truth.assertWithMessage;
import static org.hlo4j.interpreter.targets.StandardTargetsTest.call;

import com.google.common.base.Splitter;
import java.util.List;
import java.util.Locale;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.Interpreter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What LAPACK's routines say besides their results: the info, and what is left where they fail. */
final class LapackInfoTest {
  private static final String CPU =
      "uplo = 76 : ui8, sort = 78 : ui8, compute_left = 86 : ui8, compute_right = 86 : ui8, mode ="
          + " ";

  private static final String GPU =
      "lower = true, compute_uv = true, full_matrices = false, transposed = false, left = true,"
          + " right = true";

  /** The results of a call, of each evaluator. */
  private static List<Literal> both(String target, String result, Literal a) {
    String letter = target.endsWith("gees") ? "86" : "83"; // with vectors
    String config = target.startsWith("lapack") ? CPU + letter + " : ui8" : GPU;
    String text =
        call(
            "\"" + target + "_ffi\", backend_config={" + config + "}",
            result,
            a.shape().toString());
    HloModule module = Parser.parse("HloModule m\n" + text);
    return List.of(Interpreter.reference().run(module, a), Interpreter.compiled().run(module, a));
  }

  /** The result of a routine for matrices of m rows and n columns, the info last. */
  private static String result(String routine, String type, long m, long n) {
    long k = Math.min(m, n);
    boolean isComplex = type.startsWith("c");
    String real = type.equals("c128") ? "f64" : type.equals("c64") ? "f32" : type;
    String complex = real.equals("f64") ? "c128" : "c64";
    String shapes =
        switch (routine) {
          case "potrf" -> "TYPE[m,n]";
          case "getrf" -> "TYPE[m,n], s32[k]";
          case "syevd", "heevd" -> "TYPE[m,n], REAL[n]";
          case "gees" ->
              isComplex
                  ? "TYPE[n,n], TYPE[n,n], TYPE[n], s32[]"
                  : "TYPE[n,n], TYPE[n,n], TYPE[n], TYPE[n], s32[]";
          case "geev" ->
              isComplex
                  ? "TYPE[n], TYPE[n,n], TYPE[n,n]"
                  : "TYPE[n], TYPE[n], COMPLEX[n,n], COMPLEX[n,n]";
          case "gesvdj" -> "TYPE[m,n], REAL[k], TYPE[m,k], TYPE[n,k]";
          default -> "TYPE[m,n], REAL[k], TYPE[m,k], TYPE[k,n]";
        };
    return ("(" + shapes + ", s32[])")
        .replace("m", m + "")
        .replace("n", n + "")
        .replace("k", k + "")
        .replace("TYPE", type)
        .replace("REAL", real)
        .replace("COMPLEX", complex);
  }

  /**
   * As OpenBLAS's LAPACK 3.12 has it for f64 and c128, and JAX's geev around it; but for potrf of
   * NaN, which is LAPACK's own, and syevd of infinities, which depends on where they are.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          getrf | [2,2] {{1, 2}, {3, 4}}                          | 0
          getrf | [2,2] {{1, 2}, {2, 4}}                          | 2
          getrf | [2,2] {{0, 0}, {0, 0}}                          | 1
          getrf | [2,3] {{0, 1, 2}, {0, 3, 4}}                    | 1
          getrf | [3,2] {{1, 2}, {2, 4}, {3, 6}}                  | 2
          getrf | [3,3] {{0, 2, 1}, {0, 2, 1}, {0, 4, 0}}         | 1
          getrf | [2,2] {{nan, 1}, {2, 4}}                        | 0
          getrf | [2,2] {{1, 1}, {0, inf}}                        | 0
          potrf | [2,2] {{4, 2}, {2, 5}}                          | 0
          potrf | [1,1] {{0}}                                     | 1
          potrf | [2,2] {{-1, 2}, {2, 4}}                         | 1
          potrf | [2,2] {{1, 2}, {2, 4}}                          | 2
          potrf | [3,3] {{4, 0, 0}, {2, 5, 0}, {2, 2, 1}}         | 3
          potrf | [2,2] {{1, 2}, {nan, 4}}                        | 2
          potrf | [2,2] {{nan, 2}, {1, 4}}                        | 1
          potrf | [2,2] {{1, nan}, {0.5, 4}}                      | 0
          potrf | [2,2] {{1, 2}, {1, inf}}                        | 0
          syevd | [2,2] {{2, 0}, {1, 2}}                          | 0
          syevd | [1,1] {{nan}}                                   | 0
          syevd | [2,2] {{1, 0}, {nan, 2}}                        | 0
          syevd | [3,3] {{1, 0, 0}, {nan, 2, 0}, {1, 2, 3}}       | 2
          syevd | [2,2] {{1, 0}, {inf, 2}}                        | 0
          gesdd | [2,2] {{1, 2}, {3, 4}}                          | 0
          gesdd | [2,2] {{1, nan}, {2, 4}}                        | -4
          gesdd | [3,2] {{1, 2}, {3, nan}, {inf, 1}}              | -4
          gesdd | [2,2] {{1, inf}, {2, 4}}                        | 0
          gesvd | [1,1] {{nan}}                                   | 0
          gesvd | [2,2] {{1, nan}, {2, 4}}                        | 0
          gesvd | [3,3] {{1, nan, 0}, {2, 4, 1}, {0, 1, 2}}       | 2
          gesvd | [3,4] {{1, nan, 0, 1}, {2, 4, 1, 0}, {0, 1, 2, 3}} | 2
          gesvd | [2,2] {{1, inf}, {2, 4}}                        | 0
          gees  | [2,2] {{1, 2}, {3, 4}}                          | 0
          gees  | [3,3] {{1, nan, 0}, {2, 4, 1}, {0, 1, 2}}       | 3
          gees  | [2,2] {{1, inf}, {2, 4}}                        | 0
          geev  | [2,2] {{1, 2}, {3, 4}}                          | 0
          geev  | [1,1] {{nan}}                                   | -4
          geev  | [2,2] {{1, inf}, {2, 4}}                        | -4
          """)
  void info(String routine, String matrix, int want) {
    for (String type : List.of("f32", "f64", "c64", "c128")) {
      Literal a = ofType(type, matrix);
      assertInfo(target(type, routine), a, want);
      if (!routine.startsWith("gee")) {
        assertInfo("cusolver_" + routine, a, want);
        assertInfo("hipsolver_" + routine, a, want);
      }
      if (routine.equals("gesvd")) {
        assertInfo("cusolver_gesvdj", a, want);
        assertInfo("hipsolver_gesvdp", a, want);
      }
    }
  }

  private static String target(String type, String routine) {
    String letter = "sdcz".charAt(List.of("f32", "f64", "c64", "c128").indexOf(type)) + "";
    boolean isHermitian = routine.equals("syevd") && type.startsWith("c");
    return "lapack_" + letter + (isHermitian ? "heevd" : routine);
  }

  private static Literal ofType(String type, String matrix) {
    String numbers =
        type.startsWith("f") ? matrix : matrix.replaceAll("(-?[\\w.]+)(?=[,}] ?)", "($1, 0)");
    List<String> parts = Splitter.on("] ").splitToList(type.startsWith("f") ? matrix : numbers);
    String sizes = Splitter.on("] ").splitToList(matrix).get(0);
    return Parser.parseLiteral(type + sizes + "] " + parts.get(1));
  }

  private static void assertInfo(String target, Literal a, int want) {
    Shape.Array shape = a.arrayShape();
    String routine = target.replaceFirst("lapack_.|.*_", "").replace("gesvdp", "gesvdj");
    String type = shape.elementType().toString().toLowerCase(Locale.ROOT);
    for (Literal result : both(target, result(routine, type, shape.size(0), shape.size(1)), a)) {
      List<Literal> parts = result.elements();
      assertWithMessage("%s of %s", target, a)
          .that(parts.get(parts.size() - 1).longAt(0))
          .isEqualTo(want);
    }
  }

  /** The pivot is no zero in f64, in which it is computed, but rounds to one. */
  @Test
  void pivotsAreZeroInTheTypeOfTheResult() {
    Literal a = Parser.parseLiteral("f32[2,2] {{3e-45, 1e-45}, {1e-45, 4.2e-46}}");
    assertInfo("lapack_sgetrf", a, 2);
    assertInfo("cusolver_getrf", a, 2);
  }

  /** Columns before the last of the minor are those of the factor, the others those of a. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "76 | true | {{2, 1, 2, 9}, {1, 2, 3, 8}, {1, 0.5, -0.25, 7}, {1, 0.5, 2, -3}} | 3",
        "85 | false | {{2, 1, 1, 1}, {1, 2, 0.5, 0.5}, {2, 3, -0.25, 2}, {9, 8, 7, -3}} | 3",
      })
  void theFactorOfADefiniteMinorIsLeft(int uplo, boolean isLower, String left, int info) {
    Literal lower =
        Parser.parseLiteral("f64[4,4] {{4, 1, 2, 9}, {2, 5, 3, 8}, {2, 2, 1, 7}, {2, 2, 2, -3}}");
    Literal upper =
        Parser.parseLiteral("f64[4,4] {{4, 2, 2, 2}, {1, 5, 2, 2}, {2, 3, 1, 2}, {9, 8, 7, -3}}");
    Literal want = Parser.parseLiteral("f64[4,4] " + left);
    for (String target :
        List.of(
            "lapack_dpotrf_ffi\", backend_config={uplo = " + uplo + " : ui8}",
            "cusolver_potrf_ffi\", backend_config={lower = " + isLower + "}")) {
      Literal result =
          StandardTargetsTest.run(
              call("\"" + target, "(f64[4,4], s32[])", "f64[4,4]"), isLower ? lower : upper);
      assertThat(result.element(0)).isEqualTo(want);
      assertThat(result.element(1).longAt(0)).isEqualTo(info);
    }
  }

  @Test
  void eachMatrixOfABatchHasItsInfo() {
    Literal a =
        Parser.parseLiteral("f64[3,2,2] {{{4, 2}, {2, 5}}, {{1, 2}, {2, 4}}, {{0, 0}, {0, 1}}}");
    String square = "(f64[3,2,2], ";
    for (Literal result : both("lapack_dgetrf", square + "s32[3,2], s32[3])", a)) {
      assertThat(result.element(2).toString()).isEqualTo("s32[3] {0, 2, 1}");
    }
    for (Literal result : both("lapack_dpotrf", square + "s32[3])", a)) {
      assertThat(result.element(1).toString()).isEqualTo("s32[3] {0, 2, 1}");
    }
  }

  /** As LAPACK leaves the diagonals, of which JAX reads none. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {7, 1, 1} | {2, 2.5, 2.5} | {1, 1, 7} | {7, 0, 1} | {2, 2, 2}   | {1, 1, 7}   | 0
          {7, 5, 1} | {2, 2.5, 2.5} | {1, 1, 7} | {7, 1, 1} | {5, 1, -0.4} | {2.5, 2.5, 7} | 0
          {0, 1, 1} | {1, 1, 0}     | {1, 0, 0} | {0, 0, 1} | {1, 1, 0}   | {1, 0, 0}   | 3
          {0, 1, 0} | {1, 1, 1}     | {1, 5, 0} | {0, 0, 0} | {1, 0, 1}   | {1, 5, 0}   | 2
          {0, 0, 0} | {0, 1, 1}     | {1, 5, 0} | {0, 0, 0} | {0, 1, 1}   | {1, 5, 0}   | 1
          """)
  void tridiagonalSystems(
      String below,
      String diagonal,
      String above,
      String secondAbove,
      String pivots,
      String firstAbove,
      int info) {
    Literal b = Parser.parseLiteral("f64[3,1] {{4}, {9}, {9.5}}");
    String shape = "(f64[3], f64[3], f64[3], f64[3,1], s32[])";
    Literal[] in = {vector(below), vector(diagonal), vector(above), b};
    Literal result =
        StandardTargetsTest.run(
            call("\"lapack_dgtsv_ffi\"", shape, "f64[3]", "f64[3]", "f64[3]", "f64[3,1]"), in);
    assertThat(result.element(0)).isEqualTo(vector(secondAbove));
    assertThat(result.element(1)).isEqualTo(vector(pivots));
    assertThat(result.element(2)).isEqualTo(vector(firstAbove));
    assertThat(result.element(4).longAt(0)).isEqualTo(info);
  }

  private static Literal vector(String numbers) {
    return Parser.parseLiteral("f64[3] " + numbers);
  }

  /** A value of 1.41421356 beside others of 1e-75 to 1e-15 (issue 56, A1). */
  @Test
  void singularValuesOfAGradedMatrix() {
    Literal a =
        Parser.parseLiteral(
            "f64[4,4] {{1e-75, 1e-60, 0, 0}, {0, 1e-45, 1e-30, 0}, {0, 0, 1e-15, 1}, {0, 0, 0,"
                + " 1}}");
    for (String routine : List.of("gesdd", "gesvd")) {
      for (Literal result : both("lapack_d" + routine, result(routine, "f64", 4, 4), a)) {
        assertThat(result.element(1).doubleAt(0)).isWithin(1e-15).of(Math.sqrt(2));
        assertThat(result.element(4).longAt(0)).isEqualTo(0);
      }
    }
  }

  /** LAPACK finds these with its aggressive deflation (issue 56, A1). */
  @Test
  void eigenvaluesOfAllScales() {
    Literal a =
        Parser.parseLiteral(
            "f64[4,4] {{-3e-107, -1e-76, -1e-269, -1e126}, {1e-82, -3e-192, 1e-190, -6e-132},"
                + " {4e-218, -3e-41, 1e-161, -1e273}, {-5e-62, 1e182, 8e224, -3e77}}");
    for (Literal result : both("lapack_dgees", result("gees", "f64", 4, 4), a)) {
      assertThat(result.element(5).longAt(0)).isEqualTo(0);
      assertThat(result.element(2).doubleAt(0) / 3e-107).isWithin(1e-12).of(-1);
      assertThat(result.element(3).doubleAt(1) / 1e249).isWithin(1e-12).of(Math.sqrt(0.8));
    }
  }
}
