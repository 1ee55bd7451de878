package org.hlo4j.interpreter.linalg;

import java.util.Arrays;
import java.util.List;
import org.ejml.simple.SimpleMatrix;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;

/** LAPACK's routines, each judged by its definition: residuals, orthogonality, values and info. */
final class MatrixRoutines {
  private static final String TRSM =
      "diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8";

  private final Residuals residuals;

  MatrixRoutines(Residuals residuals) {
    this.residuals = residuals;
  }

  void leftVectors(MatrixCase c) {
    String result =
        String.format(
            "(%s, %s, %s, %s, s32[])",
            c.type().of(c.sizes()), c.type().real("1"), c.type().of("400,400"), c.type().of("1,1"));
    Literal u = c.run(c.type().routine("gesdd", "gesdd", "mode = 65 : ui8"), result, c.a()).get(2);
    residuals.orthonormal(c, "gesdd u*u", MatrixCase.matrix(MatrixCase.columns(u, 9)));
  }

  void qr(MatrixCase c) {
    List<Literal> packed =
        c.run(
            c.type().routine("geqrf", "geqrf"),
            "(" + c.type().of(c.sizes()) + ", " + c.type().of("" + c.least()) + ")",
            c.a());
    qOfPacked(c, "geqrf", packed.get(0), packed.get(1), c.matrix());
  }

