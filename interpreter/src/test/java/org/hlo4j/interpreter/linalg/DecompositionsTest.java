package org.hlo4j.interpreter.linalg;

import static com.google.common.truth.Truth.assertThat;
import static com.google.common.truth.Truth.assertWithMessage;
import static org.hlo4j.interpreter.linalg.StackOfMatrices.assertNear;
import static org.hlo4j.interpreter.linalg.StackOfMatrices.assertOrthonormal;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.ejml.data.DMatrixRMaj;
import org.ejml.dense.row.factory.DecompositionFactory_DDRM;
import org.ejml.interfaces.decomposition.QRDecomposition;
import org.ejml.simple.SimpleMatrix;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.builder.lib.linalg.LogDet;
import org.hlo4j.builder.lib.linalg.LuDecomposition;
import org.hlo4j.builder.lib.linalg.Matrix;
import org.hlo4j.builder.lib.linalg.Qr;
import org.hlo4j.builder.lib.linalg.SelfAdjointEig;
import org.hlo4j.builder.lib.linalg.Svd;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.interpreter.agreement.Evaluators;
import org.hlo4j.testing.Nightly;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The decompositions of the client library, against their definitions and against EJML. */
@Tag("thorough")
final class DecompositionsTest {
  /** Of any shape; those behind a star at night only. */
  private static final List<String> MATRICES =
      Stream.of(
              "f64[1,1] random",
              "*f64[2,2] random",
              "*f64[3,3] random",
              "*f64[4,4] random",
              "f64[7,7] hilbert",
              "f64[6,3] random",
              "*f64[3,6] random",
              "*f64[1,4] random",
              "*f64[4,1] random",
              "*f64[4,4] zeros",
              "*f64[4,4] identity",
              "*f64[4,4] ones",
              "*f64[4,4] rank 2",
              "*f64[3,6] rank 2",
              "f64[4,4] zero column",
              "*f64[4,4] graded",
              "*f64[4,3] huge",
              "f64[4,3] tiny",
              "*f64[2,2,4,3] random",
              "f64[0,3] zeros",
              "*f64[3,0] zeros",
              "*f64[0,0] zeros",
              "*f64[2,0,0] zeros",
              "*f64[0,3,3] zeros",
              "*f32[1,1] random",
              "*f32[4,4] random",
              "*f32[5,3] random",
              "*f32[3,5] random",
              "*f32[4,4] rank 2",
              "f32[4,4] huge",
              "*f32[4,4] tiny",
              "*c128[1,1] random",
              "*c128[5,5] random",
              "*c128[5,2] random",
              "*c128[2,5] random",
              "*c128[5,5] ones",
              "c128[2,3,3] random",
              "c64[4,4] random",
              "*c64[3,4] random")
          .filter(row -> Nightly.isOn() || !row.startsWith("*"))
          .map(row -> row.replace("*", ""))
          .toList();

  /** Square ones. */
  private static final List<String> SQUARES =
      MATRICES.stream().filter(row -> row.matches(".*\\[(.*,)?(\\d+),\\2\\].*")).toList();

  @SuppressWarnings("UnusedVariable") // FieldSource reads it.
  private static final List<String> SYMMETRIC =
      Stream.concat(
              SQUARES.stream(),
              Stream.of("f64[6,6] repeated", "f64[5,5] diagonal", "f32[5,5] repeated"))
          .toList();

  /** Those whose determinants are in range. */
  @SuppressWarnings("UnusedVariable") // FieldSource reads it.
  private static final List<String> REAL_SQUARES =
      SQUARES.stream().filter(row -> row.matches("f.*] (?!tiny|huge).*")).toList();

  private static final Decomposition FULL_QR = ofQr(true);
  private static final Decomposition REDUCED_QR = ofQr(false);

  private static final Decomposition LU =
      Decomposition.of(x -> {
        LuDecomposition.Result result = LuDecomposition.luDecomposition(x);
        return List.of(result.lu(), result.pivots(), result.permutation());
      });

  private static final Decomposition EIG =
      Decomposition.of(x -> {
        SelfAdjointEig.Result eig = SelfAdjointEig.selfAdjointEig(x);
        return List.of(eig.v(), eig.w(), Matrix.symmetrize(x, true));
      });

  private static final Decomposition SVD =
      Decomposition.of(x -> {
        Svd.Result svd = Svd.svd(x);
        return List.of(svd.u(), svd.d(), svd.v());
      });

