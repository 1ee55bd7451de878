package org.hlo4j.check.compare;

import static com.google.common.collect.ImmutableMap.toImmutableMap;
import static java.util.Comparator.comparingDouble;
import static java.util.stream.Collectors.toCollection;

import com.google.common.base.Ascii;
import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.hlo4j.check.part.Tables;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Cholesky;
import org.hlo4j.hlo.op.CustomCall;
import org.hlo4j.hlo.op.TriangularSolve;
import org.hlo4j.interpreter.engine.LapackCall;
import org.hlo4j.interpreter.math.Complex;
import org.hlo4j.interpreter.reference.linalg.Matrix;

/**
 * Factorizations and solvers are backward stable: what they compute is exact for a matrix that is
 * some roundings from the operand (Higham, Accuracy and Stability of Numerical Algorithms, theorems
 * 8.5, 9.3, 10.3 and 19.4; LAPACK Users' Guide, chapter 4). So the operand is moved, and each part
 * of the result moves by its own scale.
 */
final class Factorizations {
  /** How often each element of a result is rounded. */
  private static final int ROUNDINGS = 4;

  private static final ImmutableMap<String, Routine> ROUTINES =
      Tables.rows("compare/routines.table").stream()
          .map(row -> Splitter.on('|').trimResults().splitToList(row))
          .flatMap(row ->
              Splitter.on(',')
                  .splitToStream(row.get(0))
                  .map(name -> Map.entry(name, Routine.of(row))))
          .collect(toImmutableMap(Map.Entry::getKey, Map.Entry::getValue));

  private Factorizations() {}

  /** What the roundings of an element of a matrix are relative to. */
  private enum Scale {
    /** The element itself. */
    ELEMENT,
    /** The root of the product of the diagonal elements of its row and its column. */
    DIAGONAL,
    /** The largest element of its column. */
    COLUMN,
    /** The largest element of the matrix. */
    MATRIX,
    /** The sum of the magnitudes of the products of L and U that it is the sum of. */
    FACTORS
  }

  /**
   * A routine of LAPACK.
   *
   * @param scale what the roundings of its operand are relative to
   * @param result how its result is rounded: each element, to the largest of its column, or as
   *     vectors, to the largest of each, and values, to that of the operand
   * @param isAnother whether also hlo4j's compiled evaluator has another algorithm than the
   *     reference
   * @param vectors the groups of vectors with free signs
   */
  record Routine(Scale scale, String result, boolean isAnother, ImmutableList<String> vectors) {
    private static Routine of(List<String> row) {
      return new Routine(
          Scale.valueOf(Ascii.toUpperCase(row.get(1))),
          row.get(2),
          row.get(3).equals("any"),
          ImmutableList.copyOf(Splitter.on("; ").omitEmptyStrings().split(row.get(4))));
    }

    /** Returns by how much an operand is moved. */
    Allowance ofOperand(HloInstruction operand) {
      return backward(size(operand.shape()) + 4, scale);
    }

    /** Returns by how much the result is rounded, beside that. */
    Allowance of(HloInstruction instruction) {
      return switch (result) {
        case "column" -> backward(size(instruction.operands().get(0).shape()) + 4, Scale.COLUMN);
        case "vectors" -> new Allowance("a backward stable routine", Routine::decomposed);
        default -> new Allowance("a backward stable routine", Routine::rounded);
      };
    }

    /** A few roundings of each element; anything if an operand is not finite. */
    private static void rounded(Bounds bounds, int output, List<Literal> operands) {
      boolean isFinite = operands.stream().allMatch(Routine::isFinite);
      for (int i = 0; i < bounds.size(); i++) {
        if (isFinite) {
          bounds.step(i, ROUNDINGS);
          bounds.includeZeros(i);
        } else {
          bounds.setAnything(i);
        }
      }
    }

    private static boolean isFinite(Literal operand) {
      return !(operand.shape() instanceof Shape.Array array)
          || array.elementType().isIntegral()
          || operand.isFinite();
    }

