package org.hlo4j.interpreter.linalg;

import com.google.common.collect.ImmutableList;
import java.util.Arrays;
import java.util.Random;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;

/** Matrices on which factorizations go wrong, of any size and of any float or complex type. */
final class MatrixKinds {
  /** The matrices of which nothing but the two diagonals of an upper bidiagonal one is set. */
  static final ImmutableList<String> BIDIAGONAL =
      ImmutableList.of(
          "bidiagonal", "falling bidiagonal", "rising bidiagonal", "bidiagonal of all scales");

  /** The matrices of finite numbers, by name. */
  static final ImmutableList<String> FINITE =
      ImmutableList.<String>builder()
          .add("zeros", "identity", "permutation", "orthogonal")
          .add("ones", "rank 1", "rank 2", "equal rows", "zero columns", "of one column")
          .add("random", "huge", "tiny", "subnormal", "smallest", "sparse integers")
          .add("falling rows", "rising rows", "falling columns", "rising columns", "falling both")
          .add("rising both", "all scales", "unequal parts")
          .add("Hilbert", "Vandermonde", "Toeplitz", "companion", "Kahan", "Wilkinson", "arrow")
          .add("nearly singular", "clustered", "repeated", "indefinite", "Gram")
          .add("upper triangle", "lower triangle", "tridiagonal", "tridiagonal of all scales")
          .addAll(BIDIAGONAL)
          .add("nilpotent", "Jordan")
          .build();

  /** Those of LAPACK whose eigenvectors are only as good as rows and columns are balanced. */
  static final ImmutableList<String> UNBALANCED =
      ImmutableList.of(
          "falling rows",
          "rising rows",
          "falling columns",
          "rising columns",
          "all scales",
          "tridiagonal of all scales",
          "bidiagonal of all scales",
          "falling bidiagonal",
          "rising bidiagonal");

  private final Random random;
  private final int rows;
  private final int columns;

  /** The exponent of the smallest and of the largest power of two of the type. */
  private final int least;

  private final int most;

  private MatrixKinds(String kind, ElementType type, int rows, int columns, int seed) {
    this.random = new Random(kind.hashCode() + 31L * rows + columns + 1_000_003L * seed);
    this.rows = rows;
    this.columns = columns;
    boolean isFloat = type.componentType() == ElementType.F32;
    this.least = isFloat ? -149 : -1074;
    this.most = isFloat ? 127 : 1023;
  }

  /** {@return a matrix of a kind} */
  static Literal matrix(String kind, ElementType type, int rows, int columns, int seed) {
    MatrixKinds kinds = new MatrixKinds(kind, type, rows, columns, seed);
    LiteralBuilder result = new LiteralBuilder(Shape.of(type, rows, columns));
    double[][] re = kinds.parts(kind);
    double[][] im = kinds.parts(kind);
    for (int at = 0; at < rows * columns; at++) {
      int i = at / columns;
      int j = at % columns;
      if (type.isComplex()) {
        double part = isReal(kind) ? 0 : im[i][j];
        result.setComplex(at, re[i][j], kind.equals("unequal parts") ? part * 0x1p-40 : part);
      } else {
        result.setDouble(at, re[i][j]);
      }
    }
    return result.build();
  }

  private static boolean isReal(String kind) {
    return switch (kind) {
      case "identity", "ones", "permutation", "Hilbert", "nilpotent", "Jordan", "orthogonal" ->
          true;
      case "Toeplitz", "companion", "Kahan", "Wilkinson", "repeated" -> true;
      default -> false;
    };
  }

  private double[][] parts(String kind) {
    double[] perRow = random.doubles(rows, -1, 1).toArray();
    double[] perColumn = random.doubles(columns, -1, 1).toArray();
    double[][] parts = new double[rows][columns];
    for (int i = 0; i < rows; i++) {
      for (int j = 0; j < columns; j++) {
        parts[i][j] = part(kind, i, j, perRow, perColumn);
      }
    }
    return switch (kind) {
      case "orthogonal" -> turned(parts, perRow, false);
      case "repeated" -> turned(parts, perRow, rows == columns);
      case "Gram" -> productOfColumns(parts);
      default -> parts;
    };
  }