  private static final Decomposition DETERMINANT =
      Decomposition.of(x -> {
        LogDet.SignAndLogDet det = LogDet.slogDet(x);
        return List.of(det.sign(), det.logAbsDet(), LogDet.logDet(x));
      });

  /** A program of one parameter, compiled once for each shape. */
  private record Decomposition(
      Function<XlaOp, List<XlaOp>> program, Evaluator evaluator, Map<Shape, HloModule> modules) {
    static Decomposition of(Function<XlaOp, List<XlaOp>> program) {
      Evaluator evaluator = Nightly.isOn() ? Evaluators.both() : Interpreter.reference();
      return new Decomposition(program, evaluator, new HashMap<>());
    }

    List<Literal> run(Literal a) {
      return evaluator.run(modules.computeIfAbsent(a.shape(), this::module), a).elements();
    }

    private HloModule module(Shape shape) {
      XlaBuilder b = new XlaBuilder("decomposition");
      HloModule module = b.build(b.tuple(program.apply(b.parameter(0, shape, "a"))));
      Verifier.strict().verify(module);
      return module;
    }
  }

  private static List<Literal> run(Literal a, Function<XlaOp, List<XlaOp>> program) {
    return Decomposition.of(program).run(a);
  }

  private static int rows(Literal a) {
    return (int) a.arrayShape().size(a.arrayShape().rank() - 2);
  }

  private static int columns(Literal a) {
    return (int) a.arrayShape().size(a.arrayShape().rank() - 1);
  }

  private static void assertProduct(
      String row, SimpleMatrix a, SimpleMatrix left, SimpleMatrix right, ElementType type) {
    boolean empty = left.getNumCols() == 0 || a.getNumElements() == 0;
    SimpleMatrix product =
        empty ? new SimpleMatrix(a.getNumRows(), a.getNumCols()) : left.mult(right);
    assertNear(row + ": product", product, a, a.getNumElements() == 0 ? 0 : a.normF(), type);
  }

  private static void assertUpper(String row, Literal r) {
    int columns = columns(r);
    for (int at = 0; at < r.elementCount(); at++) {
      boolean below = at / columns % rows(r) > at % columns;
      double value = r.elementType().isComplex() ? r.realAt(at) : r.doubleAt(at);
      assertWithMessage("%s: below the diagonal", row).that(below && value != 0).isFalse();
    }
  }

  private static Decomposition ofQr(boolean isFull) {
    return Decomposition.of(x -> {
      Qr.Explicit result = Qr.qrExplicit(x, isFull);
      return List.of(result.q(), result.r());
    });
  }

  @ParameterizedTest
  @FieldSource("MATRICES")
  void qr(String row) {
    assertQr(row, FULL_QR, rows(StackOfMatrices.matrices(row)));
  }

  @ParameterizedTest
  @FieldSource("MATRICES")
  void reducedQr(String row) {
    Literal a = StackOfMatrices.matrices(row);
    assertQr(row, REDUCED_QR, Math.min(rows(a), columns(a)));
  }

  private static void assertQr(String row, Decomposition decomposition, int width) {
    Literal a = StackOfMatrices.matrices(row);
    List<Literal> qr = decomposition.run(a);
    assertWithMessage(row).that(columns(qr.get(0))).isEqualTo(width);
    assertWithMessage(row).that(rows(qr.get(1))).isEqualTo(width);
    assertUpper(row, qr.get(1));
    List<SimpleMatrix> q = StackOfMatrices.of(qr.get(0));
    List<SimpleMatrix> r = StackOfMatrices.of(qr.get(1));
    for (int i = 0; i < q.size(); i++) {
      assertOrthonormal(row + ": q", q.get(i), a.elementType());
      assertProduct(row, StackOfMatrices.of(a).get(i), q.get(i), r.get(i), a.elementType());
    }
  }

  @Test
  void qrOfRealMatricesIsThatOfEjmlButForSigns() {
    Literal a = StackOfMatrices.matrices("f64[6,4] random");
    List<Literal> packed =
        run(
            a,
            x -> {
              Qr.Packed result = Qr.qr(x);
              return List.of(result.qAndR(), result.taus());
            });
    QRDecomposition<DMatrixRMaj> ejml = DecompositionFactory_DDRM.qr(6, 4);
    assertThat(ejml.decompose(StackOfMatrices.of(a).get(0).getDDRM())).isTrue();
    DMatrixRMaj want = ejml.getR(null, false);
    for (int i = 0; i < 4; i++) {
      for (int j = i; j < 4; j++) {
        assertThat(Math.abs(packed.get(0).getDouble(i, j)))
            .isWithin(1e-14)
            .of(Math.abs(want.get(i, j)));
      }
      assertThat(packed.get(1).getDouble(i)).isAtLeast(1.0);
      assertThat(packed.get(1).getDouble(i)).isAtMost(2.0);
    }
  }