    private static void decomposed(Bounds bounds, int output, List<Literal> operands) {
      rounded(bounds, output, operands);
      Bounds operand = new Bounds(operands.get(0));
      if (bounds.shape.rank() == operand.shape.rank()) {
        backward(ROUNDINGS, Scale.COLUMN).rule().apply(bounds, output, operands);
        return;
      }
      double[] greatest = sizes(Scale.MATRIX, operand);
      for (int i = 0; i < bounds.size(); i++) {
        int matrix = (int) ((long) i * greatest.length / bounds.size()) / operand.each();
        bounds.widen(i, ROUNDINGS * bounds.unit() * greatest[matrix * operand.each()]);
      }
    }
  }

  /** Returns the routine of LAPACK that an instruction amounts to; empty if it does to none. */
  static Optional<Routine> routine(HloInstruction instruction) {
    String name =
        switch (instruction.op()) {
          case Cholesky _ -> "potrf";
          case TriangularSolve _ -> "trsm";
          case CustomCall call ->
              LapackCall.routine(call.customCallTarget()).orElse(call.customCallTarget());
          default -> "";
        };
    return Optional.ofNullable(ROUTINES.get(name));
  }

  /** Returns the greater size of the matrices of a shape. */
  private static long size(Shape shape) {
    Shape.Array array = (Shape.Array) shape;
    return array.sizes().subList(Math.max(0, array.rank() - 2), array.rank()).stream()
        .max()
        .orElse(1);
  }

  /** Returns a number of roundings of matrices, relative to a scale. */
  private static Allowance backward(long roundings, Scale scale) {
    return new Allowance(
        roundings + " roundings of the " + Ascii.toLowerCase(scale.name()),
        (bounds, output, operands) -> {
          double[] sizes = sizes(scale, bounds);
          for (int i = 0; i < bounds.size(); i++) {
            bounds.widen(i, roundings * bounds.unit() * sizes[i / bounds.parts]);
          }
        });
  }

  /** Returns what the roundings of each element of matrices are relative to. */
  private static double[] sizes(Scale scale, Bounds matrices) {
    int columns = matrices.columns();
    int each = matrices.each();
    double[] sizes =
        IntStream.range(0, matrices.size() / matrices.parts)
            .mapToDouble(matrices::modulus)
            .toArray();
    for (int first = 0; first < sizes.length && scale != Scale.ELEMENT; first += each) {
      double[] of =
          scale == Scale.FACTORS
              ? products(matrices.matrix(first / each))
              : Arrays.copyOfRange(sizes, first, first + each);
      for (int at = 0; at < each; at++) {
        int column = at % columns;
        sizes[first + at] =
            switch (scale) {
              case ELEMENT, FACTORS -> of[at];
              case DIAGONAL ->
                  Math.sqrt(of[at / columns * (columns + 1)])
                      * Math.sqrt(of[column * (columns + 1)]);
              case COLUMN -> at < columns ? greatest(of, at, columns) : sizes[first + column];
              case MATRIX -> at == 0 ? greatest(of, 0, 1) : sizes[first];
            };
      }
    }
    return sizes;
  }

  private static double greatest(double[] of, int first, int step) {
    double greatest = 0;
    for (int i = first; i < of.length; i += step) {
      greatest = Math.max(greatest, of[i]);
    }
    return greatest;
  }

  /** Returns {@code |L| |U|} of a matrix, its rows as they are in the matrix. */
  private static double[] products(Matrix a) {
    int columns = a.columns();
    double[] products = new double[a.rows() * columns];
    List<Integer> left = IntStream.range(0, a.rows()).boxed().collect(toCollection(ArrayList::new));
    for (int k = 0; k < columns && !left.isEmpty(); k++) {
      int column = k;
      Integer pivot = Collections.max(left, comparingDouble(i -> a.get(i, column).abs()));
      left.remove(pivot);
      IntStream.range(k, columns)
          .forEach(j -> products[pivot * columns + j] += a.get(pivot, j).abs());
      for (int i : a.get(pivot, k).isZero() ? List.<Integer>of() : left) {
        Complex factor = a.get(i, k).dividedBy(a.get(pivot, k));
        for (int j = k; j < columns; j++) {
          Complex product = factor.times(a.get(pivot, j));
          products[i * columns + j] += product.abs();
          a.set(i, j, a.get(i, j).minus(product));
        }
      }
    }
    return products;
  }
}
