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
import java.util.function.IntToDoubleFunction;
import java.util.function.IntUnaryOperator;
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
    private static void rounded(Bounds bounds) {
      boolean isFinite = bounds.operands.stream().allMatch(Routine::isFinite);
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

    private static void decomposed(Bounds bounds) {
      rounded(bounds);
      Bounds operand = new Bounds(bounds.operands.get(0));
      boolean isMatrix = bounds.shape.rank() == operand.shape.rank();
      double[] sizes = isMatrix ? sizes(Scale.COLUMN, bounds) : sizes(Scale.MATRIX, operand);
      widen(bounds, ROUNDINGS, sizes);
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
        bounds -> widen(bounds, roundings, sizes(scale, bounds)));
  }

  /** Allows roundings of sizes, of which each is that of as many components as the others. */
  private static void widen(Bounds bounds, long roundings, double[] sizes) {
    for (int i = 0; i < bounds.size(); i++) {
      double size = sizes[(int) ((long) i * sizes.length / bounds.size())];
      bounds.widen(i, roundings * bounds.unit() * size);
    }
  }

  /** Returns the sizes of the elements of matrices in a scale. */
  private static double[] sizes(Scale scale, Bounds matrices) {
    int columns = matrices.columns();
    int each = matrices.each();
    int count = matrices.size() / matrices.parts;
    IntToDoubleFunction root = i -> Math.sqrt(matrices.modulus(i));
    IntStream elements = IntStream.range(0, count);
    return switch (scale) {
      case ELEMENT -> elements.mapToDouble(matrices::modulus).toArray();
      case DIAGONAL ->
          elements
              .mapToDouble(i -> {
                int first = i / each * each;
                double row = root.applyAsDouble(first + i % each / columns * (columns + 1));
                return row * root.applyAsDouble(first + i % columns * (columns + 1));
              })
              .toArray();
      case COLUMN -> greatest(matrices, count, i -> i / each * columns + i % columns);
      case MATRIX -> greatest(matrices, count, i -> i / each);
      case FACTORS ->
          IntStream.range(0, count / Math.max(1, each))
              .mapToObj(n -> products(matrices.matrix(n)))
              .flatMapToDouble(Arrays::stream)
              .toArray();
    };
  }

  /** Returns the greatest size in the group of each element. */
  private static double[] greatest(Bounds of, int count, IntUnaryOperator group) {
    double[] greatest = new double[count];
    for (int i = 0; i < count; i++) {
      int at = group.applyAsInt(i);
      greatest[at] = Math.max(greatest[at], of.modulus(i));
    }
    return IntStream.range(0, count).map(group).mapToDouble(at -> greatest[at]).toArray();
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
