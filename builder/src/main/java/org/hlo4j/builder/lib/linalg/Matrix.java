package org.hlo4j.builder.lib.linalg;

import static org.hlo4j.builder.lib.common.Checks.require;

import java.util.Optional;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.builder.lib.Slicing;
import org.hlo4j.builder.lib.common.Checks;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Dot;
import org.hlo4j.hlo.op.Gather;

/**
 * Diagonals, triangles and products of matrices. Matrices are the last two dimensions of an array,
 * {@code [..., m, n]}; the others are batch dimensions.
 *
 * <p>Diagonal k consists of the elements {@code [i, i + k]}: 0 is the main one, and positive ones
 * are above it.
 */
public final class Matrix {
  private Matrix() {}

  /**
   * Returns the identity matrix: ones on the main diagonal, zeros elsewhere.
   *
   * @param builder the builder
   * @param type the element type
   * @param m the number of rows
   * @param n the number of columns
   * @return the op, {@code [m, n]}
   * @throws HloException if a size is negative
   */
  public static XlaOp identityMatrix(XlaBuilder builder, ElementType type, long m, long n) {
    return diagonalMask(builder, m, n, 0).convertElementType(type);
  }

  /** Returns whether i + k = j for each {@code [i, j]}. */
  private static XlaOp diagonalMask(XlaBuilder builder, long m, long n, int k) {
    return shiftedRows(builder, m, n, k).eq(builder.iota(Shape.of(ElementType.S64, m, n), 1));
  }

  /** Returns {@code i + k} for each {@code [i, j]}, in s64, which no k overflows. */
  private static XlaOp shiftedRows(XlaBuilder builder, long m, long n, int k) {
    XlaOp rows = builder.iota(Shape.of(ElementType.S64, m, n), 0);
    return k == 0 ? rows : rows.add(builder.constant((long) k));
  }

  /**
   * Returns the mask of a diagonal.
   *
   * @param x matrices {@code [..., m, n]}
   * @param diagonal the number of the diagonal
   * @return the op, pred of the sizes of x
   * @throws HloException if x has no two dimensions
   */
  public static XlaOp getDiagonalMask(XlaOp x, int diagonal) {
    Shape.Array shape = Checks.matrices("getDiagonalMask", "x", x);
    long rows = Checks.rows(shape);
    long columns = Checks.columns(shape);
    return diagonalMask(x.builder(), rows, columns, diagonal)
        .broadcast(Checks.batch(shape, 2).toArray());
  }

  /**
   * Returns the elements of a diagonal.
   *
   * @param x matrices {@code [..., m, n]}
   * @param k the number of the diagonal
   * @return the op, {@code [..., min(m, n - k)]} from the main one up, {@code [..., min(m + k, n)]}
   *     below; empty if there is no such diagonal
   * @throws HloException if x has no two dimensions
   */
  public static XlaOp getMatrixDiagonal(XlaOp x, int k) {
    Shape.Array shape = Checks.matrices("getMatrixDiagonal", "x", x);
    long size = diagonalSize(shape, k);
    Dims from = corner(k, size);
    XlaOp square = Slicing.sliceInMinorDims(x, from, from.plus(Dims.of(size, size)));
    // In row-major order the elements of the diagonal of a p x p matrix have stride p + 1.
    int last = shape.rank() - 2;
    return square.collapse(last, last + 1L).sliceInDim(0, size * size, size + 1, last);
  }

  private static long diagonalSize(Shape.Array shape, int k) {
    long rows = Checks.rows(shape) + Math.min(k, 0);
    long columns = Checks.columns(shape) - Math.max(k, 0);
    return Math.max(0, Math.min(rows, columns));
  }

  /** Returns where the diagonal begins; (0, 0) if it does not exist. */
  private static Dims corner(int k, long size) {
    return size == 0 ? Dims.of(0, 0) : Dims.of(Math.max(-(long) k, 0), Math.max(k, 0));
  }

  /**
   * The same as {@link #getMatrixDiagonal}, by a gather.
   *
   * @param x matrices {@code [..., m, n]}
   * @param k the number of the diagonal
   * @return the op
   * @throws HloException if x has no two dimensions
   */
  public static XlaOp getMatrixDiagonalViaGather(XlaOp x, int k) {
    Shape.Array shape = Checks.matrices("getMatrixDiagonalViaGather", "x", x);
    long size = diagonalSize(shape, k);
    if (size == 0) {
      return getMatrixDiagonal(x, k);
    }
    Dims corner = corner(k, size);
    XlaOp counts = x.builder().iota(Shape.of(ElementType.S64, size, 2), 0);
    XlaOp start = x.builder().constant(corner.toArray());
    XlaOp places = counts.add(start, XlaOp.broadcastDimensions(1));
    int last = shape.rank() - 2;
    Dims minor = Dims.of(last, last + 1L);
    Dims batch = Dims.range(0, last);
    Dims slices = Checks.batch(shape, 2).concat(Dims.of(1, 1));
    return x.gather(
        places, new Gather(batch, minor, minor, Dims.of(), Dims.of(), 1, slices, false));
  }

