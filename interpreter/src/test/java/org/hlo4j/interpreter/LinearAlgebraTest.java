package org.hlo4j.interpreter;

import static com.google.common.truth.Truth.assertWithMessage;
import static org.hlo4j.interpreter.StandardTargetsTest.call;

import com.google.common.collect.ImmutableList;
import java.util.Arrays;
import java.util.List;
import org.ejml.simple.SimpleMatrix;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
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

  /** LAPACK's vectors of such matrices are as far off, since it scales rows and columns first. */
  private static final ImmutableList<String> UNBALANCED =
      ImmutableList.of("graded rows", "graded columns", "all scales");

  private static final String CONFIG = ", backend_config={mode = 83 : ui8, uplo = 76 : ui8}";

  private static final String TRSM =
      "diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8";

  private static final double INFINITY = Double.POSITIVE_INFINITY;

  private final Residuals residuals = new Residuals();

  /** The sizes to test: a few, other ones for each kind of matrix, or all. */
  private static List<Integer> sizes(String kind, int count) {
    return Residuals.ARE_ALL
        ? SIZES.stream().filter(n -> n <= Residuals.MOST_ROWS).toList()
        : List.of(2 + MatrixKinds.FINITE.indexOf(kind) % count);
  }

  @AfterEach
  void residualsAreSmall() {
    residuals.assertSmall();
  }

  @ParameterizedTest
  @EnumSource
  void rectangles(MatrixCase.Type type) {
    List<Residuals.Routine> routines =
        List.of(this::qr, this::pivotedQr, this::lu, this::svd, this::wholeSvd);
    for (String kind : MatrixKinds.FINITE) {
      for (int n : sizes(kind, 5)) {
        residuals.on(kind, n, n, type, routines);
        residuals.on(kind, n + 1, n / 2 + 1, type, routines);
        residuals.on(kind, n / 2 + 1, n + 2, type, routines);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void squares(MatrixCase.Type type) {
    List<Residuals.Routine> routines =
        List.of(
            this::eigh,
            this::tridiagonal,
            this::hessenberg,
            this::schur,
            this::eig,
            this::cholesky,
            this::triangularSolve,
            this::tridiagonalSolve);
    for (String kind : MatrixKinds.FINITE) {
      for (int n : sizes(kind, 7)) {
        residuals.on(kind, n, n, type, routines);
      }
    }
  }

  /** The columns that remain lose a factor of 2^53 in each step, until they are subnormal. */
  @ParameterizedTest
  @EnumSource
  void constantMatrices(MatrixCase.Type type) {
    for (int n : new int[] {18, 25, 40}) {
      residuals.on("ones", n, n, type, List.of(this::qr));
      residuals.on("equal rows", n + 3, n, type, List.of(this::qr));
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
    residuals.on("smallest", 16, 16, MatrixCase.Type.D, List.of(this::eig));
  }

  /** By reflections, in n^2 steps for each column: the guard is against n^3. */
  @ParameterizedTest
  @EnumSource
  @Timeout(30) // seconds
  void oneColumnIsCompletedToABasis(MatrixCase.Type type) {
    residuals.on("random", 400, 1, type, List.of(this::leftVectors));
  }

  private void leftVectors(MatrixCase c) {
    String result =
        String.format(
            "(%s, %s, %s, %s, s32[])",
            c.type().of(c.sizes()), c.type().real("1"), c.type().of("400,400"), c.type().of("1,1"));
    Literal u = c.run(c.type().routine("gesdd", "gesdd", "mode = 65 : ui8"), result, c.a()).get(2);
    residuals.orthonormal(c, "gesdd u*u", MatrixCase.matrix(MatrixCase.columns(u, 9)));
  }

  private void qr(MatrixCase c) {
    List<Literal> packed =
        c.run(
            c.type().routine("geqrf", "geqrf"),
            "(" + c.type().of(c.sizes()) + ", " + c.type().of("" + c.least()) + ")",
            c.a());
    qOfPacked(c, "geqrf", packed.get(0), packed.get(1), c.matrix());
  }

  /** Checks the q and r of packed reflectors. */
  private void qOfPacked(
      MatrixCase c, String what, Literal packed, Literal taus, SimpleMatrix want) {
    Literal left = MatrixCase.columns(packed, c.least());
    Literal q =
        c.run(c.type().routine("orgqr", "ungqr"), left.shape().toString(), left, taus).get(0);
    residuals.orthonormal(c, what + " q*q", MatrixCase.matrix(q));
    residuals.near(
        c,
        what + " qr",
        MatrixCase.matrix(q).mult(c.scaled(MatrixCase.upper(packed, c.least()))),
        want);
  }

  private void pivotedQr(MatrixCase c) {
    String pivots = "s32[" + c.columns() + "]";
    List<Literal> packed =
        c.run(
            c.type().routine("geqp3", "geqp3"),
            "(" + c.type().of(c.sizes()) + ", " + pivots + ", " + c.type().of("" + c.least()) + ")",
            c.a(),
            Literal.of(new int[c.columns()]));
    LiteralBuilder permuted = new LiteralBuilder(c.a().arrayShape());
    for (int i = 0; i < c.a().elementCount(); i++) {
      int j = i % c.columns();
      permuted.copy(i, c.a(), i - j + (int) packed.get(1).longAt(j) - 1);
    }
    qOfPacked(c, "geqp3", packed.get(0), packed.get(2), c.scaled(permuted.build()));
  }

  private void lu(MatrixCase c) {
    List<Literal> lu =
        c.run(
            c.type().routine("getrf", "getrf"),
            "(" + c.type().of(c.sizes()) + ", s32[" + c.least() + "], s32[])",
            c.a());
    int[] rows = new int[c.rows()];
    Arrays.setAll(rows, i -> i);
    for (int i = 0; i < c.least(); i++) {
      int other = (int) lu.get(1).longAt(i) - 1;
      int kept = rows[i];
      rows[i] = rows[other];
      rows[other] = kept;
    }
    residuals.factors(c, "getrf", lu.get(0), rows);
  }

  private void svd(MatrixCase c) {
    svd(c, "gesdd", 'S', c.least(), c.least());
  }

  private void wholeSvd(MatrixCase c) {
    svd(c, "gesvd", 'A', c.rows(), c.columns());
  }

  private void svd(MatrixCase c, String routine, char mode, int left, int right) {
    String result =
        String.format(
            "(%s, %s, %s, %s, s32[])",
            c.type().of(c.sizes()),
            c.type().real("" + c.least()),
            c.type().of(c.rows() + "," + left),
            c.type().of(right + "," + c.columns()));
    String config = "mode = " + (int) mode + " : ui8";
    List<Literal> svd = c.run(c.type().routine(routine, routine, config), result, c.a());
    residuals.singular(
        c,
        routine,
        MatrixCase.matrix(svd.get(2)),
        svd.get(1),
        MatrixCase.matrix(svd.get(3)),
        left,
        right);
  }

  private void eigh(MatrixCase given) {
    MatrixCase c = given.withSelfAdjoint();
    String values = c.type().real("" + c.rows());
    String result = "(" + c.type().of(c.sizes()) + ", " + values + ", s32[])";
    List<Literal> eigh =
        c.run(c.type().routine("syevd", "heevd", "uplo = 76 : ui8"), result, c.a());
    residuals.eigenvectors(c, "syevd", eigh.get(0), eigh.get(1));
  }

  private void tridiagonal(MatrixCase given) {
    MatrixCase c = given.withSelfAdjoint();
    int n = c.rows();
    String result =
        String.format(
            "(%s, %s, %s, %s, s32[])",
            c.type().of(c.sizes()),
            c.type().real("" + n),
            c.type().real("" + (n - 1)),
            c.type().of("" + (n - 1)));
    List<Literal> form =
        c.run(c.type().routine("sytrd", "hetrd", "uplo = 76 : ui8"), result, c.a());
    LiteralBuilder middle = LiteralBuilder.zeros(c.a().arrayShape());
    for (int i = 0; i < n; i++) {
      set(c.type(), middle, i * n + i, form.get(1).doubleAt(i));
      if (i + 1 < n) {
        set(c.type(), middle, i * n + i + 1, form.get(2).doubleAt(i));
        set(c.type(), middle, i * n + n + i, form.get(2).doubleAt(i));
      }
    }
    reduced(c, "sytrd", form.get(0), form.get(3), middle.build());
  }

  private static void set(MatrixCase.Type type, LiteralBuilder matrix, int at, double value) {
    if (type.element.isComplex()) {
      matrix.setComplex(at, value, 0);
    } else {
      matrix.setDouble(at, value);
    }
  }

  private void hessenberg(MatrixCase c) {
    int n = c.rows();
    String result = "(" + c.type().of(c.sizes()) + ", " + c.type().of("" + (n - 1)) + ", s32[])";
    List<Literal> form =
        c.run(
            c.type().routine("gehrd", "gehrd", "low = 1 : i32, high = " + n + " : i32"),
            result,
            c.a());
    LiteralBuilder middle = LiteralBuilder.zeros(c.a().arrayShape());
    for (int i = 0; i < n * n; i++) {
      if (i / n <= i % n + 1) {
        middle.copy(i, form.get(0), i);
      }
    }
    reduced(c, "gehrd", form.get(0), form.get(1), middle.build());
  }

  /** Checks a = q middle q*, with q from the reflectors below the subdiagonal. */
  private void reduced(MatrixCase c, String what, Literal packed, Literal taus, Literal middle) {
    int n = c.rows() - 1;
    if (n == 0) {
      return;
    }
    LiteralBuilder below = new LiteralBuilder(Shape.of(c.type().element, n, n));
    for (int i = 0; i < n * n; i++) {
      below.copy(i, packed, (i / n + 1) * (n + 1) + i % n);
    }
    Literal packedBelow = below.build();
    SimpleMatrix small =
        MatrixCase.matrix(
            c.run(
                    c.type().routine("orgqr", "ungqr"),
                    packedBelow.shape().toString(),
                    packedBelow,
                    taus)
                .get(0));
    residuals.orthonormal(c, what + " q*q", small);
    SimpleMatrix q = SimpleMatrix.identity(c.matrix().getNumRows());
    int parts = small.getNumRows() / n;
    for (int i = 0; i < n * parts; i++) {
      for (int j = 0; j < n * parts; j++) {
        q.set(i + 1 + i / n, j + 1 + j / n, small.get(i, j));
      }
    }
    residuals.near(c, what + " qhq*", q.mult(c.scaled(middle)).mult(q.transpose()), c.matrix());
  }

  private void schur(MatrixCase c) {
    String values = c.type().of("" + c.rows());
    String result =
        String.format(
            c.type().element.isComplex()
                ? "(%s, %s, %s, s32[], s32[])"
                : "(%1$s, %2$s, %3$s, %3$s, s32[], s32[])",
            c.type().of(c.sizes()),
            c.type().of(c.sizes()),
            values);
    List<Literal> form =
        c.run(c.type().routine("gees", "gees", "mode = 86 : ui8, sort = 78 : ui8"), result, c.a());
    SimpleMatrix z = MatrixCase.matrix(form.get(1));
    residuals.note(c, "gees info", form.get(form.size() - 1).longAt(0) == 0 ? 0 : Double.NaN);
    residuals.orthonormal(c, "gees z*z", z);
    residuals.near(c, "gees ztz*", z.mult(c.scaled(form.get(0))).mult(z.transpose()), c.matrix());
  }

  private void eig(MatrixCase c) {
    int n = c.rows();
    boolean isComplex = c.type().element.isComplex();
    String vectors =
        c.type() == MatrixCase.Type.D || c.type() == MatrixCase.Type.Z ? "c128" : "c64";
    String result =
        String.format(
            isComplex ? "(%s, %s, %s, s32[])" : "(%1$s, %1$s, %2$s, %3$s, s32[])",
            c.type().of("" + n),
            vectors + "[" + c.sizes() + "]",
            vectors + "[" + c.sizes() + "]");
    List<Literal> eig =
        c.run(
            c.type().routine("geev", "geev", "compute_left = 86 : ui8, compute_right = 86 : ui8"),
            result,
            c.a());
    residuals.note(c, "geev info", eig.get(eig.size() - 1).longAt(0) == 0 ? 0 : Double.NaN);
    LiteralBuilder values =
        LiteralBuilder.zeros(Shape.of(eig.get(eig.size() - 2).elementType(), n, n));
    for (int i = 0; i < n; i++) {
      if (isComplex) {
        values.copy(i * n + i, eig.get(0), i);
      } else {
        values.setComplex(i * n + i, eig.get(0).doubleAt(i), eig.get(1).doubleAt(i));
      }
    }
    SimpleMatrix a = isComplex ? c.matrix() : twice(c.matrix());
    SimpleMatrix v = MatrixCase.matrix(eig.get(eig.size() - 2));
    SimpleMatrix w = c.scaled(values.build());
    if (UNBALANCED.contains(c.kind())) {
      return;
    }
    residuals.near(c, "geev av-vw", a.mult(v), v.mult(w));
    SimpleMatrix u = MatrixCase.matrix(eig.get(eig.size() - 3));
    residuals.near(c, "geev u*a-wu*", u.transpose().mult(a), w.mult(u.transpose()));
    for (SimpleMatrix each : List.of(u, v)) {
      for (int j = 0; j < n; j++) {
        double length = each.cols(j, j + 1).normF();
        residuals.note(c, "geev length", Math.abs(length - 1) / (c.epsilon() * n));
      }
    }
  }

  private static SimpleMatrix twice(SimpleMatrix a) {
    SimpleMatrix zeros = new SimpleMatrix(a.getNumRows(), a.getNumCols());
    return a.concatColumns(zeros).concatRows(zeros.concatColumns(a));
  }

  /** Returns a definite matrix, self-adjoint and of about the size of a case's. */
  private static Literal definite(MatrixCase c) {
    Literal a = MatrixCase.selfAdjoint(c.a());
    int n = c.rows();
    LiteralBuilder result = new LiteralBuilder(a.arrayShape());
    for (int i = 0; i < n * n; i++) {
      result.copy(i, a, i);
      if (i / n == i % n) {
        set(c.type(), result, i, Math.scalb(2.0 * n, c.exponent()));
      }
    }
    return result.build();
  }

  private void cholesky(MatrixCase c) {
    Literal a = definite(c);
    String result = "(" + c.type().of(c.sizes()) + ", s32[])";
    List<Literal> root = c.run(c.type().routine("potrf", "potrf", "uplo = 76 : ui8"), result, a);
    MatrixCase want = MatrixCase.of(c.type(), c.kind(), a, c.evaluator());
    int half = Math.floorDiv(want.exponent(), 2);
    SimpleMatrix lower = MatrixCase.scaled(MatrixCase.band(root.get(0), c.rows(), 0), -half);
    double rest = Math.scalb(1.0, 2 * half - want.exponent());
    residuals.near(want, "potrf", lower.mult(lower.transpose()).scale(rest), want.matrix());
  }

  private void triangularSolve(MatrixCase c) {
    Literal lower = MatrixCase.band(definite(c), c.rows(), 0);
    Literal x =
        c.run(c.type().routine("trsm", "trsm", TRSM), c.type().of(c.sizes()), lower, c.a()).get(0);
    residuals.near(c, "trsm", c.scaled(lower).mult(MatrixCase.matrix(x)), c.matrix());
  }

  private void tridiagonalSolve(MatrixCase c) {
    int n = c.rows();
    Literal a = MatrixCase.band(definite(c), 1, 1);
    Literal[] in = new Literal[4];
    for (int k = 0; k < 3; k++) {
      LiteralBuilder diagonal = LiteralBuilder.zeros(Shape.of(c.type().element, n));
      for (int i = Math.max(0, 1 - k); i < Math.min(n, n + 1 - k); i++) {
        diagonal.copy(i, a, i * n + i + k - 1);
      }
      in[k] = diagonal.build();
    }
    in[3] = c.a();
    String diagonal = c.type().of("" + n);
    String result = String.format("(%1$s, %1$s, %1$s, %2$s, s32[])", diagonal, c.a().shape());
    Literal x = c.run(c.type().routine("gtsv", "gtsv"), result, in).get(3);
    residuals.near(c, "gtsv", c.scaled(a).mult(MatrixCase.matrix(x)), c.matrix());
  }
}
