package org.hlo4j.interpreter.reference.linalg;

import static org.hlo4j.hlo.HloException.require;

import java.util.List;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.interpreter.engine.Execution;
import org.hlo4j.interpreter.engine.LapackCall;
import org.hlo4j.interpreter.engine.Limits;
import org.hlo4j.interpreter.math.Complex;

/**
 * Householder reflections {@code 1 - tau v v*}, packed as in LAPACK, and products of them. v is
 * stored in a column of a matrix below the row where its element is 1.
 */
public final class Reflectors {
  private Reflectors() {}

  /**
   * Makes a column zero below a row by a reflection {@code (1 - tau v v*)*}, and stores v there.
   * The column is divided by a power of two first, so that v and tau keep their digits, however
   * large or small it is: else the reflection would not be unitary. Returns tau.
   */
  public static Complex reflect(Matrix a, int row, int column) {
    int exponent = Math.getExponent(a.greatestPart(column, row));
    Complex alpha = a.get(row, column).scaled(-exponent);
    if (alpha.im() == 0 && a.greatestPart(column, row + 1) == 0) {
      return Complex.ZERO;
    }
    double square = 0;
    for (int i = row + 1; i < a.rows(); i++) {
      Limits.checkAt(i);
      a.set(i, column, a.get(i, column).scaled(-exponent));
      square += a.get(i, column).square();
    }
    double beta = -Math.copySign(Math.sqrt(alpha.square() + square), alpha.re());
    Complex pivot = new Complex(alpha.re() - beta, alpha.im());
    for (int i = row + 1; i < a.rows(); i++) {
      Limits.checkAt(i);
      a.set(i, column, quotient(a.get(i, column), pivot));
    }
    a.set(row, column, new Complex(Math.scalb(beta, exponent), 0));
    return new Complex((beta - alpha.re()) / beta, alpha.im() == 0 ? 0 : -alpha.im() / beta);
  }

  /** Returns a product. That of real numbers is real, even if they are not finite. */
  static Complex product(Complex a, Complex b) {
    return a.im() == 0 && b.im() == 0 ? new Complex(a.re() * b.re(), 0) : a.times(b);
  }

  /** Returns a quotient. That of real numbers is real, and rounded once. */
  static Complex quotient(Complex a, Complex b) {
    return a.im() == 0 && b.im() == 0 ? new Complex(a.re() / b.re(), 0) : a.dividedBy(b);
  }

  /** {@code to = (1 - tau v v*) to} from a column on, with v in a column of packed. */
  public static void applyToColumns(
      Matrix packed, int column, int row, Complex tau, Matrix to, int fromColumn) {
    if (tau.isZero() || fromColumn >= to.columns()) {
      return;
    }
    ComplexArray sums = to.row(row, fromColumn);
    for (int i = row + 1; i < to.rows(); i++) {
      Limits.checkCurrent();
      to.addMultipleTo(sums, packed.get(i, column).conjugate(), i, fromColumn);
    }
    for (int j = fromColumn; j < to.columns(); j++) {
      Complex scaled = product(tau, sums.get(j - fromColumn));
      sums.set(j - fromColumn, scaled);
      to.set(row, j, to.get(row, j).minus(scaled));
    }
    for (int i = row + 1; i < to.rows(); i++) {
      Limits.checkCurrent();
      to.subtractMultiple(i, fromColumn, packed.get(i, column), sums, to.columns() - fromColumn);
    }
  }

  /** {@code to = to (1 - tau v v*)} from a column on, with v in a column of packed. */
  static void applyToRows(
      Matrix packed, int column, int row, Complex tau, Matrix to, int fromColumn) {
    if (tau.isZero()) {
      return;
    }
    int count = packed.rows() - row - 1;
    ComplexArray v = packed.column(column, row + 1);
    ComplexArray adjoint = v.conjugates(count);
    for (int i = 0; i < to.rows(); i++) {
      Limits.checkCurrent();
      Complex first = to.get(i, fromColumn);
      Complex scaled = product(to.plusProducts(first, i, fromColumn + 1, v, count), tau);
      to.set(i, fromColumn, first.minus(scaled));
      to.subtractMultiple(i, fromColumn + 1, scaled, adjoint, count);
    }
  }

