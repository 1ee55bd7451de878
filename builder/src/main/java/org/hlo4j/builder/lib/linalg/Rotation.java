package org.hlo4j.builder.lib.linalg;

import static org.hlo4j.builder.XlaOp.broadcastDimensions;

import java.util.ArrayList;
import java.util.List;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;

/**
 * Jacobi rotations of pairs of columns, for all h pairs of 2h columns at once: column i with column
 * h + i (Golub and Van Loan, Matrix Computations, 8.5).
 *
 * <pre>
 *   J = (    c     w )   makes diagonal   ( p        r )
 *       ( -conj(w) c )                    ( conj(r)  q )
 * </pre>
 *
 * @param c the cosine of each pair, {@code [b, h]}, of the matrices' element type
 * @param w the sine, with the phase of r, {@code [b, h]}
 * @param shift the real number that the rotation subtracts from p and adds to q
 */
record Rotation(XlaOp c, XlaOp w, XlaOp shift) {
  /**
   * Returns the rotation with the smaller angle of the two that make r zero. An r so small that its
   * phase has lost digits counts as zero, since the rotation would not be unitary; matrices are
   * scaled to a size of 1 before.
   */
  static Rotation of(XlaOp p, XlaOp q, XlaOp r) {
    XlaOp magnitude = r.abs();
    XlaOp isZero = magnitude.lt(magnitude.fullLike(negligible(Stack.type(magnitude))));
    XlaOp divisor = isZero.select(magnitude.fullLike(1), magnitude);
    XlaOp tau = q.sub(p).div(divisor.add(divisor));
    // t = sign(tau) / (|tau| + sqrt(1 + tau^2)), the smaller root of t^2 + 2 tau t = 1
    XlaOp one = tau.fullLike(1);
    XlaOp root = one.div(tau.abs().add(lengthBesideOne(tau.abs())));
    XlaOp signed = tau.ge(tau.zerosLike()).select(root, root.neg());
    XlaOp t = isZero.select(tau.zerosLike(), signed);
    XlaOp cosine = one.add(t.mul(t)).rsqrt();
    XlaOp phase = r.div(Stack.as(divisor, r));
    return new Rotation(
        Stack.as(cosine, r), phase.mul(Stack.as(t.mul(cosine), r)), t.mul(magnitude));
  }

  /** {@code sqrt(1 + x^2)} of x that may have no square. */
  private static XlaOp lengthBesideOne(XlaOp x) {
    XlaOp one = x.fullLike(1);
    XlaOp greater = x.max(one);
    XlaOp ratio = x.min(one).div(greater);
    return greater.mul(one.add(ratio.mul(ratio)).sqrt());
  }

  /** Returns the magnitude below which r counts as zero. */
  static double negligible(ElementType type) {
    double leastNormal = type == ElementType.F64 ? Double.MIN_NORMAL : Float.MIN_NORMAL;
    return leastNormal / SelfAdjointEig.epsilon(type);
  }

  /** {@code a * J}. */
  XlaOp ofColumns(XlaOp a) {
    XlaOp left = half(a, 2, 0);
    XlaOp right = half(a, 2, 1);
    Dims columns = broadcastDimensions(0, 2);
    XlaOp first = left.mul(c, columns).sub(right.mul(Stack.conjugate(w), columns));
    XlaOp second = left.mul(w, columns).add(right.mul(c, columns));
    return a.builder().concatInDim(List.of(first, second), 2);
  }

  /** {@code adjoint(J) * a}. */
  XlaOp ofRows(XlaOp a) {
    XlaOp top = half(a, 1, 0);
    XlaOp bottom = half(a, 1, 1);
    Dims rows = broadcastDimensions(0, 1);
    XlaOp first = top.mul(c, rows).sub(bottom.mul(w, rows));
    XlaOp second = top.mul(Stack.conjugate(w), rows).add(bottom.mul(c, rows));
    return a.builder().concatInDim(List.of(first, second), 1);
  }

  /** Returns the first or the second half along a dimension. */
  static XlaOp half(XlaOp a, int dimension, int which) {
    long h = Stack.size(a, dimension) / 2;
    return a.sliceInDim(which * h, (which + 1) * h, 1, dimension);
  }

  /**
   * Forms new pairs in round-robin order: all but the first are rotated by one position in a
   * circle. After 2h - 1 calls each column has been paired with every other one, and all are in
   * their original positions.
   *
   * <pre>
   *   t0  t1  t2  -&gt;  t0  b0  t1
   *   b0  b1  b2      b1  b2  t2
   * </pre>
   */
  static XlaOp nextRoundRobinPairs(XlaOp a, int dimension) {
    long h = Stack.size(a, dimension) / 2;
    if (h < 2) {
      return a;
    }
    long[][] ranges = {{0, 1}, {h, h + 1}, {1, h - 1}, {h + 1, 2 * h}, {h - 1, h}};
    List<XlaOp> parts = new ArrayList<>();
    for (long[] range : ranges) {
      if (range[0] < range[1]) {
        parts.add(a.sliceInDim(range[0], range[1], 1, dimension));
      }
    }
    return a.builder().concatInDim(parts, dimension);
  }

  /** Appends a column of zeros if the number of columns is odd. */
  static XlaOp even(XlaOp a, int dimension) {
    XlaOp zero = a.builder().zeros(a.arrayShape().withSizes(Dims.of()));
    return a.padInDim(zero, dimension, 0, Stack.size(a, dimension) % 2);
  }
}
