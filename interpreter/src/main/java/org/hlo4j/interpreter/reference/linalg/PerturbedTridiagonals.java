package org.hlo4j.interpreter.reference.linalg;

import java.util.List;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.interpreter.engine.Execution;
import org.hlo4j.interpreter.engine.Limits;
import org.hlo4j.interpreter.engine.StandardTarget;
import org.hlo4j.interpreter.math.Complex;

/**
 * A solver of tridiagonal systems that may be singular, as in inverse iteration: Gaussian
 * elimination with exchanges of neighbouring rows, in which a pivot that is too small to divide by
 * is moved away from zero. In double, rounded once; the thresholds are those of the element type.
 */
public final class PerturbedTridiagonals {
  private final Complex[] below;
  private final Complex[] diagonal;
  private final Complex[] above;
  private final Complex[] secondSuperdiagonal;
  private final Matrix x;
  private final int n;
  private final double epsilon;
  private final double least;

  private PerturbedTridiagonals(List<Literal> in, int k) {
    this.x = Matrix.read(in.get(3), k);
    this.n = x.rows();
    this.below = Tridiagonals.read(in.get(0), k, n);
    this.diagonal = Tridiagonals.read(in.get(1), k, n);
    this.above = Tridiagonals.read(in.get(2), k, n);
    this.secondSuperdiagonal = new Complex[n];
    boolean isDouble = in.get(3).elementType().componentType() == ElementType.F64;
    this.epsilon = isDouble ? 0x1p-52 : 0x1p-23;
    this.least = isDouble ? Double.MIN_NORMAL : Float.MIN_NORMAL;
  }

  /**
   * tridiagonal_solve_perturbed_ffi: solves for x, given the three diagonals and b. All diagonals
   * are as long as the main one; the first element of the lower one and the last of the upper one
   * are ignored.
   */
  public static Literal solve(HloInstruction call, List<Literal> in, Execution execution) {
    Tridiagonals.requireOperands(call, "tridiagonal_solve_perturbed", in);
    Shape.Array shape = in.get(3).arrayShape();
    StandardTarget.requireResult(call, shape);
    LiteralBuilder x = new LiteralBuilder(shape);
    for (int k = 0; k < Matrix.count(in.get(3)); k++) {
      execution.checkLimits();
      PerturbedTridiagonals system = new PerturbedTridiagonals(in, k);
      system.solve();
      system.x.write(x, k, shape.elementType().isComplex());
    }
    return x.build();
  }

  private void solve() {
    double size = n == 0 ? 0 : diagonal[0].abs() + above(0).abs();
    for (int k = 0; k < n; k++) {
      Limits.checkAt(k);
      secondSuperdiagonal[k] = Complex.ZERO;
      if (k + 1 < n) {
        size = eliminate(k, size);
      }
    }
    double change = epsilon * greatest();
    for (int k = n - 1; k >= 0; k--) {
      Limits.checkAt(k);
      for (int j = k + 1; j < Math.min(k + 3, n); j++) {
        subtractRow(k, j == k + 1 ? above[k] : secondSuperdiagonal[k], j);
      }
      divide(k, change);
    }
  }

  private Complex above(int k) {
    return k + 1 < n ? above[k] : Complex.ZERO;
  }

  /**
   * Makes below[k + 1] zero. The pivot row is the one whose first element is the greater share of
   * its size.
   *
   * @return the sum of the magnitudes that remain in the next row
   */
  private double eliminate(int k, double size) {
    double nextSize = below[k + 1].abs() + diagonal[k + 1].abs() + above(k + 1).abs();
    if (below[k + 1].isZero()) {
      return nextSize;
    }
    double share = diagonal[k].isZero() ? 0 : diagonal[k].abs() / size;
    if (below[k + 1].abs() / nextSize <= share) {
      Complex factor = Reflectors.quotient(below[k + 1], diagonal[k]);
      diagonal[k + 1] = diagonal[k + 1].minus(Reflectors.product(factor, above[k]));
      subtractRow(k + 1, factor, k);
      return nextSize;
    }
    Complex factor = Reflectors.quotient(diagonal[k], below[k + 1]);
    Complex next = diagonal[k + 1];
    diagonal[k] = below[k + 1];
    diagonal[k + 1] = above[k].minus(Reflectors.product(factor, next));
    above[k] = next;
    secondSuperdiagonal[k] = above(k + 1);
    if (k + 2 < n) {
      above[k + 1] = Reflectors.product(factor, secondSuperdiagonal[k]).negate();
    }
    x.swapRows(k, k + 1);
    subtractRow(k + 1, factor, k);
    return diagonal[k + 1].abs() + above(k + 1).abs();
  }

  private double greatest() {
    double greatest = 0;
    for (int k = 0; k < n; k++) {
      double offDiagonal = Math.max(above(k).abs(), secondSuperdiagonal[k].abs());
      greatest = Math.max(greatest, Math.max(diagonal[k].abs(), offDiagonal));
    }
    return greatest;
  }

  /**
   * Divides a row by its pivot, which is moved away from zero, by twice as much each time, until
   * the quotients are finite.
   */
  private void divide(int k, double change) {
    double row = 0;
    for (int j = 0; j < x.columns(); j++) {
      Limits.checkAt(j);
      row = Math.max(row, x.get(k, j).abs());
    }
    Complex pivot = diagonal[k];
    double step = Math.copySign(Math.max(change, least), pivot.re());
    while (pivot.isZero() || (pivot.abs() < 1 && row > pivot.abs() / least)) {
      pivot = pivot.plus(new Complex(step, 0));
      step *= 2;
    }
    for (int j = 0; j < x.columns(); j++) {
      Limits.checkAt(j);
      x.set(k, j, Reflectors.quotient(x.get(k, j), pivot));
    }
  }

  private void subtractRow(int row, Complex factor, int other) {
    for (int j = 0; j < x.columns(); j++) {
      Limits.checkAt(j);
      x.set(row, j, x.get(row, j).minus(Reflectors.product(factor, x.get(other, j))));
    }
  }
}
