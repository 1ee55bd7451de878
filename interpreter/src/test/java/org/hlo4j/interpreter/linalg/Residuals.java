package org.hlo4j.interpreter.linalg;

import static com.google.common.truth.Truth.assertWithMessage;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.ejml.simple.SimpleMatrix;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.agreement.Evaluators;

/**
 * How far factorizations are from their definitions, in units of n times the epsilon of the type
 * and the size of the matrix. LAPACK's own tests allow 30.
 */
final class Residuals {
  /** {@code -Dhlo4j.linalg=100} asks for all sizes up to 100, and prints the worst of each. */
  static final int MOST_ROWS = Integer.getInteger("hlo4j.linalg", 0);

  static final boolean ARE_ALL = MOST_ROWS > 0;

  /** {@code -Dhlo4j.linalg.seeds=20} asks for 20 matrices of each kind, size and type. */
  private static final int SEEDS = Integer.getInteger("hlo4j.linalg.seeds", 1);

  private static final int FIRST_SEED = Integer.getInteger("hlo4j.linalg.seed", 0);

  private static final double MOST = 30;

  private final Map<String, Double> worst = new TreeMap<>();
  private final List<String> failures = new ArrayList<>();

  /** One factorization and what holds of its result. */
  interface Routine {
    void check(MatrixCase c);
  }

  /** Notes how far two matrices of the size of a are apart. */
  void near(MatrixCase c, String what, SimpleMatrix got, SimpleMatrix want) {
    int n = Math.max(c.rows(), c.columns());
    double floor =
        Math.scalb(
            c.type().element.componentType() == ElementType.F32
                ? Float.MIN_VALUE
                : Double.MIN_VALUE * 0x1p100,
            -c.exponent() - (c.type().element.componentType() == ElementType.F32 ? 0 : 100));
    double unit = n * (c.epsilon() * c.matrix().normF() + floor);
    double error = got.minus(want).normF();
    note(c, what, error == 0 ? 0 : error / unit);
  }

  void orthonormal(MatrixCase c, String what, SimpleMatrix q) {
    SimpleMatrix identity = SimpleMatrix.identity(q.getNumCols());
    double error = q.transpose().mult(q).minus(identity).normF();
    note(c, what, error / (c.epsilon() * Math.max(q.getNumRows(), 1)));
  }

  void note(MatrixCase c, String what, double units) {
    String name = what + " " + c.type() + " " + c.evaluator();
    double most = Double.isNaN(units) ? Double.POSITIVE_INFINITY : units;
    worst.merge(name, most, Math::max);
    if (most > MOST) {
      failures.add(name + " of " + c.a().shape() + " " + c.kind() + ": " + units);
    }
  }

  void on(String kind, int rows, int columns, MatrixCase.Type type, List<Routine> routines) {
    for (int seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
      Literal a = MatrixKinds.matrix(kind, type.element, rows, columns, seed);
      for (Evaluators evaluator : Evaluators.values()) {
        for (Routine routine : routines) {
          MatrixCase c = MatrixCase.of(type, kind, a, evaluator);
          try {
            routine.check(c);
          } catch (HloException e) {
            failures.add(
                c.type() + " " + c.evaluator() + " of " + a.shape() + " " + kind + ": " + e);
          }
        }
      }
    }
  }

  /** Notes whether two numbers are the same. */
  void equal(MatrixCase c, String what, long got, long want) {
    note(c, what + " " + got, got == want ? 0 : Double.NaN);
  }

  /** Notes how far l u is from the rows of a in another order. */
  void factors(MatrixCase c, String what, Literal packed, int[] rows) {
    Literal one = Literal.full(Shape.of(c.type().element), 1);
    LiteralBuilder lower = LiteralBuilder.zeros(Shape.of(c.type().element, c.rows(), c.least()));
    for (int i = 0; i < c.rows() * c.least(); i++) {
      int row = i / c.least();
      int column = i % c.least();
      if (row > column) {
        lower.copy(i, packed, row * c.columns() + column);
      } else if (row == column) {
        lower.copy(i, one, 0);
      }
    }
    LiteralBuilder permuted = new LiteralBuilder(c.a().arrayShape());
    for (int i = 0; i < c.a().elementCount(); i++) {
      permuted.copy(i, c.a(), rows[i / c.columns()] * c.columns() + i % c.columns());
    }
    SimpleMatrix product =
        MatrixCase.matrix(lower.build()).mult(c.scaled(MatrixCase.upper(packed, c.least())));
    near(c, what, product, c.scaled(permuted.build()));
  }

  /** Notes how far u s v is from a, and u and v from orthonormal. */
  void singular(
      MatrixCase c, String what, SimpleMatrix u, Literal s, SimpleMatrix v, int left, int right) {
    orthonormal(c, what + " u*u", u);
    orthonormal(c, what + " vv*", v.transpose());
    near(c, what + " usv", u.mult(c.diagonal(s, left, right)).mult(v), c.matrix());
    for (int i = 0; i < c.least(); i++) {
      double next = i + 1 < c.least() ? s.doubleAt(i + 1) : 0;
      note(c, what + " order", s.doubleAt(i) >= next && next >= 0 ? 0 : Double.NaN);
    }
  }

  /** Notes how far a v is from v w, and v from orthonormal. */
  void eigenvectors(MatrixCase c, String what, Literal vectors, Literal values) {
    SimpleMatrix v = MatrixCase.matrix(vectors);
    orthonormal(c, what + " v*v", v);
    near(c, what + " av-vw", c.matrix().mult(v), v.mult(c.diagonal(values, c.rows(), c.rows())));
    for (int i = 1; i < c.rows(); i++) {
      boolean ascends = values.doubleAt(i - 1) <= values.doubleAt(i);
      note(c, what + " order", ascends ? 0 : Double.NaN);
    }
  }

  void assertSmall() {
    if (ARE_ALL) {
      worst.forEach((name, units) -> System.out.printf("%-40s %8.3f%n", name, units));
    }
    assertWithMessage("%s beyond %s units:\n%s", failures.size(), MOST, String.join("\n", failures))
        .that(failures)
        .isEmpty();
  }
}
