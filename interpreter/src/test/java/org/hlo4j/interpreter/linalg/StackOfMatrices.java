package org.hlo4j.interpreter.linalg;

import static com.google.common.truth.Truth.assertWithMessage;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.ejml.simple.SimpleMatrix;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;

/**
 * Literals as EJML's matrices, and what tests ask of them. A complex matrix is a real one of twice
 * the sizes, {@code [re -im; im re]}: products, adjoints and norms (but for sqrt(2)) are those of
 * the real one.
 */
public final class StackOfMatrices {
  private StackOfMatrices() {}

  /** Each matrix of {@code [..., m, n]}. */
  public static List<SimpleMatrix> of(Literal literal) {
    Shape.Array shape = literal.arrayShape();
    int rank = shape.rank();
    int rows = (int) shape.size(rank - 2);
    int columns = (int) shape.size(rank - 1);
    int count = (int) shape.sizes().subList(0, rank - 2).product();
    List<SimpleMatrix> matrices = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      matrices.add(matrix(literal, i * rows * columns, rows, columns));
    }
    return matrices;
  }

  private static SimpleMatrix matrix(Literal literal, int from, int rows, int columns) {
    int parts = literal.elementType().isComplex() ? 2 : 1;
    SimpleMatrix matrix = new SimpleMatrix(rows * parts, columns * parts);
    for (int i = 0; i < rows; i++) {
      for (int j = 0; j < columns; j++) {
        int at = from + i * columns + j;
        if (parts == 1) {
          matrix.set(i, j, literal.doubleAt(at));
        } else {
          matrix.set(i, j, literal.realAt(at));
          matrix.set(i + rows, j + columns, literal.realAt(at));
          matrix.set(i, j + columns, -literal.imaginaryAt(at));
          matrix.set(i + rows, j, literal.imaginaryAt(at));
        }
      }
    }
    return matrix;
  }

  /** Each vector of {@code [..., n]}, real, as a diagonal matrix of these sizes, or its double. */
  public static List<SimpleMatrix> diagonals(
      Literal literal, int rows, int columns, boolean twice) {
    List<SimpleMatrix> matrices = new ArrayList<>();
    for (double[] vector : vectors(literal)) {
      SimpleMatrix matrix =
          new SimpleMatrix(twice ? 2 * rows : rows, twice ? 2 * columns : columns);
      for (int i = 0; i < vector.length; i++) {
        matrix.set(i, i, vector[i]);
        if (twice) {
          matrix.set(i + rows, i + columns, vector[i]);
        }
      }
      matrices.add(matrix);
    }
    return matrices;
  }

  /** Each vector of {@code [..., n]}, real. */
  public static List<double[]> vectors(Literal literal) {
    Dims sizes = literal.arrayShape().sizes();
    int n = (int) sizes.get(sizes.count() - 1);
    int count = (int) sizes.subList(0, sizes.count() - 1).product();
    List<double[]> vectors = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      double[] vector = new double[n];
      for (int j = 0; j < n; j++) {
        vector[j] = literal.doubleAt(i * n + j);
      }
      vectors.add(vector);
    }
    return vectors;
  }

  /** The distance from 1 to the next number. */
  public static double epsilon(ElementType type) {
    return Math.scalb(1.0, -type.componentType().mantissaBits());
  }

  /** That the difference is within some roundings of the largest thing in play. */
  public static void assertNear(
      String what, SimpleMatrix got, SimpleMatrix want, double size, ElementType type) {
    double bound = 4 * epsilon(type) * Math.max(1, got.getNumRows() + got.getNumCols()) * size;
    double error = got.getNumElements() == 0 ? 0 : got.minus(want).normF();
    assertWithMessage("%s: error %s, bound %s", what, error, bound).that(error <= bound).isTrue();
  }

  /** That the columns are orthonormal. */
  public static void assertOrthonormal(String what, SimpleMatrix q, ElementType type) {
    int n = q.getNumCols();
    SimpleMatrix identity = SimpleMatrix.identity(n);
    SimpleMatrix product = n == 0 ? identity : q.transpose().mult(q);
    assertNear(what, product, identity, Math.sqrt(n), type);
  }

  /** Matrices by a row such as {@code f64[2,5,3] random}. */
  public static Literal matrices(String row) {
    String text = row.substring(row.indexOf('[') + 1, row.indexOf(']'));
    long[] sizes = List.of(text.split(",")).stream().mapToLong(Long::parseLong).toArray();
    ElementType type = ElementType.named(row.substring(0, row.indexOf('['))).orElseThrow();
    return filled(Shape.of(type, sizes), row.substring(row.indexOf(' ') + 1));
  }

  private static Literal filled(Shape.Array shape, String kind) {
    LiteralBuilder builder = new LiteralBuilder(shape);
    Random random = new Random(kind.hashCode());
    long columns = shape.size(shape.rank() - 1);
    long rows = shape.size(shape.rank() - 2);
    for (int at = 0; at < shape.elementCount(); at++) {
      int i = (int) (at / columns % rows);
      int j = (int) (at % columns);
      double imaginary = shape.elementType().isComplex() ? random.nextGaussian() : 0;
      double real = random.nextGaussian();
      double factor =
          switch (kind) {
            case "random" -> 1;
            case "zeros" -> 0;
            case "huge" -> shape.elementType().componentType() == ElementType.F32 ? 1e30 : 1e250;
            case "tiny" -> shape.elementType().componentType() == ElementType.F32 ? 1e-30 : 1e-250;
            case "graded" -> Math.pow(10, -i - j);
            default -> Double.NaN;
          };
      double value =
          switch (kind) {
            case "identity" -> i == j ? 1 : 0;
            case "ones" -> 1;
            case "hilbert" -> 1.0 / (1 + i + j);
            case "rank 2" -> (i + 1) * (j - 2) + (i % 3) * (j % 2);
            case "repeated" -> i == j ? 3 : 1;
            case "diagonal" -> i == j ? (5 - i) * (i % 2 == 0 ? 1 : -1) : 0;
            case "zero column" -> j == 1 ? 0 : i * i - 2 * j + 1;
            default -> real * factor;
          };
      if (shape.elementType().isComplex()) {
        builder.setComplex(at, value, Double.isNaN(factor) ? 0 : imaginary * factor);
      } else {
        builder.setDouble(at, value);
      }
    }
    return builder.build();
  }
}