  /**
   * Replaces a diagonal of matrices.
   *
   * @param matrix matrices {@code [..., m, n]}
   * @param diag the new elements, of the shape of {@link #getMatrixDiagonal}
   * @param k the number of the diagonal
   * @return the op, of the shape of matrix
   * @throws HloException if shapes are incompatible
   */
  public static XlaOp setMatrixDiagonal(XlaOp matrix, XlaOp diag, int k) {
    Shape.Array shape = Checks.matrices("setMatrixDiagonal", "matrix", matrix);
    long size = diagonalSize(shape, k);
    Dims batch = Checks.batch(shape, 2);
    Checks.requireShape(
        "setMatrixDiagonal", "diag", diag, shape.withSizes(batch.concat(Dims.of(size))));
    if (size == 0) {
      return matrix;
    }
    int along = batch.count() + (k >= 0 ? 0 : 1);
    XlaOp zero = matrix.builder().zeros(Shape.of(shape.elementType()));
    XlaOp padded = diag.padInDim(zero, batch.count(), 0, shape.size(along) - size);
    XlaOp everywhere =
        padded.broadcastInDim(shape.sizes(), Dims.range(0, batch.count()).concat(Dims.of(along)));
    return getDiagonalMask(matrix, k).select(everywhere, matrix);
  }

  /**
   * Returns the mask of the lower triangle: on and below a diagonal.
   *
   * @param x matrices {@code [..., m, n]}
   * @param diagonal the last diagonal of the triangle
   * @return the op, pred of the sizes of x
   * @throws HloException if x has no two dimensions
   */
  public static XlaOp triangleMask(XlaOp x, int diagonal) {
    Shape.Array shape = Checks.matrices("triangleMask", "x", x);
    long rows = Checks.rows(shape);
    long columns = Checks.columns(shape);
    return shiftedRows(x.builder(), rows, columns, diagonal)
        .ge(x.builder().iota(Shape.of(ElementType.S64, rows, columns), 1))
        .broadcast(Checks.batch(shape, 2).toArray());
  }

  /**
   * Returns one triangle with the main diagonal, and zeros elsewhere.
   *
   * @param x matrices {@code [..., m, n]}
   * @param lower whether it is the lower triangle
   * @return the op, of the shape of x
   * @throws HloException if x has no two dimensions
   */
  public static XlaOp triangle(XlaOp x, boolean lower) {
    Checks.matrices("triangle", "x", x);
    return lower
        ? triangleMask(x, 0).select(x, x.zerosLike())
        : triangleMask(x, -1).select(x.zerosLike(), x);
  }

  /**
   * Returns the upper triangle with the main diagonal, and zeros elsewhere.
   *
   * @param x matrices {@code [..., m, n]}
   * @return the op, of the shape of x
   * @throws HloException if x has no two dimensions
   */
  public static XlaOp upperTriangle(XlaOp x) {
    return triangle(x, false);
  }

  /**
   * Returns the lower triangle with the main diagonal, and zeros elsewhere.
   *
   * @param x matrices {@code [..., m, n]}
   * @return the op, of the shape of x
   * @throws HloException if x has no two dimensions
   */
  public static XlaOp lowerTriangle(XlaOp x) {
    return triangle(x, true);
  }

  /**
   * Replaces one triangle by the transpose of the other, for complex matrices by the conjugate
   * transpose and the diagonal by its real part.
   *
   * @param x square matrices {@code [..., n, n]}
   * @param lower whether to keep the lower triangle
   * @return the op, of the shape of x, symmetric or hermitian
   * @throws HloException if x is not square
   */
  public static XlaOp symmetrize(XlaOp x, boolean lower) {
    Shape.Array shape = Checks.matrices("symmetrize", "x", x);
    require(
        Checks.rows(shape) == Checks.columns(shape),
        "",
        "symmetrize: x got %s, want the last two sizes equal",
        shape);
    XlaOp mirrored = Stack.conjugate(transposeInMinorDims(x));
    XlaOp below = triangleMask(x, lower ? 0 : -1);
    XlaOp whole = below.select(lower ? x : mirrored, lower ? mirrored : x);
    return shape.elementType().isComplex()
        ? getDiagonalMask(x, 0).select(whole.real().convertElementType(shape.elementType()), whole)
        : whole;
  }

  /**
   * Products of matrices, {@code x * y}; sizes of 1 among the batch dimensions stretch, and missing
   * ones are added on the left.
   *
   * @param x matrices {@code [..., m, k]}
   * @param y matrices {@code [..., k, n]}
   * @return the op, {@code [..., m, n]}
   * @throws HloException if sizes or element types are incompatible
   */
  public static XlaOp batchDot(XlaOp x, XlaOp y) {
    return batchDot(x, false, y, false);
  }