  @ParameterizedTest
  @FieldSource("MATRICES")
  void lu(String row) {
    Literal a = StackOfMatrices.matrices(row);
    List<Literal> lu = LU.run(a);
    Literal permuted = permuted(a, lu.get(2));
    List<Literal> factors = factors(lu.get(0));
    List<SimpleMatrix> l = StackOfMatrices.of(factors.get(0));
    List<SimpleMatrix> u = StackOfMatrices.of(factors.get(1));
    for (int i = 0; i < l.size(); i++) {
      assertProduct(row, StackOfMatrices.of(permuted).get(i), l.get(i), u.get(i), a.elementType());
      assertWithMessage("%s: factors", row)
          .that(l.get(i).getNumElements() == 0 ? 0 : l.get(i).elementMaxAbs())
          .isAtMost(1 + StackOfMatrices.epsilon(a.elementType()));
    }
    assertWithMessage("%s: exchanges", row)
        .that(exchanged(lu.get(1), rows(a)))
        .isEqualTo(lu.get(2).toLongs());
  }

  /** The unit lower and the upper triangle of {@code lu}. */
  private static List<Literal> factors(Literal lu) {
    int count = Math.min(rows(lu), columns(lu));
    return run(
        lu,
        x -> {
          int rank = x.arrayShape().rank();
          XlaOp left = x.sliceInDim(0, count, 1, rank - 1);
          XlaOp unit =
              Matrix.getDiagonalMask(left, 0).select(left.fullLike(1), Matrix.lowerTriangle(left));
          return List.of(unit, Matrix.upperTriangle(x.sliceInDim(0, count, 1, rank - 2)));
        });
  }

  private static Literal permuted(Literal a, Literal permutation) {
    LiteralBuilder builder = new LiteralBuilder(a.arrayShape());
    int columns = columns(a);
    int rows = rows(a);
    for (int at = 0; at < a.elementCount(); at++) {
      int row = at / columns;
      int from = row / rows * rows + (int) permutation.longAt(row);
      builder.copy(at, a, from * columns + at % columns);
    }
    return builder.build();
  }

  /** The permutation that exchanges of rows make, of each of the stack. */
  private static long[] exchanged(Literal pivots, int rows) {
    int steps = (int) pivots.arrayShape().size(pivots.arrayShape().rank() - 1);
    int count =
        (int) pivots.arrayShape().sizes().subList(0, pivots.arrayShape().rank() - 1).product();
    long[] all = new long[count * rows];
    for (int i = 0; i < count; i++) {
      for (int j = 0; j < rows; j++) {
        all[i * rows + j] = j;
      }
      for (int j = 0; j < steps; j++) {
        int other = i * rows + (int) pivots.longAt(i * steps + j);
        long kept = all[i * rows + j];
        all[i * rows + j] = all[other];
        all[other] = kept;
      }
    }
    return all;
  }

  @ParameterizedTest
  @FieldSource("SYMMETRIC")
  void selfAdjointEig(String row) {
    Literal a = StackOfMatrices.matrices(row);
    ElementType type = a.elementType();
    List<Literal> result = EIG.run(a);
    List<SimpleMatrix> v = StackOfMatrices.of(result.get(0));
    List<SimpleMatrix> symmetric = StackOfMatrices.of(result.get(2));
    List<SimpleMatrix> w =
        StackOfMatrices.diagonals(result.get(1), rows(a), rows(a), type.isComplex());
    for (int i = 0; i < v.size(); i++) {
      assertOrthonormal(row + ": v", v.get(i), type);
      if (rows(a) > 0) {
        SimpleMatrix matrix = symmetric.get(i);
        SimpleMatrix product = matrix.mult(v.get(i));
        assertNear(row, product, v.get(i).mult(w.get(i)), matrix.normF(), type);
        double[] values = StackOfMatrices.vectors(result.get(1)).get(i);
        assertEigenvalues(row, values, matrix, type);
      }
    }
  }

