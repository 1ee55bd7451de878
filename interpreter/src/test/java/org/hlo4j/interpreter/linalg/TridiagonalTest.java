package org.hlo4j.interpreter.linalg;

import static com.google.common.truth.Truth.assertThat;
import static com.google.common.truth.Truth.assertWithMessage;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import org.ejml.simple.SimpleMatrix;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.builder.lib.linalg.Matrix;
import org.hlo4j.builder.lib.linalg.Tridiagonal;
import org.hlo4j.builder.lib.linalg.Tridiagonal.SolverAlgorithm;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.interpreter.agreement.Evaluators;
import org.junit.jupiter.api.Test;

/** Equations of three diagonals, against EJML's dense solver. */
final class TridiagonalTest {
  /** Diagonals {@code [..., 3, n]} and right sides {@code [..., k, n]}. */
  private static final List<List<String>> SYSTEMS =
      List.of(
          List.of("f64[3,1] random", "f64[2,1] random"),
          List.of("f64[3,2] random", "f64[1,2] random"),
          List.of("f64[3,3] random", "f64[3,3] random"),
          List.of("f64[3,9] random", "f64[2,9] random"),
          List.of("f64[2,3,4] random", "f64[2,2,4] random"),
          List.of("f64[3,5] random", "f64[0,5] random"),
          List.of("f64[3,0] random", "f64[2,0] random"),
          List.of("f64[0,3,4] random", "f64[0,2,4] random"),
          List.of("f32[3,6] random", "f32[2,6] random"),
          List.of("c128[3,5] random", "c128[2,5] random"));

  private interface Program {
    XlaOp of(XlaOp diagonals, XlaOp rhs);
  }

  private static Literal run(Literal diagonals, Literal rhs, Program program) {
    XlaBuilder b = new XlaBuilder("tridiagonal");
    XlaOp in = b.parameter(0, diagonals.shape(), "diagonals");
    HloModule module = b.build(program.of(in, b.parameter(1, rhs.shape(), "rhs")));
    Verifier.strict().verify(module);
    return Evaluators.both().run(module, diagonals, rhs);
  }

  /** The matrix of diagonals {@code [3, n]}: upper, main, lower; complex ones in four blocks. */
  private static List<SimpleMatrix> dense(Literal diagonals) {
    List<SimpleMatrix> all = new ArrayList<>();
    int blocks = diagonals.elementType().isComplex() ? 2 : 1;
    for (SimpleMatrix three : StackOfMatrices.of(diagonals)) {
      int n = three.getNumCols() / blocks;
      SimpleMatrix matrix = new SimpleMatrix(n * blocks, n * blocks);
      for (int block = 0; block < blocks * blocks; block++) {
        int down = block / blocks;
        int right = block % blocks;
        for (int i = 0; i < n; i++) {
          for (int j = Math.max(0, i - 1); j <= Math.min(n - 1, i + 1); j++) {
            double value = three.get(3 * down + 1 - (j - i), n * right + i);
            matrix.set(n * down + i, n * right + j, value);
          }
        }
      }
      all.add(matrix);
    }
    return all;
  }

  @Test
  void solutions() {
    for (SolverAlgorithm algorithm : SolverAlgorithm.values()) {
      for (List<String> row : SYSTEMS) {
        Literal diagonals = StackOfMatrices.matrices(row.get(0));
        Literal rhs = StackOfMatrices.matrices(row.get(1));
        Literal got = run(diagonals, rhs, (d, r) -> Tridiagonal.tridiagonalSolver(algorithm, d, r));
        assertThat(got.shape()).isEqualTo(rhs.shape());
        if (rhs.elementCount() > 0) {
          assertSolved(algorithm + " " + row, dense(diagonals), rhs, got);
        }
      }
    }
  }

  private static void assertSolved(
      String row, List<SimpleMatrix> matrices, Literal rhs, Literal solution) {
    for (int i = 0; i < matrices.size(); i++) {
      SimpleMatrix a = matrices.get(i);
      // A row x of solutions is a column; of the blocks of a complex one the transpose is the
      // adjoint, so that conj(x) * conj(a) is compared with conj(rhs).
      SimpleMatrix x = columns(StackOfMatrices.of(solution).get(i), rhs.elementType());
      SimpleMatrix want = columns(StackOfMatrices.of(rhs).get(i), rhs.elementType());
      double size = 50 * a.normF() * x.normF();
      StackOfMatrices.assertNear(row, a.mult(x), want, size, rhs.elementType());
    }
  }