  /** Checks the q and r of packed reflectors. */
  void qOfPacked(MatrixCase c, String what, Literal packed, Literal taus, SimpleMatrix want) {
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

  void pivotedQr(MatrixCase c) {
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

  void lu(MatrixCase c) {
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
    int k = 0;
    while (k < c.least() && !isZero(lu.get(0), k * c.columns() + k)) {
      k++;
    }
    residuals.equal(c, "getrf info", lu.get(2).longAt(0), k < c.least() ? k + 1 : 0);
  }

  private static boolean isZero(Literal a, int i) {
    return a.elementType().isComplex()
        ? a.realAt(i) == 0 && a.imaginaryAt(i) == 0
        : a.doubleAt(i) == 0;
  }

  void svd(MatrixCase c) {
    svd(c, "gesdd", 'S', c.least(), c.least());
  }

  void wholeSvd(MatrixCase c) {
    svd(c, "gesvd", 'A', c.rows(), c.columns());
  }

  private void svd(MatrixCase c, String routine, char mode, int left, int right) {
    List<Literal> svd = c.singular(routine, mode, left, right);
    residuals.singular(
        c,
        routine,
        MatrixCase.matrix(svd.get(2)),
        svd.get(1),
        MatrixCase.matrix(svd.get(3)),
        left,
        right);
    residuals.equal(c, routine + " info", svd.get(4).longAt(0), 0);
    singularValues(c, routine, svd.get(1));
    singularValues(c, routine + " alone", c.singular(routine, 'N', left, right).get(1));
  }

  /** Small singular values of bidiagonal matrices have all their digits, beside large ones too. */
  private void singularValues(MatrixCase c, String what, Literal values) {
    if (MatrixKinds.BIDIAGONAL.contains(c.kind()) && c.rows() == c.columns()) {
      SturmCount exact = new SturmCount(c.a());
      for (int k = 0; k < c.least(); k++) {
        double error =
            exact.error(values.doubleAt(k), k, c.least() * c.epsilon(), c.least() * c.smallest());
        residuals.note(c, what + " digits", error);
      }
    }
  }

  void eigh(MatrixCase given) {
    MatrixCase c = given.withSelfAdjoint();
    String values = c.type().real("" + c.rows());
    String result = "(" + c.type().of(c.sizes()) + ", " + values + ", s32[])";
    List<Literal> eigh =
        c.run(c.type().routine("syevd", "heevd", "uplo = 76 : ui8"), result, c.a());
    residuals.eigenvectors(c, "syevd", eigh.get(0), eigh.get(1));
    residuals.equal(c, "syevd info", eigh.get(2).longAt(0), 0);
  }

  void tridiagonal(MatrixCase given) {
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

  void hessenberg(MatrixCase c) {
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
  void reduced(MatrixCase c, String what, Literal packed, Literal taus, Literal middle) {
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

  void schur(MatrixCase c) {
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
    residuals.equal(c, "gees info", form.get(form.size() - 1).longAt(0), 0);
    residuals.equal(c, "gees form", elementsBelow(form.get(0)), 0);
    residuals.orthonormal(c, "gees z*z", z);
    residuals.near(c, "gees ztz*", z.mult(c.scaled(form.get(0))).mult(z.transpose()), c.matrix());
  }

  /** Counts what is not zero below the diagonal but for blocks of two rows of a real matrix. */
  private static int elementsBelow(Literal t) {
    int n = (int) t.arrayShape().size(0);
    int count = 0;
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < i; j++) {
        boolean isOfBlock =
            j == i - 1
                && !t.elementType().isComplex()
                && (j == 0 || isZero(t, j * n + j - 1))
                && (i == n - 1 || isZero(t, (i + 1) * n + i));
        count += isOfBlock || isZero(t, i * n + j) ? 0 : 1;
      }
    }
    return count;
  }

  void eig(MatrixCase c) {
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
    residuals.equal(c, "geev info", eig.get(eig.size() - 1).longAt(0), 0);
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
    if (MatrixKinds.UNBALANCED.contains(c.kind())) {
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

  void cholesky(MatrixCase c) {
    MatrixCase definite = MatrixCase.of(c.type(), c.kind(), definite(c), c.evaluator());
    List<Literal> root = definite.cholesky();
    factor(definite, root.get(0), c.rows());
    residuals.equal(c, "potrf info", root.get(1).longAt(0), 0);
  }

  /** Any matrix has the factor of its largest definite minor, and no more. */
  void partialCholesky(MatrixCase given) {
    MatrixCase c = given.withSelfAdjoint();
    List<Literal> root = c.cholesky();
    int info = (int) root.get(1).longAt(0);
    int definite = info == 0 ? c.rows() : info - 1;
    if (info > 0) {
      int at = definite * c.rows() + definite;
      double left = isComplex(c) ? root.get(0).realAt(at) : root.get(0).doubleAt(at);
      residuals.equal(c, "potrf pivot", left <= 0 ? 0 : 1, 0);
    }
    if (definite > 0) {
      Literal minor = MatrixCase.corner(c.a(), definite);
      MatrixCase part = MatrixCase.of(c.type(), c.kind(), minor, c.evaluator());
      factor(part, MatrixCase.corner(root.get(0), definite), definite);
    }
    int changed = 0;
    for (int i = 0; i < c.rows() * c.rows(); i++) {
      int row = i / c.rows();
      int column = i % c.rows();
      boolean isKept = column > row || (column > definite && definite < c.rows());
      changed += isKept && !MatrixCase.areSame(root.get(0), c.a(), i) ? 1 : 0;
    }
    residuals.equal(c, "potrf kept", changed, 0);
  }

  private static boolean isComplex(MatrixCase c) {
    return c.type().element.isComplex();
  }

  private void factor(MatrixCase c, Literal root, int rows) {
    int half = Math.floorDiv(c.exponent(), 2);
    SimpleMatrix lower = MatrixCase.scaled(MatrixCase.band(root, rows, 0), -half);
    double rest = Math.scalb(1.0, 2 * half - c.exponent());
    residuals.near(c, "potrf", lower.mult(lower.transpose()).scale(rest), c.matrix());
  }

  void triangularSolve(MatrixCase c) {
    Literal lower = MatrixCase.band(definite(c), c.rows(), 0);
    Literal x =
        c.run(c.type().routine("trsm", "trsm", TRSM), c.type().of(c.sizes()), lower, c.a()).get(0);
    residuals.near(c, "trsm", c.scaled(lower).mult(MatrixCase.matrix(x)), c.matrix());
  }

  void tridiagonalSolve(MatrixCase c) {
    List<Literal> solved = tridiagonalSolve(c, MatrixCase.band(definite(c), 1, 1));
    residuals.equal(c, "gtsv info", solved.get(4).longAt(0), 0);
    SimpleMatrix a = c.scaled(MatrixCase.band(definite(c), 1, 1));
    residuals.near(c, "gtsv", a.mult(MatrixCase.matrix(solved.get(3))), c.matrix());
  }

  private static List<Literal> tridiagonalSolve(MatrixCase c, Literal a) {
    int n = c.rows();
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
    return c.run(c.type().routine("gtsv", "gtsv"), result, in);
  }
}
