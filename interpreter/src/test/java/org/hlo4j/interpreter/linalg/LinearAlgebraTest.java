package org.hlo4j.interpreter.linalg;

import static com.google.common.truth.Truth.assertWithMessage;
import static org.hlo4j.interpreter.targets.StandardTargetsTest.call;

import com.google.common.collect.ImmutableList;
import java.util.List;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.interpreter.targets.StandardTargetsTest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * LAPACK's routines and the client library's decompositions on all kinds of matrices, each
 * evaluator by itself: residuals and orthogonality.
 */
final class LinearAlgebraTest {
  private static final ImmutableList<Integer> SIZES =
      ImmutableList.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 18, 21, 24, 32, 33, 47, 64, 90, 100);

  private static final String CONFIG = ", backend_config={mode = 83 : ui8, uplo = 76 : ui8}";

  private static final double INFINITY = Double.POSITIVE_INFINITY;

  private final Residuals residuals = new Residuals();
  private final MatrixRoutines routines = new MatrixRoutines(residuals);

  /** The sizes to test: one, another one for each kind of matrix and half of the types, or all. */
  private static List<Integer> sizes(String kind, MatrixCase.Type type, int count) {
    int index = MatrixKinds.FINITE.indexOf(kind);
    if (Residuals.ARE_ALL) {
      return SIZES.stream().filter(n -> n <= Residuals.MOST_ROWS).toList();
    }
    return (index + List.of(MatrixCase.Type.values()).indexOf(type)) % 2 == 0
        ? List.of(2 + index % count)
        : List.of();
  }

  @AfterEach
  void residualsAreSmall() {
    residuals.assertSmall();
  }

  @ParameterizedTest
  @EnumSource
  void rectangles(MatrixCase.Type type) {
    List<Residuals.Routine> all =
        List.of(routines::qr, routines::pivotedQr, routines::lu, routines::svd, routines::wholeSvd);
    for (String kind : MatrixKinds.FINITE) {
      for (int n : sizes(kind, type, 5)) {
        residuals.on(kind, n, n, type, all);
        residuals.on(kind, n + 1, n / 2 + 1, type, all);
        residuals.on(kind, n / 2 + 1, n + 2, type, all);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void squares(MatrixCase.Type type) {
    List<Residuals.Routine> all =
        List.of(
            routines::eigh,
            routines::tridiagonal,
            routines::hessenberg,
            routines::schur,
            routines::eig,
            routines::cholesky,
            routines::partialCholesky,
            routines::triangularSolve,
            routines::tridiagonalSolve);
    for (String kind : MatrixKinds.FINITE) {
      for (int n : sizes(kind, type, 7)) {
        residuals.on(kind, n, n, type, all);
      }
    }
  }

  /** The columns that remain lose a factor of 2^53 in each step, until they are subnormal. */
  @ParameterizedTest
  @EnumSource
  void constantMatrices(MatrixCase.Type type) {
    for (int n : new int[] {18, 25, 40}) {
      residuals.on("ones", n, n, type, List.of(routines::qr));
      residuals.on("equal rows", n + 3, n, type, List.of(routines::qr));
    }
  }

  /** Factorizations take the same steps on both evaluators, also where numbers are not finite. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "sgetrf | (f32[n,m], s32[k], s32[])",
        "dgetrf | (f64[n,m], s32[k], s32[])",
        "sgeqrf | (f32[n,m], f32[k])",
        "dgeqrf | (f64[n,m], f64[k])",
        "dpotrf | (f64[n,n], s32[])"
      })
  void factorizationsHaveTheSameBits(String routine, String result) {
    for (double special : new double[] {Double.NaN, INFINITY, -INFINITY, -0.0, 1.7e308, -3e38}) {
      for (int n : new int[] {3, 26, 37}) {
        int m = routine.endsWith("potrf") ? n : n + 3;
        String sizes = result.replace("n", n + "").replace("m", m + "").replace("k", n + "");
        String type = routine.startsWith("s") ? "f32" : "f64";
        Literal random = StandardTargetsTest.random(ElementType.named(type).orElseThrow(), n, m);
        for (int at : new int[] {0, n / 2 * m + n / 3, n * m - 1}) {
          LiteralBuilder a = new LiteralBuilder(random.arrayShape());
          for (int i = 0; i < n * m; i++) {
            a.setDouble(i, i == at ? special : random.doubleAt(i));
          }
          Literal matrix = a.build();
          StandardTargetsTest.run(
              call("\"lapack_" + routine + "_ffi\"" + CONFIG, sizes, matrix.shape().toString()),
              matrix);
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(doubles = {Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY})
  void decompositionsOfMatricesThatAreNotFiniteAreNaN(double special) {
    Literal a = Literal.of(new double[][] {{1, special}, {special, 2}});
    for (String row :
        List.of(
            "dsyevd (f64[2,2], f64[2], s32[])",
            "dgesdd (f64[2,2], f64[2], f64[2,2], f64[2,2], s32[])",
            "dgesvd (f64[2,2], f64[2], f64[2,2], f64[2,2], s32[])")) {
      String target = "\"lapack_" + row.substring(0, 6) + "_ffi\"" + CONFIG;
      Literal result = StandardTargetsTest.run(call(target, row.substring(7), "f64[2,2]"), a);
      List<Literal> parts = result.elements();
      for (Literal part : parts.subList(row.startsWith("dsyevd") ? 0 : 1, parts.size() - 1)) {
        for (double value : part.toDoubles()) {
          assertWithMessage(row).that(value).isNaN();
        }
      }
    }
  }

  /** The imaginary parts of these eigenvalues round to 0, but the vectors are complex. */
  @Test
  void eigenvectorsOfTheSmallestNumbers() {
    residuals.on("smallest", 16, 16, MatrixCase.Type.D, List.of(routines::eig));
  }

  /** By reflections, in n^2 steps for each column: the guard is against n^3. */
  @ParameterizedTest
  @EnumSource
  @Timeout(30) // seconds
  void oneColumnIsCompletedToABasis(MatrixCase.Type type) {
    residuals.on("random", 400, 1, type, List.of(routines::leftVectors));
  }
}
