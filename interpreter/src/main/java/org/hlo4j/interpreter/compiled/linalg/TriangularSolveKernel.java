package org.hlo4j.interpreter.compiled.linalg;

import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.TriangularSolve;
import org.hlo4j.interpreter.compiled.arrays.Doubles;
import org.hlo4j.interpreter.engine.Kernel;
import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Parallel;

/**
 * The kernel of triangular solves: {@code op(a) * result = b} or {@code result * op(a) = b}, by
 * substitution. It computes in double and rounds once. It solves a panel of right-hand sides at a
 * time, and each sum is in the reference's order.
 */
public final class TriangularSolveKernel implements Kernel {
  private final TriangularSolve op;
  private final Shape.Array shape;
  private final ElementType type;
  private final int n;
  private final int columns;
  private final int matrixCount;
  private final PanelSubstitution substitution;
  private final int panel;
  private final int panelCount;

  /**
   * Creates the kernel of an op.
   *
   * @param a the shape of the triangles
   * @param b the shape of the right-hand sides
   */
  public TriangularSolveKernel(TriangularSolve op, Shape.Array a, Shape.Array b) {
    this.op = op;
    this.shape = b;
    this.type = b.elementType();
    this.n = a.sizes().getInt(a.rank() - 1);
    this.columns = b.sizes().getInt(b.rank() - (op.leftSide() ? 1 : 2));
    this.matrixCount = b.elementCount() == 0 ? 0 : (int) (b.elementCount() / n / columns);
    this.substitution = PanelSubstitution.of(columns);
    this.panel = substitution.panel();
    this.panelCount = Math.ceilDiv(columns, panel);
  }

  @Override
  public Literal run(Literal[] operands, KernelContext context) {
    Object a = operands[0].unsafeStorage();
    Object b = operands[1].unsafeStorage();
    Object result = context.allocate(shape);
    if (panelCount == 1) {
      MatrixBatch.run(
          context,
          matrixCount,
          n * (n + columns),
          (start, end) -> {
            double[] m = new double[n * n];
            double[] x = new double[n * panel];
            for (int matrix = start; matrix < end; matrix++) {
              read(a, matrix * n * n, m);
              solve(m, x, b, result, matrix * n * columns, 0, context);
            }
          });
      return Literal.unsafeOf(shape, result);
    }
    double[] m = matrixCount == 0 ? new double[0] : new double[n * n];
    for (int matrix = 0; matrix < matrixCount; matrix++) {
      read(a, matrix * n * n, m);
      int at = matrix * n * columns;
      Parallel.forChunks(
          context,
          panelCount,
          number -> solve(m, new double[n * panel], b, result, at, number * panel, context));
    }
    return Literal.unsafeOf(shape, result);
  }

  private boolean isTransposed() {
    boolean transposeA = op.transposeA() != TriangularSolve.TransposeA.NO_TRANSPOSE;
    return transposeA == op.leftSide();
  }

  /** Returns whether m is a lower triangle, so that its first row is solved first. */
  private boolean isDownward() {
    return op.lower() != isTransposed();
  }

  /**
   * Reads the triangle of m that is not zero, where {@code m * x = v}: m is op(a), transposed if it
   * is on the right.
   */
  private void read(Object a, int at, double[] m) {
    boolean transposed = isTransposed();
    boolean downward = isDownward();
    for (int i = 0; i < n; i++) {
      int first = downward ? 0 : i;
      int count = downward ? i + 1 : n - i;
      int start = at + (transposed ? first * n + i : i * n + first);
      Doubles.read(type, a, start, transposed ? n : 1, m, i * n + first, count);
    }
  }

  /**
   * Computes {@code x[i] = (v[i] - sum over the known k of m[i, k] * x[k]) / m[i, i]} for a panel
   * of x.
   */
  private void solve(
      double[] m, double[] x, Object b, Object result, int at, int first, KernelContext context) {
    int width = Math.min(panel, columns - first);
    boolean left = op.leftSide();
    boolean downward = isDownward();
    int last = downward ? 0 : n - 1;
    int next = downward ? 1 : -1;
    for (int i = 0; i < n; i++) {
      int start = at + (left ? i * columns + first : first * n + i);
      Doubles.read(type, b, start, left ? 1 : n, x, i * panel, width);
    }
    for (int step = 0; step < n; step++) {
      int group = step / PanelSubstitution.ROWS * PanelSubstitution.ROWS;
      boolean full = group + PanelSubstitution.ROWS <= n;
      if (full && step == group && group > 0) {
        context.checkLimits();
        substitution.run(x, m, last + step * next, last, group, next, n);
      }
      int i = last + step * next;
      for (int known = full ? group : 0; known < step; known++) {
        int k = last + known * next;
        subtract(x, i * panel, m[i * n + k], k * panel, width);
      }
      if (!op.unitDiagonal()) {
        divide(x, i * panel, m[i * n + i], width);
      }
    }
    for (int i = 0; i < n; i++) {
      int start = at + (left ? i * columns + first : first * n + i);
      Doubles.write(type, x, i * panel, result, start, left ? 1 : n, width);
    }
  }

  private static void subtract(double[] x, int row, double factor, int other, int width) {
    for (int c = 0; c < width; c++) {
      x[row + c] -= factor * x[other + c];
    }
  }

  private static void divide(double[] x, int row, double divisor, int width) {
    for (int c = 0; c < width; c++) {
      x[row + c] /= divisor;
    }
  }

  @Override
  public String describe() {
    return "triangular-solve of " + matrixCount + " matrices of " + n + " for " + columns;
  }
}