  private double part(String kind, int i, int j, double[] perRow, double[] perColumn) {
    double gaussian = random.nextGaussian();
    int end = Math.max(rows, columns) - 1;
    return switch (kind) {
      case "zeros" -> 0;
      case "identity", "orthogonal" -> i == j ? 1 : 0;
      case "repeated" -> i == j ? i / 2 - 1 : 0;
      case "permutation" -> j == (i * 7 + 3) % Math.max(rows, columns) ? 1 : 0;
      case "ones" -> 1;
      case "equal rows" -> perColumn[j];
      case "zero columns" -> j % 3 == 1 ? 0 : gaussian;
      case "rank 1" -> perRow[i] * perColumn[j];
      case "rank 2" -> perRow[i] * perColumn[j] + (i % 3) * (j % 2);
      case "sparse integers" -> Math.rint(gaussian * 0.8);
      case "random", "Gram", "indefinite", "unequal parts" -> gaussian;
      case "huge" -> Math.scalb(gaussian, most - 20);
      case "tiny" -> Math.scalb(gaussian, least + 60);
      case "subnormal" -> Math.scalb(Math.rint(gaussian * 1000), least);
      case "smallest" -> Math.scalb(Math.rint(gaussian), least);
      case "falling rows" -> Math.scalb(gaussian, least * i / rows);
      case "rising rows" -> Math.scalb(gaussian, least * (rows - 1 - i) / rows);
      case "falling columns" -> Math.scalb(gaussian, most - 10 - most * j / columns * 2);
      case "rising columns" ->
          Math.scalb(gaussian, most - 10 - most * (columns - 1 - j) / columns * 2);
      case "falling both" -> Math.scalb(gaussian, -7 * (i + j));
      case "rising both" -> Math.scalb(gaussian, 7 * (i + j - 2 * end));
      case "all scales" -> Math.scalb(gaussian, random.nextInt(least, most - 9));
      case "Hilbert" -> 1.0 / (1 + i + j);
      case "Vandermonde" -> Math.pow(perRow[i], j);
      case "Toeplitz" -> Math.cos(2 * (i - j)) / (1 + Math.abs(i - j));
      case "companion" -> j == columns - 1 ? -(1 + i % 4) : i == j + 1 ? 1 : 0;
      case "Kahan" -> i > j ? 0 : Math.pow(Math.sin(1.2), i) * (i == j ? 1 : -Math.cos(1.2));
      case "Wilkinson" -> i == j ? Math.abs(i - end / 2.0) : Math.abs(i - j) == 1 ? 1 : 0;
      case "arrow" -> i == j || i == 0 || j == 0 ? gaussian : 0;
      case "nearly singular" -> perRow[i] * perColumn[j] + gaussian * 0x1p-30;
      case "clustered" -> (i == j ? 1 : 0) + gaussian * 0x1p-40;
      case "upper triangle" -> i <= j ? gaussian : 0;
      case "lower triangle" -> i >= j ? gaussian : 0;
      case "tridiagonal" -> Math.abs(i - j) <= 1 ? gaussian : 0;
      case "tridiagonal of all scales" ->
          Math.abs(i - j) <= 1 ? Math.scalb(gaussian, random.nextInt(least, most - 9)) : 0;
      case "bidiagonal" -> isBidiagonal(i, j) ? gaussian : 0;
      case "falling bidiagonal" -> isBidiagonal(i, j) ? Math.scalb(gaussian, step() * -i - j) : 0;
      case "rising bidiagonal" ->
          isBidiagonal(i, j) ? Math.scalb(gaussian, step() * (i - end) + j - end) : 0;
      case "bidiagonal of all scales" ->
          isBidiagonal(i, j)
              ? Math.scalb(gaussian, random.nextInt(middle(least), middle(most)))
              : 0;
      case "nilpotent" -> i == j + 1 ? 1 : 0;
      case "Jordan" -> i == j ? 3 : i + 1 == j ? 1 : 0;
      case "of one column" -> j == 0 ? gaussian : 0;
      default -> throw new IllegalArgumentException(kind);
    };
  }

  /** Returns an exponent that needs no scaling before squares are formed. */
  private static int middle(int exponent) {
    return Math.max(-380, Math.min(exponent - 9, 380));
  }

  private static boolean isBidiagonal(int i, int j) {
    return i == j || i + 1 == j;
  }

  /** The ratio of neighbours in a graded matrix, as a power of two: all that the type has. */
  private int step() {
    return Math.min(180, (most - 20) / Math.max(rows, columns));
  }

  /** Returns a matrix multiplied by a reflection from the left, and also from the right. */
  private static double[][] turned(double[][] a, double[] v, boolean isFromBothSides) {
    double squares = Arrays.stream(v).map(x -> x * x).sum();
    double[][] result = new double[a.length][];
    for (int i = 0; i < a.length; i++) {
      result[i] = a[i].clone();
      for (int j = 0; j < a[i].length; j++) {
        for (int k = 0; k < a.length; k++) {
          result[i][j] -= 2 * v[i] * v[k] / squares * a[k][j];
        }
      }
    }
    return isFromBothSides ? turned(transposed(result), v, false) : result;
  }

  private static double[][] transposed(double[][] a) {
    double[][] result = new double[a[0].length][a.length];
    for (int i = 0; i < a.length; i++) {
      for (int j = 0; j < a[i].length; j++) {
        result[j][i] = a[i][j];
      }
    }
    return result;
  }

  /** Returns the products of pairs of columns, as many as there are places for. */
  private static double[][] productOfColumns(double[][] a) {
    double[][] result = new double[a.length][a[0].length];
    for (int i = 0; i < a.length; i++) {
      for (int j = 0; j < a[0].length; j++) {
        for (double[] row : a) {
          result[i][j] += row[i % row.length] * row[j];
        }
      }
    }
    return result;
  }
}
