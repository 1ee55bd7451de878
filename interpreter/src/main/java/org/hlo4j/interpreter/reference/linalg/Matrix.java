package org.hlo4j.interpreter.reference.linalg;

import static org.hlo4j.hlo.HloException.require;

import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.engine.Limits;
import org.hlo4j.interpreter.math.Complex;

/**
 * A mutable copy of one of the matrices in the last two dimensions of an array. Elements are
 * complex numbers, with imaginary part 0 for real arrays.
 */
public final class Matrix {
  private static final double LEADING_THRESHOLD = 0.3;

  private final ComplexArray elements;
  private final int rows;
  private final int columns;

  public Matrix(int rows, int columns) {
    this.elements = new ComplexArray((long) rows * columns);
    this.rows = rows;
    this.columns = columns;
  }

  /** Returns a square matrix whose elements are all the same. */
  public static Matrix filled(int rows, Complex value) {
    return filled(rows, rows, value);
  }

  /** Returns a matrix whose elements are all the same. */
  static Matrix filled(int rows, int columns, Complex value) {
    Matrix filled = new Matrix(rows, columns);
    for (int i = 0; i < rows * columns; i++) {
      Limits.checkAt(i);
      filled.elements.set(i, value);
    }
    return filled;
  }

  /** Returns an identity matrix. */
  public static Matrix identity(int rows) {
    return identity(rows, rows);
  }

  /** Returns a matrix that is 1 where row and column are the same and 0 elsewhere. */
  static Matrix identity(int rows, int columns) {
    Matrix identity = new Matrix(rows, columns);
    for (int i = 0; i < Math.min(rows, columns); i++) {
      identity.set(i, i, Complex.ONE);
    }
    return identity;
  }

  static int rows(Literal array) {
    return size(array.arrayShape(), 2);
  }

  static int columns(Literal array) {
    return size(array.arrayShape(), 1);
  }

  /** Returns one of the last two sizes, which may be beyond int if there are no matrices. */
  private static int size(Shape.Array matrices, int fromEnd) {
    long size = matrices.size(matrices.rank() - fromEnd);
    require(
        size <= Integer.MAX_VALUE,
        "",
        "custom-call: matrices got %s, want at most %s rows and columns",
        matrices,
        Integer.MAX_VALUE);
    return (int) size;
  }

  /** Returns the number of matrices in an array. */
  public static int count(Literal array) {
    Shape.Array shape = array.arrayShape();
    return Math.toIntExact(shape.sizes().subList(0, shape.rank() - 2).product());
  }

  /** Reads the n-th matrix of an array. */
  public static Matrix read(Literal array, int n) {
    Matrix matrix = new Matrix(rows(array), columns(array));
    int size = matrix.rows * matrix.columns;
    for (int i = 0; i < size; i++) {
      Limits.checkAt(i);
      matrix.elements.load(i, array, n * size + i);
    }
    return matrix;
  }

  /** Writes this matrix as the n-th of the result. */
  public void write(LiteralBuilder result, int n, boolean complex) {
    for (int i = 0; i < rows * columns; i++) {
      Limits.checkAt(i);
      elements.store(i, result, n * rows * columns + i, complex);
    }
  }

  public int rows() {
    return rows;
  }

  public int columns() {
    return columns;
  }

  public Complex get(int row, int column) {
    return elements.get(row * columns + column);
  }

  public void set(int row, int column, Complex value) {
    elements.set(row * columns + column, value);
  }

  /**
   * Returns whether the first element of a column that is not small beside its largest element is
   * negative.
   */
  boolean isLeadingElementNegative(int column) {
    double largest = 0;
    for (int i = 0; i < rows; i++) {
      largest = Math.max(largest, get(i, column).abs());
    }
    int first = 0;
    while (first + 1 < rows && get(first, column).abs() < LEADING_THRESHOLD * largest) {
      first++;
    }
    return rows > 0 && get(first, column).re() < 0;
  }

  /** Returns the largest magnitude of a real or imaginary part of a column, from a row on. */
  double greatestPart(int column, int fromRow) {
    double greatest = 0;
    for (int i = fromRow; i < rows; i++) {
      Limits.checkAt(i);
      greatest = Math.max(greatest, elements.largestPart(index(i, column)));
    }
    return greatest;
  }

  /**
   * Returns the lengths of the columns from a row and a column on; their squares neither overflow
   * nor underflow.
   */
  double[] lengths(int fromRow, int fromColumn) {
    double[] greatest = new double[columns - fromColumn];
    double[] lengths = new double[columns - fromColumn];
    for (int i = fromRow; i < rows; i++) {
      Limits.checkCurrent();
      for (int j = 0; j < greatest.length; j++) {
        greatest[j] = Math.max(greatest[j], elements.largestPart(index(i, fromColumn + j)));
      }
    }
    for (int i = fromRow; i < rows; i++) {
      Limits.checkCurrent();
      for (int j = 0; j < lengths.length; j++) {
        lengths[j] += elements.square(index(i, fromColumn + j), Math.getExponent(greatest[j]));
      }
    }
    for (int j = 0; j < lengths.length; j++) {
      lengths[j] = Math.scalb(Math.sqrt(lengths[j]), Math.getExponent(greatest[j]));
    }
    return lengths;
  }

  /** Rotates two rows: {@code one = cosine * one + sine * other}. */
  public void rotateRows(int one, int other, double cosine, double sine) {
    for (int j = 0; j < columns; j++) {
      Limits.checkAt(j);
      elements.rotate(index(one, j), index(other, j), cosine, sine);
    }
  }

