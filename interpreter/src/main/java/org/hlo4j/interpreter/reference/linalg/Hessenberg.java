package org.hlo4j.interpreter.reference.linalg;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.interpreter.engine.Execution;
import org.hlo4j.interpreter.engine.LapackCall;
import org.hlo4j.interpreter.math.Complex;

/**
 * The Hessenberg form of square matrices, which is zero below the subdiagonal, by Householder
 * reflections: {@code a = q h q*}. The form of a self-adjoint matrix is tridiagonal. In double,
 * rounded once.
 */
final class Hessenberg {
  private static final Pattern BORDER = Pattern.compile("(low|high) = (-?\\d{1,10}) : i32");

  private Hessenberg() {}

  /**
   * Reduces the rows and columns from low to high, exclusive. Below row high, all columns before it
   * have to be zero. The reflectors are stored below the subdiagonal.
   *
   * @return the taus, one for each column but the last
   */
  static Complex[] reduce(Matrix a, int low, int high, Execution execution) {
    Complex[] taus = new Complex[Math.max(a.rows() - 1, 0)];
    for (int k = 0; k < taus.length; k++) {
      taus[k] = Complex.ZERO;
      if (k >= low && k < high - 1) {
        execution.checkLimits();
        taus[k] = Reflectors.reflect(a, k + 1, k);
        Reflectors.applyToRows(a, k, k + 1, taus[k], a, k + 1);
        Reflectors.applyToColumns(a, k, k + 1, taus[k].conjugate(), a, k + 1);
      }
    }
    return taus;
  }

  /** Returns the matrix q of a reduced matrix. */
  static Matrix formQ(Matrix packed, Complex[] taus, Execution execution) {
    Matrix q = Matrix.identity(packed.rows());
    for (int k = taus.length - 1; k >= 0; k--) {
      execution.checkLimits();
      Reflectors.applyToColumns(packed, k, k + 1, taus[k], q, k + 1);
    }
    return q;
  }

  /** gehrd: the form with the reflectors below it, the taus, and the info. */
  static Literal hessenberg(HloInstruction call, List<Literal> in, Execution execution) {
    Factorizations.requireShapes(call, in, 1, a -> Shape.tuple(a, taus(a), Lapack.info(a)));
    Eigen.requireSquare(call, in.get(0));
    Shape.Array shape = in.get(0).arrayShape();
    requireWhole(call, Matrix.rows(in.get(0)));
    LiteralBuilder packed = new LiteralBuilder(shape);
    LiteralBuilder taus = new LiteralBuilder(taus(shape));
    for (int n = 0; n < Matrix.count(in.get(0)); n++) {
      Matrix a = Matrix.read(in.get(0), n);
      store(reduce(a, 0, a.rows(), execution), taus, n, Factorizations.isComplex(in));
      a.write(packed, n, Factorizations.isComplex(in));
    }
    return Literal.tuple(packed.build(), taus.build(), Literal.zeros(Lapack.info(shape)));
  }

  /**
   * Throws unless the call reduces the whole matrix. LAPACK can exclude rows and columns at both
   * ends, but JAX never does.
   */
  private static void requireWhole(HloInstruction call, int rows) {
    Map<String, String> given = new HashMap<>();
    Matcher border = BORDER.matcher(call.attributes().getOrDefault("backend_config", ""));
    while (border.find()) {
      given.put(border.group(1), border.group(2));
    }
    ImmutableMap.of("low", 1, "high", rows)
        .forEach((name, want) -> {
          String got = given.getOrDefault(name, "none");
          require(
              got.equals(want.toString()),
              "",
              "custom-call: %s: %s got %s, want %s",
              call.name(),
              name,
              got,
              want);
        });
  }

  private static Shape.Array taus(Shape.Array matrices) {
    long rows = matrices.size(matrices.rank() - 2);
    return Factorizations.vectors(matrices, matrices.elementType(), Math.max(rows - 1, 0));
  }

  private static void store(Complex[] taus, LiteralBuilder to, int n, boolean isComplex) {
    for (int i = 0; i < taus.length; i++) {
      Factorizations.store(taus[i], to, n * taus.length + i, isComplex);
    }
  }

  /**
   * sytrd and hetrd: the matrices, one triangle of which is replaced by the form and its
   * reflectors; the diagonal, the off-diagonal, the taus, and the info.
   */
  static Literal tridiagonal(HloInstruction call, List<Literal> in, Execution execution) {
    Factorizations.requireShapes(
        call,
        in,
        1,
        a ->
            Shape.tuple(
                a,
                Eigen.values(a),
                taus(a.withElementType(a.elementType().componentType())),
                taus(a),
                Lapack.info(a)));
    Eigen.requireSquare(call, in.get(0));
    boolean isLower = LapackCall.isLower(call);
    Shape.Array shape = in.get(0).arrayShape();
    LiteralBuilder packed = new LiteralBuilder(shape);
    LiteralBuilder diagonal = new LiteralBuilder(Eigen.values(shape));
    LiteralBuilder offDiagonal =
        new LiteralBuilder(taus(shape.withElementType(shape.elementType().componentType())));
    LiteralBuilder taus = new LiteralBuilder(taus(shape));
    int rows = Matrix.rows(in.get(0));
    for (int k = 0; k < Matrix.count(in.get(0)); k++) {
      // an upper triangle becomes a lower one if rows and columns are reversed
      Matrix given = Matrix.read(in.get(0), k);
      Matrix a = Eigen.selfAdjoint(isLower ? given.copy() : given.reversed(), true);
      Complex[] factors = reduce(a, 0, rows, execution);
      for (int i = 0; i < rows; i++) {
        int at = isLower ? i : rows - 1 - i;
        diagonal.setDouble(k * rows + at, a.get(i, i).re());
        if (i < rows - 1) {
          int place = k * (rows - 1) + (isLower ? i : rows - 2 - i);
          offDiagonal.setDouble(place, a.get(i + 1, i).re());
          Factorizations.store(factors[i], taus, place, Factorizations.isComplex(in));
        }
      }
      withTriangle(given, isLower ? a : a.reversed(), isLower)
          .write(packed, k, Factorizations.isComplex(in));
    }
    return Literal.tuple(
        packed.build(),
        diagonal.build(),
        offDiagonal.build(),
        taus.build(),
        Literal.zeros(Lapack.info(shape)));
  }

  /** Replaces one triangle of a matrix, with the diagonal, by that of another. */
  private static Matrix withTriangle(Matrix a, Matrix triangle, boolean isLower) {
    for (int i = 0; i < a.rows(); i++) {
      for (int j = isLower ? 0 : i; j < (isLower ? i + 1 : a.columns()); j++) {
        a.set(i, j, triangle.get(i, j));
      }
    }
    return a;
  }
}
