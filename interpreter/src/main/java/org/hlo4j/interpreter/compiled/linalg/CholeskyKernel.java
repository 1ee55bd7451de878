package org.hlo4j.interpreter.compiled.linalg;

import java.util.Arrays;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Cholesky;
import org.hlo4j.interpreter.compiled.arrays.Doubles;
import org.hlo4j.interpreter.engine.Kernel;
import org.hlo4j.interpreter.engine.KernelContext;

/**
 * The kernel of Cholesky decompositions: {@code a = result * adjoint(result)} or, for the upper
 * triangle, the adjoint of that result. It computes in double and rounds once. As soon as an
 * element of a row is known, its products are added to all sums of the row that need them. So each
 * sum grows in the reference's order, but many sums grow in one loop.
 */
public final class CholeskyKernel implements Kernel {
  private final Shape.Array shape;
  private final ElementType type;
  private final boolean lower;
  private final int n;
  private final int matrixCount;

  /**
   * Creates the kernel of an op.
   *
   * @param shape the shape of the matrices
   */
  public CholeskyKernel(Cholesky op, Shape.Array shape) {
    this.shape = shape;
    this.type = shape.elementType();
    this.lower = op.lower();
    this.n = shape.sizes().getInt(shape.rank() - 1);
    this.matrixCount = n == 0 ? 0 : (int) (shape.elementCount() / n / n);
  }

  @Override
  public Literal run(Literal[] operands, KernelContext context) {
    Object a = operands[0].unsafeStorage();
    Object result = context.allocate(shape);
    MatrixBatch.run(
        context,
        matrixCount,
        n * n,
        (first, end) -> {
          for (int matrix = first; matrix < end; matrix++) {
            factorize(a, result, matrix * n * n, context);
          }
        });
    return Literal.unsafeOf(shape, result);
  }

  private void factorize(Object a, Object result, int at, KernelContext context) {
    double[][] root = new double[n][n];
    double[][] transposed = new double[n][n];
    double[] row = new double[n];
    boolean definite = true;
    for (int i = 0; i < n && definite; i++) {
      context.checkLimits();
      Doubles.read(type, a, at + (lower ? i * n : i), lower ? 1 : n, row, 0, i + 1);
      definite = row(root[i], transposed, row, i);
    }
    double[][] factor = lower ? root : transposed;
    for (int i = 0; i < n; i++) {
      if (!definite) {
        Arrays.fill(factor[i], Double.NaN);
      }
      Doubles.write(type, factor[i], 0, result, at + i * n, n);
    }
  }

  /**
   * Computes row i, and returns whether the matrix can be positive definite. Columns are separate
   * arrays, since C2 does not vectorize accesses at varying offsets.
   */
  private static boolean row(double[] root, double[][] transposed, double[] row, int i) {
    double[] sums = new double[i + 1];
    for (int j = 0; j < i; j++) {
      double[] column = transposed[j];
      double element = (row[j] - sums[j]) / column[j];
      root[j] = element;
      for (int k = j + 1; k < i; k++) {
        sums[k] += element * column[k];
      }
      sums[i] += element * element;
      column[i] = element;
    }
    double square = row[i] - sums[i];
    double diagonal = Math.sqrt(square);
    root[i] = diagonal;
    transposed[i][i] = diagonal;
    return square > 0;
  }

  @Override
  public String describe() {
    return "cholesky of " + matrixCount + " matrices of " + n;
  }
}
