package org.hlo4j.builder.lib.linalg;

import static org.hlo4j.builder.XlaOp.broadcastDimensions;
import static org.hlo4j.builder.lib.common.Checks.require;

import java.util.List;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.builder.lib.Loops;
import org.hlo4j.builder.lib.Slicing;
import org.hlo4j.builder.lib.common.Checks;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;

/**
 * The QR decomposition: a matrix as the product {@code q * r} of a matrix with orthonormal columns
 * and an upper triangular matrix, by Householder reflections {@code H = I - tau * v * adjoint(v)}
 * (Golub and Van Loan, Matrix Computations, 5.2).
 *
 * <p>XLA emits a custom call {@code Qr}; here the algorithm itself is emitted, in plain HLO. The
 * diagonal of r is real, of either sign. Element types are f32, f64, c64 and c128.
 */
public final class Qr {
  private Qr() {}

  /**
   * Reflections as LAPACK's geqrf packs them.
   *
   * @param qAndR {@code [..., m, n]}: r on and above the diagonal, below it the vectors v, whose
   *     first element is 1
   * @param taus {@code [..., min(m, n)]}: the factor of each reflection
   */
  public record Packed(XlaOp qAndR, XlaOp taus) {}

  /**
   * The explicit factors.
   *
   * @param q {@code [..., m, m]}, or {@code [..., m, min(m, n)]}
   * @param r {@code [..., m, n]}, or {@code [..., min(m, n), n]}
   */
  public record Explicit(XlaOp q, XlaOp r) {}

  /** A Householder reflection, which makes all but the first element of a vector zero. */
  private record Reflection(XlaOp v, XlaOp tau, XlaOp beta) {}

  /**
   * Reflects the columns one by one to an upper triangle: {@code a = H0 * H1 * ... * r}.
   *
   * @param a matrices {@code [..., m, n]}
   * @return the reflections and the triangle
   * @throws HloException if a holds no matrices of a float or complex type
   */
  public static Packed qr(XlaOp a) {
    Shape.Array shape = Checks.numberMatrices("qr", "a", a);
    Dims batch = Checks.batch(shape, 2);
    XlaOp flat = Stack.flatten(a, 2);
    long count = Math.min(Checks.rows(shape), Checks.columns(shape));
    XlaOp taus = a.builder().zeros(shape.withSizes(Dims.of(Stack.size(flat, 0), count)));
    List<XlaOp> packed =
        count == 0
            ? List.of(flat, taus)
            : Loops.forEachIndex(
                a.builder(), count, ElementType.S32, Qr::eliminate, List.of(flat, taus));
    return new Packed(Stack.restore(packed.get(0), batch), Stack.restore(packed.get(1), batch));
  }

  private static List<XlaOp> eliminate(XlaBuilder body, XlaOp k, List<XlaOp> carried) {
    XlaOp a = carried.get(0);
    XlaOp x = Stack.column(a, k);
    Reflection h = reflection(x, k);
    XlaOp rows = Stack.positions(x, 1);
    XlaOp beta = Stack.as(h.beta, x).broadcastInDim(x.arrayShape().sizes(), broadcastDimensions(0));
    XlaOp column = rows.lt(k).select(x, rows.eq(k).select(beta, h.v));
    // adjoint(H) * a = a - conj(tau) * v * (adjoint(v) * a)
    XlaOp scaled = h.v.mul(Stack.conjugate(h.tau), broadcastDimensions(0));
    XlaOp reflected = a.sub(Stack.outer(scaled, Stack.adjointTimes(h.v, a), a));
    XlaOp columns = Stack.positions(a, 2);
    XlaOp next =
        columns.eq(k).select(Stack.alongRows(column, a), columns.gt(k).select(reflected, a));
    return List.of(next, Stack.withElement(carried.get(1), h.tau, k));
  }

  /**
   * Returns the reflection that maps x, from element k on, to (beta, 0, ...), for each matrix of
   * the batch. It is that of x divided by its largest part, so that no square overflows, and v and
   * tau keep their digits even where x is subnormal.
   */
  private static Reflection reflection(XlaOp x, XlaOp k) {
    XlaOp rows = Stack.positions(x, 1);
    XlaOp scale = Stack.nonzero(Stack.greatest(rows.ge(k).select(x, x.zerosLike()), 1));
    XlaOp scaled = x.div(Stack.as(scale, x), broadcastDimensions(0));
    XlaOp alpha = Stack.element(scaled, k);
    XlaOp tail = rows.gt(k).select(scaled, x.zerosLike());
    XlaOp squares = Stack.sum(Stack.squares(tail), 1);
    XlaOp norm = Stack.squares(alpha).add(squares).sqrt();
    XlaOp isDone = squares.eq(squares.zerosLike()).and(Stack.imaginaryIsZero(alpha));
    XlaOp real = Stack.real(alpha);
    XlaOp opposite = real.ge(real.zerosLike()).select(norm.neg(), norm);
    XlaOp beta = Stack.as(opposite, x);
    XlaOp tau = isDone.select(alpha.zerosLike(), beta.sub(alpha).div(Stack.nonzero(beta)));
    XlaOp divisor = isDone.select(alpha.fullLike(1), alpha.sub(beta));
    XlaOp v = tail.div(divisor, broadcastDimensions(0));
    XlaOp ones = x.fullLike(1);
    return new Reflection(
        rows.eq(k).select(ones, v), tau, isDone.select(real, opposite).mul(scale));
  }