  /** The rows as columns, not conjugated. */
  private static SimpleMatrix columns(SimpleMatrix rows, ElementType type) {
    SimpleMatrix transposed = rows.transpose();
    if (type.isComplex()) {
      int m = transposed.getNumRows() / 2;
      int n = transposed.getNumCols() / 2;
      for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) {
          transposed.set(i, j + n, -transposed.get(i, j + n));
          transposed.set(i + m, j, -transposed.get(i + m, j));
        }
      }
    }
    return transposed;
  }

  @Test
  void products() {
    for (List<String> row : SYSTEMS) {
      Literal diagonals = StackOfMatrices.matrices(row.get(0));
      Literal rhs = StackOfMatrices.matrices(row.get(1));
      if (rhs.elementCount() == 0) {
        continue;
      }
      Literal got =
          run(
              diagonals,
              rhs,
              (d, r) -> {
                int dimension = d.arrayShape().rank() - 2;
                XlaOp columns = Matrix.transposeInMinorDims(r);
                return Tridiagonal.tridiagonalMatMul(
                    d.sliceInDim(0, 1, 1, dimension),
                    d.sliceInDim(1, 2, 1, dimension),
                    d.sliceInDim(2, 3, 1, dimension),
                    columns);
              });
      List<SimpleMatrix> matrices = dense(diagonals);
      for (int i = 0; i < matrices.size(); i++) {
        SimpleMatrix x = columns(StackOfMatrices.of(rhs).get(i), rhs.elementType());
        SimpleMatrix want = matrices.get(i).mult(x);
        double size = matrices.get(i).normF() * x.normF();
        StackOfMatrices.assertNear(
            row.toString(), StackOfMatrices.of(got).get(i), want, size, rhs.elementType());
      }
    }
  }

  @Test
  void pivotingSolvesWhatThomasDividesByZeroFor() {
    Literal diagonals = Literal.of(new double[][] {{1, 2, 9}, {0, 0, 1}, {9, 3, 1}});
    // [0 1 0; 3 0 2; 0 1 1] x = (2, 9, 5)
    Literal rhs = Literal.of(new double[][] {{2, 9, 5}});
    Literal pivoted =
        run(
            diagonals,
            rhs,
            (d, r) -> Tridiagonal.tridiagonalSolver(SolverAlgorithm.PARTIAL_PIVOTING, d, r));
    assertThat(pivoted).isEqualTo(Literal.of(new double[][] {{1, 2, 3}}));
    Literal thomas =
        run(diagonals, rhs, (d, r) -> Tridiagonal.tridiagonalSolver(SolverAlgorithm.THOMAS, d, r));
    assertWithMessage("%s", thomas).that(Double.isFinite(thomas.getDouble(0, 0))).isFalse();
  }

  @Test
  void refused() {
    Literal diagonals = StackOfMatrices.matrices("f64[3,4] random");
    Literal rhs = StackOfMatrices.matrices("f64[2,5] random");
    HloException refusal =
        assertThrows(
            HloException.class,
            () ->
                run(
                    diagonals,
                    rhs,
                    (d, r) -> Tridiagonal.tridiagonalSolver(SolverAlgorithm.THOMAS, d, r)));
    assertThat(refusal.summary())
        .isEqualTo("tridiagonalSolver: diagonals got f64[3,4], want f64[3,5]");
    refusal =
        assertThrows(
            HloException.class,
            () -> run(diagonals, rhs, (d, r) -> Tridiagonal.tridiagonalMatMul(d, d, d, r)));
    assertThat(refusal.summary())
        .isEqualTo("tridiagonalMatMul: lower diagonal got f64[3,4], want f64[1,2]");
    refusal =
        assertThrows(
            HloException.class,
            () ->
                run(
                    diagonals,
                    rhs,
                    (d, r) ->
                        Tridiagonal.tridiagonalSolver(
                            SolverAlgorithm.THOMAS, d, r.reshape(Dims.of(10)))));
    assertThat(refusal.summary())
        .isEqualTo(
            "tridiagonalSolver: rhs got f64[10], want rank 2 at least: matrices in the last two"
                + " dimensions");
  }
}
