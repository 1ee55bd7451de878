package org.hlo4j.interpreter.compiled.linalg;

import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Cholesky;
import org.hlo4j.interpreter.compiled.arrays.Doubles;
import org.hlo4j.interpreter.engine.Kernel;
import org.hlo4j.interpreter.engine.KernelContext;

/**
 * The kernel of LAPACK's potrf: the Cholesky factor and, for each matrix, an info value that is 0
 * if the matrix is positive definite, else 1.
 */
final class PotrfKernel implements Kernel {
  private final CholeskyKernel root;
  private final Shape.Array matrices;
  private final Shape.Array info;

  PotrfKernel(boolean lower, Shape.Array matrices, Shape.Array info) {
    this.root = new CholeskyKernel(new Cholesky(lower), matrices);
    this.matrices = matrices;
    this.info = info;
  }

  @Override
  public Literal run(Literal[] operands, KernelContext context) {
    Literal roots = root.run(operands, context);
    int[] flags = (int[]) context.allocate(info);
    int count = (int) info.elementCount();
    int each = (int) (matrices.elementCount() / count);
    for (int i = 0; i < count; i++) {
      double first = Doubles.read(matrices.elementType(), roots.unsafeStorage(), i * each);
      flags[i] = Double.isNaN(first) ? 1 : 0;
    }
    return Literal.tuple(roots, Literal.unsafeOf(info, flags));
  }

  @Override
  public String describe() {
    return "potrf, " + root.describe();
  }
}
