package org.hlo4j.interpreter.reference.linalg;

import static org.hlo4j.hlo.HloException.require;
import static org.hlo4j.interpreter.reference.linalg.Factorizations.sumOfParts;

import java.util.List;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.interpreter.engine.Execution;
import org.hlo4j.interpreter.engine.Limits;
import org.hlo4j.interpreter.engine.StandardTarget;
import org.hlo4j.interpreter.math.Complex;

/**
 * A solver of tridiagonal systems, by Gaussian elimination with exchanges of neighbouring rows; in
 * double, rounded once.
 */
final class Tridiagonals {
  private final Complex[] below;
  private final Complex[] diagonal;
  private final Complex[] above;
  private final Complex[] secondSuperdiagonal;
  private final Matrix x;
  private final int n;

  private Tridiagonals(Complex[] below, Complex[] diagonal, Complex[] above, Matrix b) {
    this.below = below;
    this.diagonal = diagonal;
    this.above = above;
    this.x = b;
    this.n = diagonal.length;
    this.secondSuperdiagonal = new Complex[n];
  }

  /**
   * gtsv, as JAX calls it: solves for x, given the three diagonals and b. All diagonals are as long
   * as the main one; the first element of the lower one and the last of the upper one are ignored.
   * Returns what takes the place of the diagonals, the three of the upper factor (the second one
   * above the main one in that below it); x; and the info: 0, or the row, from 1, at which the
   * matrix is singular, so that elimination ends there.
   */
  static Literal gtsv(HloInstruction call, List<Literal> in, Execution execution) {
    requireOperands(call, "gtsv", in);
    Shape.Array shape = in.get(3).arrayShape();
    Shape.Array diagonal = in.get(0).arrayShape();
    StandardTarget.requireResult(
        call, Shape.tuple(diagonal, diagonal, diagonal, shape, Lapack.info(shape)));
    return solved(in, execution);
  }

  private static Literal solved(List<Literal> in, Execution execution) {
    Literal b = in.get(3);
    Shape.Array shape = b.arrayShape();
    Shape.Array diagonal = in.get(0).arrayShape();
    LiteralBuilder below = new LiteralBuilder(diagonal);
    LiteralBuilder main = new LiteralBuilder(diagonal);
    LiteralBuilder above = new LiteralBuilder(diagonal);
    LiteralBuilder x = new LiteralBuilder(shape);
    LiteralBuilder infos = new LiteralBuilder(Lapack.info(shape));
    boolean isComplex = shape.elementType().isComplex();
    for (int k = 0; k < Matrix.count(b); k++) {
      execution.checkLimits();
      Tridiagonals system = of(in, k);
      infos.setLong(k, system.solve());
      system.x.write(x, k, isComplex);
      for (int i = 0; i < system.n; i++) {
        int at = k * system.n + i;
        Factorizations.store(system.below[i], below, at, isComplex);
        Factorizations.store(system.diagonal[i], main, at, isComplex);
        Factorizations.store(system.above[i], above, at, isComplex);
      }
    }
    return Literal.tuple(below.build(), main.build(), above.build(), x.build(), infos.build());
  }

  private static Tridiagonals of(List<Literal> in, int k) {
    Matrix b = Matrix.read(in.get(3), k);
    return new Tridiagonals(
        read(in.get(0), k, b.rows()),
        read(in.get(1), k, b.rows()),
        read(in.get(2), k, b.rows()),
        b);
  }

  /** gtsv2 of cuSPARSE: the same, of which only x is returned. */
  static Literal gtsv2(HloInstruction call, List<Literal> in, Execution execution) {
    requireOperands(call, "gtsv2", in);
    StandardTarget.requireResult(call, in.get(3).shape());
    return solved(in, execution).element(3);
  }

  /** Throws unless the operands are three diagonals and b. */
  static void requireOperands(HloInstruction call, String routine, List<Literal> in) {
    require(
        in.size() == 4
            && in.get(3).shape() instanceof Shape.Array b
            && b.rank() >= 2
            && (b.elementType().isFloating() || b.elementType().isComplex())
            && in.subList(0, 3).stream()
                .allMatch(diagonal ->
                    diagonal
                        .shape()
                        .equals(Factorizations.vectors(b, b.elementType(), b.size(b.rank() - 2)))),
        "",
        "custom-call: %s: %s got %s, want three diagonals as long as the columns of b, and b of"
            + " floats or complex numbers",
        call.name(),
        routine,
        in.stream().map(Literal::shape).toList());
  }

  static Complex[] read(Literal vectors, int k, int n) {
    Complex[] vector = new Complex[n];
    for (int i = 0; i < n; i++) {
      Limits.checkAt(i);
      vector[i] = ComplexArray.complexAt(vectors, k * n + i);
    }
    return vector;
  }

  /** Replaces b by the solution, if there is one. Returns the info. */
  private int solve() {
    for (int k = 0; k < n; k++) {
      Limits.checkAt(k);
      secondSuperdiagonal[k] = Complex.ZERO;
      if (k + 1 < n && !(sumOfParts(diagonal[k]) >= sumOfParts(below[k + 1]))) {
        exchange(k);
      } else if (diagonal[k].isZero()) {
        return k + 1;
      } else if (k + 1 < n) {
        Complex factor = Reflectors.quotient(below[k + 1], diagonal[k]);
        diagonal[k + 1] = diagonal[k + 1].minus(Reflectors.product(factor, above[k]));
        subtractRow(k + 1, factor, k);
      }
      if (k + 2 < n) {
        below[k + 1] = secondSuperdiagonal[k];
      }
    }
    for (int k = n - 1; k >= 0; k--) {
      Limits.checkAt(k);
      if (k + 1 < n) {
        subtractRow(k, above[k], k + 1);
      }
      if (k + 2 < n) {
        subtractRow(k, secondSuperdiagonal[k], k + 2);
      }
      for (int j = 0; j < x.columns(); j++) {
        Limits.checkAt(j);
        x.set(k, j, Reflectors.quotient(x.get(k, j), diagonal[k]));
      }
    }
    return 0;
  }

  /** Eliminates after an exchange of row k with the next one, which has the greater element. */
  private void exchange(int k) {
    Complex factor = Reflectors.quotient(diagonal[k], below[k + 1]);
    diagonal[k] = below[k + 1];
    Complex next = diagonal[k + 1];
    diagonal[k + 1] = above[k].minus(Reflectors.product(factor, next));
    if (k + 2 < n) {
      secondSuperdiagonal[k] = above[k + 1];
      above[k + 1] = Reflectors.product(factor, secondSuperdiagonal[k]).negate();
    }
    above[k] = next;
    x.swapRows(k, k + 1);
    subtractRow(k + 1, factor, k);
  }

  private void subtractRow(int row, Complex factor, int other) {
    for (int j = 0; j < x.columns(); j++) {
      Limits.checkAt(j);
      x.set(row, j, x.get(row, j).minus(Reflectors.product(factor, x.get(other, j))));
    }
  }
}