  /**
   * Products of vectors and matrices as NumPy's {@code @} has them. Of operands of rank 2 and more,
   * the last two dimensions are matrices; sizes of 1 among the others stretch, and missing ones are
   * added on the left. A vector is a row on the left and a column on the right; the result does not
   * have its dimension.
   *
   * @param x matrices {@code [..., m, k]}, or a vector {@code [k]}
   * @param y matrices {@code [..., k, n]}, or a vector {@code [k]}
   * @return the op, {@code [..., m, n]}, without m or n where an operand is a vector
   * @throws HloException if an operand is a scalar, or sizes or element types are incompatible
   */
  public static XlaOp matmul(XlaOp x, XlaOp y) {
    if (isVectorOrMatrix(x) && isVectorOrMatrix(y)) {
      return x.dot(y); // of dynamic sizes too
    }
    int left = vectorOrMatrices("x", x);
    int right = vectorOrMatrices("y", y);
    requireSuits(x.arrayShape(), y.arrayShape());
    String row = left == 1 ? "" : "m";
    String column = right == 1 ? "" : "n";
    String config =
        (left == 1 ? "k" : "...mk") + (right == 1 ? ",k" : ",...kn") + "->..." + row + column;
    return Einsum.einsum(x, y, config);
  }

  private static boolean isVectorOrMatrix(XlaOp operand) {
    return operand != null
        && operand.shape() instanceof Shape.Array array
        && (array.rank() == 1 || array.rank() == 2);
  }

  private static void requireSuits(Shape.Array x, Shape.Array y) {
    long columns = x.size(x.rank() - 1);
    long rows = y.size(Math.max(0, y.rank() - 2));
    require(
        columns == rows,
        "",
        "matmul: x got %s, y got %s, want %s and %s equal, the columns of x and the rows of y",
        x,
        y,
        columns,
        rows);
    for (int i = 3; i <= Math.min(x.rank(), y.rank()); i++) {
      long left = x.size(x.rank() - i);
      long right = y.size(y.rank() - i);
      require(
          left == right || left == 1 || right == 1,
          "",
          "matmul: x got %s, y got %s, want %s and %s equal or 1, dimension %s of both",
          x,
          y,
          left,
          right,
          -i);
    }
  }

  private static int vectorOrMatrices(String name, XlaOp operand) {
    Shape.Array shape = Checks.array("matmul", name, operand);
    require(shape.rank() >= 1, "", "matmul: %s got %s, want rank 1 at least", name, shape);
    return shape.rank();
  }

  /**
   * Products of matrices, each transposed first or not.
   *
   * @param x matrices {@code [..., m, k]}, or {@code [..., k, m]} to be transposed
   * @param transposeX whether to transpose x
   * @param y matrices {@code [..., k, n]}, or {@code [..., n, k]} to be transposed
   * @param transposeY whether to transpose y
   * @return the op, {@code [..., m, n]}
   * @throws HloException if sizes or element types are incompatible
   */
  public static XlaOp batchDot(XlaOp x, boolean transposeX, XlaOp y, boolean transposeY) {
    return batchDot(x, transposeX, y, transposeY, Dot.Precision.DEFAULT, Optional.empty());
  }

  /**
   * Products of matrices, each transposed first or not, with a given precision and element type.
   *
   * @param x matrices {@code [..., m, k]}, or {@code [..., k, m]} to be transposed
   * @param transposeX whether to transpose x
   * @param y matrices {@code [..., k, n]}, or {@code [..., n, k]} to be transposed
   * @param transposeY whether to transpose y
   * @param precision how exactly to compute
   * @param preferredElementType the element type of the result; empty for that of the operands
   * @return the op, {@code [..., m, n]}
   * @throws HloException if sizes or element types are incompatible
   */
  public static XlaOp batchDot(
      XlaOp x,
      boolean transposeX,
      XlaOp y,
      boolean transposeY,
      Dot.Precision precision,
      Optional<ElementType> preferredElementType) {
    Checks.matrices("batchDot", "x", x);
    Checks.matrices("batchDot", "y", y);
    String config =
        (transposeX ? "...km" : "...mk") + (transposeY ? ",...nk" : ",...kn") + "->...mn";
    return Einsum.einsum(x, y, config, precision, preferredElementType);
  }

  /**
   * Transposes matrices.
   *
   * @param x matrices {@code [..., m, n]}
   * @return the op, {@code [..., n, m]}
   * @throws HloException if x has no two dimensions
   */
  public static XlaOp transposeInMinorDims(XlaOp x) {
    int rank = Checks.matrices("transposeInMinorDims", "x", x).rank();
    Dims swapped = Dims.range(0, rank).with(rank - 2, rank - 1L).with(rank - 1, rank - 2L);
    return x.transpose(swapped.toArray());
  }

  /**
   * Transposes matrices conditionally.
   *
   * @param x matrices {@code [..., m, n]}
   * @param transpose whether to transpose
   * @return the op, or x itself
   * @throws HloException if x has no two dimensions
   */
  public static XlaOp maybeTransposeInMinorDims(XlaOp x, boolean transpose) {
    Checks.matrices("maybeTransposeInMinorDims", "x", x);
    return transpose ? transposeInMinorDims(x) : x;
  }
}