  /** Returns a copy of a row from a column on. */
  ComplexArray row(int row, int fromColumn) {
    ComplexArray copy = new ComplexArray(columns - fromColumn);
    for (int j = fromColumn; j < columns; j++) {
      copy.set(j - fromColumn, get(row, j));
    }
    return copy;
  }

  /** Returns a copy of a column from a row on. */
  ComplexArray column(int column, int fromRow) {
    ComplexArray copy = new ComplexArray(Math.max(0, rows - fromRow));
    for (int i = fromRow; i < rows; i++) {
      copy.set(i - fromRow, get(i, column));
    }
    return copy;
  }

  /** Adds a multiple of a row, from a column on, to sums. */
  void addMultipleTo(ComplexArray sums, Complex factor, int row, int fromColumn) {
    sums.addMultiple(0, factor, elements, index(row, fromColumn), columns - fromColumn);
  }

  /** Subtracts a multiple of numbers from a row, from a column on. */
  void subtractMultiple(int row, int fromColumn, Complex factor, ComplexArray v, int count) {
    elements.subtractMultiple(index(row, fromColumn), factor, v, 0, count);
  }

  /** Subtracts a multiple of another row from a row, from a column on. */
  void subtractMultipleOfRow(int row, int fromColumn, Complex factor, int other) {
    elements.subtractMultiple(
        index(row, fromColumn), factor, elements, index(other, fromColumn), columns - fromColumn);
  }

  /** Returns {@code start} plus the products of numbers and a row, from a column on. */
  Complex plusProducts(Complex start, int row, int fromColumn, ComplexArray v, int count) {
    return elements.plusProducts(start, index(row, fromColumn), v, count);
  }

  private int index(int row, int column) {
    return row * columns + column;
  }

  /** Returns columns of a matrix, in an order. */
  public Matrix withColumns(int[] order) {
    Matrix ordered = new Matrix(rows, order.length);
    for (int i = 0; i < rows; i++) {
      Limits.checkCurrent();
      for (int j = 0; j < order.length; j++) {
        ordered.set(i, j, get(i, order[j]));
      }
    }
    return ordered;
  }

  /** Negates a column. */
  public void negateColumn(int column) {
    for (int i = 0; i < rows; i++) {
      set(i, column, Complex.ZERO.minus(get(i, column)));
    }
  }

  /** Returns the product with a matrix. Its zeros add no terms, so that zeros keep their signs. */
  public Matrix times(Matrix other) {
    Matrix product = new Matrix(rows, other.columns);
    for (int i = 0; i < rows; i++) {
      for (int j = 0; j < other.columns; j++) {
        Complex sum = new Complex(-0.0, -0.0);
        for (int k = 0; k < columns; k++) {
          Limits.checkAt(k);
          Complex a = get(i, k);
          Complex b = other.get(k, j);
          boolean isReal = b.im() == 0;
          Complex term = isReal ? new Complex(a.re() * b.re(), a.im() * b.re()) : a.times(b);
          sum = b.isZero() ? sum : sum.plus(term);
        }
        product.set(i, j, sum);
      }
    }
    return product;
  }

  /** Returns a copy. */
  public Matrix copy() {
    Matrix copy = new Matrix(rows, columns);
    for (int i = 0; i < rows * columns; i++) {
      Limits.checkAt(i);
      copy.elements.set(i, elements.get(i));
    }
    return copy;
  }

  /** Returns the matrix with the order of rows and of columns reversed. */
  Matrix reversed() {
    Matrix reversed = new Matrix(rows, columns);
    for (int i = 0; i < rows * columns; i++) {
      Limits.checkAt(i);
      reversed.elements.set(rows * columns - 1 - i, elements.get(i));
    }
    return reversed;
  }

  /** Returns the matrix times a power of two. */
  Matrix scaled(int exponent) {
    Matrix scaled = new Matrix(rows, columns);
    for (int i = 0; i < rows * columns; i++) {
      Limits.checkAt(i);
      scaled.elements.set(i, elements.get(i).scaled(exponent));
    }
    return scaled;
  }

  /** Returns the transpose. */
  Matrix transposed() {
    Matrix transposed = new Matrix(/* rows= */ columns, /* columns= */ rows);
    for (int i = 0; i < rows; i++) {
      Limits.checkCurrent();
      for (int j = 0; j < columns; j++) {
        transposed.set(j, i, get(i, j));
      }
    }
    return transposed;
  }

  /** Returns the conjugate transpose. */
  public Matrix adjoint() {
    Matrix adjoint = new Matrix(/* rows= */ columns, /* columns= */ rows);
    for (int i = 0; i < rows; i++) {
      Limits.checkCurrent();
      for (int j = 0; j < columns; j++) {
        adjoint.set(j, i, get(i, j).conjugate());
      }
    }
    return adjoint;
  }

  void swapColumns(int first, int second) {
    for (int row = 0; row < rows && first != second; row++) {
      Complex kept = get(row, first);
      set(row, first, get(row, second));
      set(row, second, kept);
    }
  }

  /** Returns the largest magnitude of a real or imaginary part; NaN if any part is NaN. */
  public double greatestPart() {
    double greatest = 0;
    for (int i = 0; i < rows * columns; i++) {
      Limits.checkAt(i);
      greatest = Math.max(greatest, elements.largestPart(i));
    }
    return greatest;
  }

  void swapRows(int first, int second) {
    for (int column = 0; column < columns && first != second; column++) {
      Complex kept = get(first, column);
      set(first, column, get(second, column));
      set(second, column, kept);
    }
  }
}
