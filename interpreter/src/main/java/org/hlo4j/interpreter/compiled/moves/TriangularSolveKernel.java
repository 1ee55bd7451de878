package org.hlo4j.interpreter.compiled.moves;

import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.TriangularSolve;
import org.hlo4j.interpreter.kernel.Kernel;
import org.hlo4j.interpreter.kernel.KernelContext;

/**
 * {@code op(a) * result = b}, or {@code result * op(a) = b}, by substitution in double, rounded
 * once; panels of right-hand sides at a time, each sum in the reference's order.
 */
final class TriangularSolveKernel implements Kernel {
  private static final int PANEL = 64;

  private final TriangularSolve op;
  private final Shape.Array shape;
  private final ElementType type;
  private final int n;
  private final int columns;
  private final int matrices;
  private final int panels;

  TriangularSolveKernel(TriangularSolve op, Shape.Array a, Shape.Array b) {
    this.op = op;
    this.shape = b;
    this.type = b.elementType();
    this.n = a.sizes().getInt(a.rank() - 1);
    this.columns = b.sizes().getInt(b.rank() - (op.leftSide() ? 1 : 2));
    this.matrices = b.elementCount() == 0 ? 0 : (int) (b.elementCount() / n / columns);
    this.panels = Math.ceilDiv(columns, PANEL);
  }

  @Override
  public Literal run(Literal[] operands, KernelContext context) {
    Object a = operands[0].unsafeStorage();
    Object b = operands[1].unsafeStorage();
    Object result = context.allocate(shape);
    for (int matrix = 0; matrix < matrices; matrix++) {
      double[] m = matrix(a, matrix * n * n);
      int at = matrix * n * columns;
      context.workers().run(panels, panel -> solve(m, b, result, at, panel * PANEL, context));
    }
    return Literal.unsafeOf(shape, result);
  }

  private boolean isTransposed() {
    boolean transposeA = op.transposeA() != TriangularSolve.TransposeA.NO_TRANSPOSE;
    return transposeA == op.leftSide();
  }

  /** The matrix m of {@code m * x = v}: op(a), transposed if it stands on the right. */
  private double[] matrix(Object a, int at) {
    double[] m = new double[n * n];
    boolean transposed = isTransposed();
    for (int i = 0; i < n; i++) {
      Doubles.read(type, a, at + (transposed ? i : i * n), transposed ? n : 1, m, i * n, n);
    }
    return m;
  }

  /** {@code x[i] = (v[i] - sum over the x known of m[i, k] * x[k]) / m[i, i]}, for a panel of x */
  private void solve(
      double[] m, Object b, Object result, int at, int first, KernelContext context) {
    int width = Math.min(PANEL, columns - first);
    boolean left = op.leftSide();
    boolean downward = op.lower() != isTransposed();
    double[][] x = new double[n][width];
    for (int step = 0; step < n; step++) {
      context.checkLimits();
      int i = downward ? step : n - 1 - step;
      int start = at + (left ? i * columns + first : first * n + i);
      double[] row = x[i];
      Doubles.read(type, b, start, left ? 1 : n, row, 0, width);
      int known = 0;
      for (; known + 4 <= step; known += 4) {
        int k = downward ? known : n - 1 - known;
        int next = downward ? 1 : -1;
        subtract(row, m, i * n + k, next, x[k], x[k + next], x[k + 2 * next], x[k + 3 * next]);
      }
      for (; known < step; known++) {
        int k = downward ? known : n - 1 - known;
        subtract(row, m[i * n + k], x[k]);
      }
      if (!op.unitDiagonal()) {
        divide(row, m[i * n + i]);
      }
      Doubles.write(type, row, 0, result, start, left ? 1 : n, width);
    }
  }

  /** Four of them, each in turn, while the row is at hand. */
  private static void subtract(
      double[] row, double[] m, int at, int next, double[] x, double[] y, double[] z, double[] u) {
    double a = m[at];
    double b = m[at + next];
    double c = m[at + 2 * next];
    double d = m[at + 3 * next];
    for (int i = 0; i < row.length; i++) {
      row[i] = row[i] - a * x[i] - b * y[i] - c * z[i] - d * u[i];
    }
  }

  private static void subtract(double[] row, double factor, double[] other) {
    for (int c = 0; c < row.length; c++) {
      row[c] -= factor * other[c];
    }
  }

  private static void divide(double[] row, double divisor) {
    for (int c = 0; c < row.length; c++) {
      row[c] /= divisor;
    }
  }

  @Override
  public String describe() {
    return "triangular-solve of " + matrices + " matrices of " + n + " for " + columns;
  }
}
