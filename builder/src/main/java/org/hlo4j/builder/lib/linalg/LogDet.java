package org.hlo4j.builder.lib.linalg;

import static org.hlo4j.builder.lib.common.Checks.require;

import org.hlo4j.builder.XlaOp;
import org.hlo4j.builder.lib.common.Checks;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;

/**
 * The sign and the logarithm of determinants, which neither overflow nor underflow, by {@link
 * LuDecomposition}.
 */
public final class LogDet {
  private LogDet() {}

  /**
   * A determinant, {@code sign * exp(logAbsDet)}.
   *
   * @param sign {@code [...]}: -1, 0 or 1, or a complex number of magnitude 1 or 0
   * @param logAbsDet {@code [...]}, real: the logarithm of the magnitude, -inf of 0
   */
  public record SignAndLogDet(XlaOp sign, XlaOp logAbsDet) {}

  /**
   * Sign and logarithm of determinants.
   *
   * @param a square matrices {@code [..., n, n]} of f32, f64, c64 or c128
   * @return sign and logarithm; 1 and 0 for n = 0
   * @throws HloException if a is not square, or of another type
   */
  public static SignAndLogDet slogDet(XlaOp a) {
    Shape.Array shape = Checks.squareMatrices("slogDet", "a", a);
    int last = shape.rank() - 2;
    LuDecomposition.Result result = LuDecomposition.luDecomposition(a);
    XlaOp diagonal = Matrix.getMatrixDiagonal(result.lu(), 0);
    XlaOp one = a.builder().constant(scalar(shape.elementType()));
    XlaOp signs = diagonal.sign().reduce(one, (x, y) -> x.mul(y), last);
    XlaOp sign = isOdd(result.pivots(), last).select(signs.neg(), signs);
    return new SignAndLogDet(sign, Stack.sum(diagonal.abs().log(), last));
  }

  private static Literal scalar(ElementType type) {
    return Literal.full(Shape.of(type), 1);
  }

  /** Returns whether an odd number of row exchanges changed the order. */
  private static XlaOp isOdd(XlaOp pivots, int last) {
    XlaOp places = Stack.positions(pivots, last);
    XlaOp isNot = pivots.builder().constant(false);
    return pivots.ne(places).reduce(isNot, (x, y) -> x.xor(y), last);
  }

  /**
   * Returns the logarithm of determinants.
   *
   * @param a square matrices {@code [..., n, n]} of f32 or f64; of complex ones see {@link
   *     #slogDet}
   * @return the op, {@code [...]}: NaN of a negative determinant, -inf of 0
   * @throws HloException if a is not square, or of another type
   */
  public static XlaOp logDet(XlaOp a) {
    Shape.Array shape = Checks.squareMatrices("logDet", "a", a);
    require(
        !shape.elementType().isComplex(),
        "",
        "logDet: a got %s, want f32 or f64; complex ones by slogDet",
        shape);
    SignAndLogDet result = slogDet(a);
    return result
        .sign
        .ge(result.sign.zerosLike())
        .select(result.logAbsDet, result.logAbsDet.fullLike(Double.NaN));
  }
}