  private static void assertEigenvalues(
      String row, double[] got, SimpleMatrix a, ElementType type) {
    double[] want =
        a.eig().getEigenvalues().stream().mapToDouble(value -> value.getReal()).sorted().toArray();
    int each = want.length / got.length;
    double bound = 20 * want.length * StackOfMatrices.epsilon(type) * a.normF();
    for (int i = 0; i < got.length; i++) {
      assertWithMessage("%s: eigenvalue %s", row, i)
          .that(got[i])
          .isWithin(bound)
          .of(want[i * each]);
      assertWithMessage("%s: order", row).that(i == 0 || got[i - 1] <= got[i]).isTrue();
    }
  }

  @ParameterizedTest
  @FieldSource("MATRICES")
  void svd(String row) {
    Literal a = StackOfMatrices.matrices(row);
    ElementType type = a.elementType();
    List<Literal> result = SVD.run(a);
    List<SimpleMatrix> u = StackOfMatrices.of(result.get(0));
    List<SimpleMatrix> v = StackOfMatrices.of(result.get(2));
    List<SimpleMatrix> d =
        StackOfMatrices.diagonals(result.get(1), rows(a), columns(a), type.isComplex());
    for (int i = 0; i < u.size(); i++) {
      assertOrthonormal(row + ": u", u.get(i), type);
      assertOrthonormal(row + ": v", v.get(i), type);
      if (a.elementCount() > 0) {
        SimpleMatrix matrix = StackOfMatrices.of(a).get(i);
        SimpleMatrix left = u.get(i).mult(d.get(i));
        assertNear(row, left.mult(v.get(i).transpose()), matrix, matrix.normF(), type);
        assertSingularValues(row, StackOfMatrices.vectors(result.get(1)).get(i), matrix, type);
      }
    }
  }

  private static void assertSingularValues(
      String row, double[] got, SimpleMatrix a, ElementType type) {
    SimpleMatrix tall = a.getNumRows() < a.getNumCols() ? a.transpose() : a;
    double[] want = tall.svd().getSingularValues();
    int each = type.isComplex() ? 2 : 1;
    double bound = 20 * want.length * StackOfMatrices.epsilon(type) * a.normF();
    for (int i = 0; i < got.length; i++) {
      assertWithMessage("%s: value %s of %s", row, i, Arrays.toString(got))
          .that(got[i])
          .isWithin(bound)
          .of(want[i * each]);
      assertWithMessage("%s: order", row).that(i == 0 || got[i - 1] >= got[i]).isTrue();
    }
  }

  @ParameterizedTest
  @FieldSource("REAL_SQUARES")
  void logDet(String row) {
    Literal a = StackOfMatrices.matrices(row);
    List<Literal> result = DETERMINANT.run(a);
    List<SimpleMatrix> matrices = StackOfMatrices.of(a);
    for (int i = 0; i < matrices.size(); i++) {
      double want = rows(a) == 0 ? 1 : matrices.get(i).determinant();
      double sign = result.get(0).doubleAt(i);
      double magnitude = Math.exp(result.get(1).doubleAt(i));
      double size = Math.pow(rows(a) == 0 ? 1 : matrices.get(i).normF(), rows(a));
      double bound = 100 * StackOfMatrices.epsilon(a.elementType()) * size;
      assertWithMessage(row).that(sign * magnitude).isWithin(bound).of(want);
      assertWithMessage(row)
          .that(result.get(2).doubleAt(i))
          .isEqualTo(sign >= 0 ? result.get(1).doubleAt(i) : Double.NaN);
    }
  }

  private static Arguments refusal(String message, String row, Function<XlaOp, Object> program) {
    return Arguments.of(message, row, program);
  }

  private static Stream<Arguments> refusals() {
    String square = ": a got f64[2,3], want the last two sizes equal";
    String type = ": a got bf16[2,2], want f32, f64, c64 or c128";
    String product = "productOfElementaryHouseholderReflectors";
    return Stream.of(
        refusal("selfAdjointEig" + square, "f64[2,3] random", SelfAdjointEig::selfAdjointEig),
        refusal("slogDet" + square, "f64[2,3] random", LogDet::slogDet),
        refusal("logDet" + square, "f64[2,3] random", LogDet::logDet),
        refusal(
            "logDet: a got c64[2,2], want f32 or f64; complex ones by slogDet",
            "c64[2,2] random",
            LogDet::logDet),
        refusal("qr" + type, "bf16[2,2] random", Qr::qr),
        refusal("qrExplicit" + type, "bf16[2,2] random", a -> Qr.qrExplicit(a, true)),
        refusal("luDecomposition" + type, "bf16[2,2] random", LuDecomposition::luDecomposition),
        refusal("svd" + type, "bf16[2,2] random", Svd::svd),
        refusal(
            "qr: a got f64[4], want rank 2 at least: matrices in the last two dimensions",
            "f64[4,1] random",
            a -> Qr.qr(a.reshape(4))),
        refusal(
            "selfAdjointEig: maxIter got -1, want at least 0",
            "f64[2,2] random",
            a -> SelfAdjointEig.selfAdjointEig(a, true, -1, 0, true)),
        refusal(
            "svd: tolerance got NaN, want at least 0",
            "f64[2,2] random",
            a -> Svd.svd(a, 1, Double.NaN)),
        refusal(
            product + ": a got f64[2,3], want as many rows as columns at least",
            "f64[2,3] random",
            a -> Qr.productOfElementaryHouseholderReflectors(a, a)),
        refusal(
            product
                + ": taus got f64[3,2], want of f64[3,2] batch dimensions and element type, and 2"
                + " factors at most",
            "f64[3,2] random",
            a -> Qr.productOfElementaryHouseholderReflectors(a, a)));
  }

