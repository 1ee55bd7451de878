package org.hlo4j.builder;

import static org.hlo4j.hlo.HloException.requireFitting;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Cholesky;
import org.hlo4j.hlo.op.Dot;
import org.hlo4j.hlo.op.Fft;
import org.hlo4j.hlo.op.RaggedDot;
import org.hlo4j.hlo.op.ScaledDot;
import org.hlo4j.hlo.op.StochasticConvert;
import org.hlo4j.hlo.op.TriangularSolve;

/** The linear algebra of a handle, and stochastic conversion. */
abstract class LinalgOps extends DeviceOps {
  private List<XlaOp> self() {
    return Collections.singletonList((XlaOp) this);
  }

  private List<XlaOp> both(XlaOp rhs) {
    return Arrays.asList((XlaOp) this, rhs);
  }

  /**
   * Returns the product of vectors and matrices: contracts the last dimension of this with the
   * first of rhs.
   *
   * @param rhs of rank 1 or 2, as this
   * @return the op
   * @throws HloException if ranks or sizes are incompatible
   */
  public XlaOp dot(XlaOp rhs) {
    return owner()
        .guarded(
            both(rhs),
            () -> {
              for (XlaOp operand : both(rhs)) {
                int rank = operand.arrayShape("dot").rank();
                requireFitting(
                    rank == 1 || rank == 2,
                    () -> products(rhs),
                    "",
                    "dot: rank of %s got %s, want 1 or 2",
                    operand.name(),
                    rank);
              }
              Dot dot = Dot.matrix(((XlaOp) this).arrayShape("dot").rank());
              try {
                return owner().append(dot, both(rhs), List.of());
              } catch (HloException refusal) {
                String fits = transposed(rhs);
                throw fits.isEmpty() ? refusal : refusal.with("fits", "fits: " + fits);
              }
            });
  }

  /** Returns the products of the two matrices with one of them transposed that are possible. */
  private String transposed(XlaOp rhs) {
    String x = ((XlaOp) this).name();
    Shape.Array left = ((XlaOp) this).arrayShape("dot");
    Shape.Array right = rhs.arrayShape("dot");
    List<String> ways = new ArrayList<>();
    if (right.rank() == 2 && left.size(left.rank() - 1) == right.size(1)) {
      ways.add(x + ".dot(" + rhs.name() + ".transpose(1, 0))");
    }
    if (left.rank() == 2 && left.size(0) == right.size(0)) {
      ways.add(x + ".transpose(1, 0).dot(" + rhs.name() + ")");
    }
    return left.elementType() == right.elementType() ? String.join(" or ", ways) : "";
  }

  /** Returns how the products of many matrices are written, for operands of more than rank 2. */
  private String products(XlaOp rhs) {
    String x = ((XlaOp) this).name();
    Shape.Array left = ((XlaOp) this).arrayShape("dot");
    Shape.Array right = rhs.arrayShape("dot");
    if (left.rank() < 2
        || right.rank() < 2
        || left.size(left.rank() - 1) != right.size(right.rank() - 2)) {
      return "";
    }
    String general =
        left.rank() == right.rank()
            ? " or " + x + ".dotGeneral(" + rhs.name() + ", Dot.batchMatmul(" + left.rank() + "))"
            : "";
    return String.format(
        "%s.matmul(%s), Einsum.einsum(%s, %s, \"...ij,...jk->...ik\")%s",
        x, rhs.name(), x, rhs.name(), general);
  }

  /**
   * Sums of products over any dimensions.
   *
   * @param rhs the other operand
   * @param dot the batch and contracting dimensions, and the result's element type
   * @return the op, of batch dimensions, then those left of this, then those left of rhs
   * @throws HloException if dimensions, sizes or element types are incompatible
   */
  public XlaOp dotGeneral(XlaOp rhs, Dot dot) {
    return owner().apply(dot, both(rhs));
  }

  /**
   * Returns a dot in which one dimension of this is split into groups.
   *
   * @param rhs the other operand
   * @param groupSizes integers {@code [g]}, the sizes of the groups, or {@code [p..., g]} for sizes
   *     that differ between batches
   * @param raggedDot which dimension is ragged, and the dimensions of the dot
   * @return the op, of the shape in the table of {@link RaggedDot}
   * @throws HloException if dimensions, sizes or element types are incompatible
   */
  public XlaOp raggedDot(XlaOp rhs, XlaOp groupSizes, RaggedDot raggedDot) {
    return owner().apply(raggedDot, Arrays.asList((XlaOp) this, rhs, groupSizes));
  }

  /**
   * Returns a dot of operands with block scales. XLA has the op, {@code scaled-dot}, but no
   * function for it in its builder.
   *
   * @param rhs the other operand
   * @param lhsScale floats of the rank of this, each size dividing that of this, or a scalar
   * @param rhsScale likewise for rhs; not both may be scalars
   * @param scaledDot the dimensions of the dot and the result's element type
   * @return the op, of batch dimensions, then those left of this, then those left of rhs
   * @throws HloException if dimensions, sizes or element types are incompatible
   */
  public XlaOp scaledDot(XlaOp rhs, XlaOp lhsScale, XlaOp rhsScale, ScaledDot scaledDot) {
    return owner().apply(scaledDot, Arrays.asList((XlaOp) this, rhs, lhsScale, rhsScale));
  }

  /**
   * Returns the discrete Fourier transform of the last dimensions.
   *
   * @param fftType the transform
   * @param fftLength 1 to 3 lengths, those of the last dimensions; for IRFFT of the result
   * @return the op, complex, or real for IRFFT; see {@link Fft} for the last size
   * @throws HloException if the element type does not suit the transform, or sizes differ
   */
  public XlaOp fft(Fft.FftType fftType, long... fftLength) {
    return owner().apply(new Fft(fftType, Dims.of(fftLength)), self());
  }

  /**
   * Returns the Cholesky factor of matrices, which are the last two dimensions: {@code this =
   * result * adjoint(result)} of the lower triangle, {@code adjoint(result) * result} of the upper.
   *
   * @param lower which triangle to read and to give
   * @return the op, of this one's shape; NaN where a matrix is not positive definite
   * @throws HloException if this is not float or complex, or the matrices are not square
   */
  public XlaOp cholesky(boolean lower) {
    return owner().apply(new Cholesky(lower), self());
  }

  /**
   * Solves equations with this as the matrix: {@code op(this) * result = b}, or {@code result *
   * op(this) = b}.
   *
   * @param b the right side
   * @param triangularSolve the side of this matrix, the triangle of it that is used, and the
   *     operation applied to it
   * @return the op, of the shape of b
   * @throws HloException if element types, ranks or sizes are incompatible
   */
  public XlaOp triangularSolve(XlaOp b, TriangularSolve triangularSolve) {
    return owner().apply(triangularSolve, Arrays.asList((XlaOp) this, b));
  }

  /**
   * Converts floats to a narrower type with stochastic rounding.
   *
   * @param random unsigned integers of this one's sizes and width, uniformly distributed
   * @param newElementType the element type of the result, an integer or float
   * @return the op, of this one's sizes
   * @throws HloException if the element types or sizes do not suit
   */
  public XlaOp stochasticConvertType(XlaOp random, ElementType newElementType) {
    return owner()
        .apply(new StochasticConvert(newElementType), Arrays.asList((XlaOp) this, random));
  }
}