  /**
   * Returns the first n columns of the product of reflections, {@code H0 * H1 * ...}.
   *
   * @param a matrices {@code [..., m, n]}, m at least n, with the vectors below the diagonal as
   *     {@link Packed#qAndR} has them
   * @param taus the factors, {@code [..., k]}, k at most n
   * @return the op, {@code [..., m, n]}, with orthonormal columns
   * @throws HloException if shapes are incompatible
   */
  public static XlaOp productOfElementaryHouseholderReflectors(XlaOp a, XlaOp taus) {
    String function = "productOfElementaryHouseholderReflectors";
    Shape.Array shape = Checks.numberMatrices(function, "a", a);
    require(
        Checks.rows(shape) >= Checks.columns(shape),
        "",
        "%s: a got %s, want as many rows as columns at least",
        function,
        shape);
    Dims batch = Checks.batch(shape, 2);
    long count = requireTaus(function, shape, taus);
    XlaOp flat = Stack.flatten(a, 2);
    XlaOp identity = Stack.identity(flat, Checks.rows(shape), Checks.columns(shape));
    XlaOp product =
        count == 0
            ? identity
            : Loops.forEachIndex(
                    a.builder(),
                    count,
                    ElementType.S32,
                    Qr::multiply,
                    List.of(identity, flat, Stack.flatten(taus, 1)))
                .get(0);
    return Stack.restore(product, batch);
  }

  private static long requireTaus(String function, Shape.Array a, XlaOp taus) {
    Shape.Array shape = Checks.array(function, "taus", taus);
    boolean fits =
        shape.rank() == a.rank() - 1
            && shape.elementType() == a.elementType()
            && Checks.batch(shape, 1).equals(Checks.batch(a, 2))
            && shape.size(shape.rank() - 1) <= Checks.columns(a);
    require(
        fits,
        "",
        "%s: taus got %s, want of %s batch dimensions and element type, and %s factors at most",
        function,
        shape,
        a,
        Checks.columns(a));
    return shape.size(shape.rank() - 1);
  }

  /** Applies the last reflection first: {@code q = q - tau * v * (adjoint(v) * q)}. */
  private static List<XlaOp> multiply(XlaBuilder body, XlaOp i, List<XlaOp> carried) {
    XlaOp q = carried.get(0);
    XlaOp a = carried.get(1);
    XlaOp taus = carried.get(2);
    XlaOp k = body.constant((int) Stack.size(taus, 1) - 1).sub(i);
    XlaOp x = Stack.column(a, k);
    XlaOp rows = Stack.positions(x, 1);
    XlaOp one = x.fullLike(1);
    XlaOp v = rows.eq(k).select(one, rows.gt(k).select(x, x.zerosLike()));
    XlaOp scaled = v.mul(Stack.element(taus, k), broadcastDimensions(0));
    XlaOp next = q.sub(Stack.outer(scaled, Stack.adjointTimes(v, q), q));
    return List.of(next, a, taus);
  }

  /**
   * Decomposes matrices into both factors.
   *
   * @param a matrices {@code [..., m, n]}
   * @param fullMatrices whether q is square; else it has min(m, n) columns
   * @return q and r, whose product is a
   * @throws HloException if a holds no matrices of a float or complex type
   */
  public static Explicit qrExplicit(XlaOp a, boolean fullMatrices) {
    Shape.Array shape = Checks.numberMatrices("qrExplicit", "a", a);
    long m = Checks.rows(shape);
    long width = fullMatrices ? m : Math.min(m, Checks.columns(shape));
    Packed packed = qr(a);
    XlaOp q =
        productOfElementaryHouseholderReflectors(withColumns(packed.qAndR, width), packed.taus);
    XlaOp rows =
        Slicing.sliceInMinorDims(
            packed.qAndR, Dims.of(0, 0), Dims.of(width, Checks.columns(shape)));
    return new Explicit(q, Matrix.upperTriangle(rows));
  }

  /** Truncates matrices to a number of columns, or pads them with zeros. */
  private static XlaOp withColumns(XlaOp a, long width) {
    Shape.Array shape = a.arrayShape();
    XlaOp zero = a.builder().zeros(Shape.of(shape.elementType()));
    return a.padInDim(zero, shape.rank() - 1, 0, width - Checks.columns(shape));
  }
}