  /**
   * ProductOfElementaryHouseholderReflectors, orgqr and ungqr: the first columns of the product H1
   * H2 ... of the reflections in the result of Qr.
   */
  public static Literal product(HloInstruction call, List<Literal> in, Execution execution) {
    Factorizations.requireShapes(call, in, 2, a -> a);
    Shape.Array shape = in.get(0).arrayShape();
    int reflectors = count(call, shape, in.get(1).arrayShape());
    LiteralBuilder result = new LiteralBuilder(shape);
    for (int n = 0; n < Matrix.count(in.get(0)); n++) {
      Matrix packed = Matrix.read(in.get(0), n);
      Matrix q = Matrix.identity(packed.rows(), packed.columns());
      for (int k = reflectors - 1; k >= 0; k--) {
        execution.checkLimits();
        Complex tau = ComplexArray.complexAt(in.get(1), n * reflectors + k);
        applyToColumns(packed, k, k, tau, q, 0);
      }
      q.write(result, n, Factorizations.isComplex(in));
    }
    return result.build();
  }

  private static int count(HloInstruction call, Shape.Array packed, Shape.Array taus) {
    long reflectors = taus.rank() == 0 ? 0 : taus.size(taus.rank() - 1);
    require(
        taus.equals(Factorizations.vectors(packed, packed.elementType(), reflectors))
            && reflectors <= Factorizations.minDimension(packed),
        "",
        "custom-call: %s: taus got %s, want one for each of at most %s columns of %s",
        call.name(),
        taus,
        Factorizations.minDimension(packed),
        packed);
    return (int) reflectors;
  }

  /**
   * ormqr and unmqr: {@code q c}, {@code q* c}, {@code c q} or {@code c q*} with the q of the
   * result of Qr, as selected by left and transpose in the backend config.
   */
  static Literal multiply(HloInstruction call, List<Literal> in, Execution execution) {
    boolean isLeft = LapackCall.isSet(call, "left");
    boolean isAdjoint = LapackCall.isSet(call, "transpose");
    requireFactors(call, in, isLeft);
    int reflectors = count(call, in.get(0).arrayShape(), in.get(1).arrayShape());
    LiteralBuilder result = new LiteralBuilder(in.get(2).arrayShape());
    for (int n = 0; n < Matrix.count(in.get(2)); n++) {
      Matrix packed = Matrix.read(in.get(0), n);
      Matrix c = Matrix.read(in.get(2), n);
      for (int i = 0; i < reflectors; i++) {
        execution.checkLimits();
        int k = isLeft == isAdjoint ? i : reflectors - 1 - i;
        Complex tau = ComplexArray.complexAt(in.get(1), n * reflectors + k);
        Complex factor = isAdjoint ? tau.conjugate() : tau;
        if (isLeft) {
          applyToColumns(packed, k, k, factor, c, 0);
        } else {
          applyToRows(packed, k, k, factor, c, k);
        }
      }
      c.write(result, n, Factorizations.isComplex(in));
    }
    return result.build();
  }

  private static void requireFactors(HloInstruction call, List<Literal> in, boolean isLeft) {
    Factorizations.requireShapes(call, in, 3, a -> in.get(2).shape());
    Shape.Array packed = in.get(0).arrayShape();
    int batch = packed.rank() - 2;
    long rows = packed.size(batch);
    require(
        in.get(2).shape() instanceof Shape.Array c
            && c.rank() == packed.rank()
            && c.elementType() == packed.elementType()
            && c.sizes().subList(0, batch).equals(packed.sizes().subList(0, batch))
            && c.size(isLeft ? batch : batch + 1) == rows,
        "",
        "custom-call: %s: c got %s, want %s %s for the rows of %s",
        call.name(),
        in.get(2).shape(),
        rows,
        isLeft ? "rows" : "columns",
        packed);
  }
}