  @ParameterizedTest
  @MethodSource("refusals")
  void refused(String message, String row, Function<XlaOp, Object> program) {
    XlaOp a = new XlaBuilder("a").constant(StackOfMatrices.matrices(row));
    HloException refusal = assertThrows(HloException.class, () -> program.apply(a));
    assertThat(refusal.summary()).isEqualTo(message);
  }

  @Test
  void rowsBeyondS32AreRefused() {
    XlaOp tall = new XlaBuilder("a").parameter(0, Shape.of(ElementType.F32, 1L << 31, 1), "tall");
    assertThat(assertThrows(HloException.class, () -> Qr.qr(tall)).summary())
        .isEqualTo("qr: a got f32[2147483648,1], want rows and columns that s32 can count");
  }

  @Test
  void notANumberEndsTheSweeps() {
    Literal a = Literal.of(new double[][] {{1, Double.NaN}, {Double.NaN, 2}});
    List<Literal> result =
        run(a, x -> List.of(SelfAdjointEig.selfAdjointEig(x).w(), Svd.svd(x).d(), Qr.qr(x).taus()));
    assertThat(result.get(0).getDouble(0)).isNaN();
    assertThat(result.get(1).getDouble(0)).isNaN();
    assertThat(result.get(2).getDouble(0)).isNaN();
  }

  /** One sweep is enough for a diagonal matrix, not for the others, and none makes NaN converge. */
  @Test
  void sweepsThatAreNotEnoughAreSaid() {
    double nan = Double.NaN;
    Literal a =
        Literal.of(
            new double[][][] {
              {{1, 0, 0}, {0, 2, 0}, {0, 0, 3}},
              {{1, 2, 3}, {2, 5, 4}, {3, 4, 1}},
              {{1, nan, 0}, {nan, 1, 0}, {0, 0, 1}}
            });
    List<Literal> result =
        run(
            a,
            x ->
                List.of(
                    SelfAdjointEig.selfAdjointEig(x, true, 1, 1e-15, true).converged(),
                    Svd.svd(x, 1, 1e-15).converged(),
                    SelfAdjointEig.selfAdjointEig(x).converged(),
                    Svd.svd(x).converged(),
                    Svd.svd(x, 0, 1e-15).converged(),
                    Svd.svd(x.slice(Dims.of(0, 0, 0), Dims.of(2, 3, 0))).converged()));
    assertThat(result.toString())
        .isEqualTo(
            "[pred[3] {1, 0, 0}, pred[3] {1, 0, 0}, pred[3] {1, 1, 0}, pred[3] {1, 1, 0},"
                + " pred[3] {0, 0, 0}, pred[2] {1, 1}]");
  }

  @Test
  void eigenvaluesOfTheOtherTriangleUnsorted() {
    Literal a = Literal.of(new double[][] {{2, 1}, {77, 2}});
    List<Literal> result =
        run(
            a,
            x -> {
              SelfAdjointEig.Result upper = SelfAdjointEig.selfAdjointEig(x, false, 15, 0, true);
              SelfAdjointEig.Result none = SelfAdjointEig.selfAdjointEig(x, true, 0, 0, false);
              return List.of(upper.w(), none.w(), none.v());
            });
    assertThat(result.get(0).getDouble(0)).isWithin(1e-15).of(1);
    assertThat(result.get(0).getDouble(1)).isWithin(1e-15).of(3);
    assertThat(result.get(1)).isEqualTo(Literal.of(new double[] {2, 2}));
    assertThat(result.get(2)).isEqualTo(Literal.of(new double[][] {{1, 0}, {0, 1}}));
  }
}
