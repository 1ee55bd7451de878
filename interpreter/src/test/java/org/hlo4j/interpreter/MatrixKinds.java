package org.hlo4j.interpreter;

import com.google.common.collect.ImmutableList;
import java.util.Random;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;

/** Matrices on which factorizations go wrong, of any size and of any float or complex type. */
final class MatrixKinds {
  /** The matrices of finite numbers, by name. */
  static final ImmutableList<String> FINITE =
      ImmutableList.of(
          "zeros",
          "identity",
          "permutation",
          "ones",
          "equal rows",
          "zero columns",
          "rank 2",
          "sparse integers",
          "random",
          "huge",
          "tiny",
          "subnormal",
          "smallest",
          "graded rows",
          "graded columns",
          "graded both",
          "all scales",
          "Hilbert",
          "nearly singular",
          "upper triangle",
          "bidiagonal",
          "nilpotent",
          "clustered",
          "of one column");

  private final Random random;
  private final int rows;
  private final int columns;

  /** The exponent of the smallest and of the largest power of two of the type. */
  private final int least;

  private final int most;

  private MatrixKinds(String kind, ElementType type, int rows, int columns) {
    this.random = new Random(kind.hashCode() + 31L * rows + columns);
    this.rows = rows;
    this.columns = columns;
    boolean isFloat = type.componentType() == ElementType.F32;
    this.least = isFloat ? -149 : -1074;
    this.most = isFloat ? 127 : 1023;
  }

  /** {@return a matrix of a kind} */
  static Literal matrix(String kind, ElementType type, int rows, int columns) {
    MatrixKinds kinds = new MatrixKinds(kind, type, rows, columns);
    LiteralBuilder result = new LiteralBuilder(Shape.of(type, rows, columns));
    double[][] re = kinds.parts(kind);
    double[][] im = kinds.parts(kind);
    for (int at = 0; at < rows * columns; at++) {
      int i = at / columns;
      int j = at % columns;
      if (type.isComplex()) {
        result.setComplex(at, re[i][j], isReal(kind) ? 0 : im[i][j]);
      } else {
        result.setDouble(at, re[i][j]);
      }
    }
    return result.build();
  }

  private static boolean isReal(String kind) {
    return switch (kind) {
      case "identity", "ones", "permutation", "Hilbert", "nilpotent" -> true;
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
    return parts;
  }

  private double part(String kind, int i, int j, double[] perRow, double[] perColumn) {
    double gaussian = random.nextGaussian();
    return switch (kind) {
      case "zeros" -> 0;
      case "identity" -> i == j ? 1 : 0;
      case "permutation" -> j == (i * 7 + 3) % Math.max(rows, columns) ? 1 : 0;
      case "ones" -> 1;
      case "equal rows" -> perColumn[j];
      case "zero columns" -> j % 3 == 1 ? 0 : gaussian;
      case "rank 2" -> perRow[i] * perColumn[j] + (i % 3) * (j % 2);
      case "sparse integers" -> Math.rint(gaussian * 0.8);
      case "random" -> gaussian;
      case "huge" -> Math.scalb(gaussian, most - 20);
      case "tiny" -> Math.scalb(gaussian, least + 60);
      case "subnormal" -> Math.scalb(Math.rint(gaussian * 1000), least);
      case "smallest" -> Math.scalb(Math.rint(gaussian), least);
      case "graded rows" -> Math.scalb(gaussian, least * i / rows);
      case "graded columns" -> Math.scalb(gaussian, (most - 10) - most * j / columns * 2);
      case "graded both" -> Math.scalb(gaussian, -7 * (i + j));
      case "all scales" -> Math.scalb(gaussian, random.nextInt(least, most - 9));
      case "Hilbert" -> 1.0 / (1 + i + j);
      case "nearly singular" -> perRow[i] * perColumn[j] + gaussian * 0x1p-30;
      case "upper triangle" -> i <= j ? gaussian : 0;
      case "bidiagonal" -> i == j || i + 1 == j ? gaussian : 0;
      case "nilpotent" -> i == j + 1 ? 1 : 0;
      case "clustered" -> (i == j ? 1 : 0) + gaussian * 0x1p-40;
      case "of one column" -> j == 0 ? gaussian : 0;
      default -> throw new IllegalArgumentException(kind);
    };
  }
}
