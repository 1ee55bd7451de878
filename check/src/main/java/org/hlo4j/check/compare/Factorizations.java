package org.hlo4j.check.compare;

import com.google.common.collect.ImmutableMap;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Cholesky;
import org.hlo4j.hlo.op.CustomCall;
import org.hlo4j.hlo.op.TriangularSolve;
import org.hlo4j.interpreter.engine.LapackCall;

/**
 * Factorizations and solvers are backward stable: what they compute is exact for a matrix that is
 * some roundings from the operand (Higham, Accuracy and Stability of Numerical Algorithms, theorems
 * 8.5, 9.3, 10.3 and 19.4; LAPACK Users' Guide, chapter 4). So the operand is moved, and each part
 * of the result moves by its own scale.
 */
final class Factorizations {
  private static final ImmutableMap<String, String> TARGETS =
      ImmutableMap.of(
          "Qr", "geqrf",
          "LuDecomposition", "getrf",
          "Eigh", "syevd",
          "ProductOfElementaryHouseholderReflectors", "orgqr");

  private Factorizations() {}

  /** Returns the routine of LAPACK that an instruction amounts to; empty if it does to none. */
  static String routine(HloInstruction instruction) {
    return switch (instruction.op()) {
      case Cholesky _ -> "potrf";
      case TriangularSolve _ -> "trsm";
      case CustomCall call ->
          LapackCall.routine(call.customCallTarget())
              .orElse(TARGETS.getOrDefault(call.customCallTarget(), ""));
      default -> "";
    };
  }

  /** Returns what the roundings of the operand of a routine are relative to. */
  private static Scale scale(String routine) {
    return switch (routine) {
      case "potrf" -> Scale.DIAGONAL;
      case "getrf", "geqrf", "geqp3" -> Scale.COLUMN;
      case "trsm", "gtsv", "gtsv2", "orgqr", "ungqr", "ormqr", "unmqr" -> Scale.ELEMENT;
      case "gehrd", "sytrd", "hetrd" -> Scale.MATRIX;
      default -> isDecomposition(routine) ? Scale.MATRIX : Scale.NONE;
    };
  }

  private static boolean isDecomposition(String routine) {
    return routine.matches("gesdd|gesvd[jp]?|syev[dj]|heevd|geev|gees");
  }

  /** Returns by how much the operand of a routine is moved. */
  static Optional<Allowance> ofOperand(HloInstruction instruction, int operand) {
    Scale scale = scale(routine(instruction));
    long size = size(instruction.operands().get(operand).shape());
    return scale == Scale.NONE ? Optional.empty() : Optional.of(new Backward(size + 4, scale));
  }

  /** Returns by how much the result of a routine is rounded, beside that. */
  static Optional<Allowance> of(HloInstruction instruction) {
    String routine = routine(instruction);
    if (routine.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        routine.matches("(or|un)(gqr|mqr)")
            ? new Backward(size(instruction.operands().get(0).shape()) + 4, Scale.COLUMN)
            : new Rounded(isDecomposition(routine)));
  }

  /** Returns the greater size of the matrices of a shape. */
  private static long size(Shape shape) {
    Shape.Array array = (Shape.Array) shape;
    int rank = array.rank();
    return rank == 0 ? 1 : Math.max(array.size(rank - 1), rank == 1 ? 1 : array.size(rank - 2));
  }

  /** What the roundings of an element of a matrix are relative to. */
  enum Scale {
    NONE,
    /** The element itself. */
    ELEMENT,
    /** The root of the product of the diagonal elements of its row and its column. */
    DIAGONAL,
    /** The largest element of its column. */
    COLUMN,
    /** The largest element of the matrix. */
    MATRIX
  }

  /**
   * A few roundings of each element; anything if an operand is not finite.
   *
   * @param isDecomposition whether those of vectors are relative to the greatest element of a
   *     vector, and those of values to that of the operand
   */
  record Rounded(boolean isDecomposition) implements Allowance {
    private static final int ROUNDINGS = 4;

    @Override
    public void apply(Bounds bounds, int output, List<Literal> operands) {
      if (!operands.stream().allMatch(Rounded::isFinite)) {
        bounds.setAnything();
        return;
      }
      if (isDecomposition && bounds.shape().rank() == operands.get(0).arrayShape().rank()) {
        new Backward(ROUNDINGS, Scale.COLUMN).apply(bounds, output, operands);
      }
      boolean areValues =
          isDecomposition && bounds.shape().rank() < operands.get(0).arrayShape().rank();
      Bounds operand = new Bounds(operands.get(0));
      for (int i = 0; i < bounds.size(); i++) {
        bounds.step(i, ROUNDINGS);
        if (areValues) {
          bounds.widen(i, ROUNDINGS * Bounds.unit(bounds.type()) * greatest(operand, bounds, i));
        }
        bounds.includeZeros(i);
      }
    }

    private static boolean isFinite(Literal operand) {
      return !(operand.shape() instanceof Shape.Array array)
          || array.elementType().isIntegral()
          || operand.isFinite();
    }

    /** Returns the greatest element of the matrix to which a value belongs. */
    private static double greatest(Bounds operand, Bounds values, int value) {
      long each = operand.shape().sizes().product() * operand.parts();
      int rank = operand.shape().rank();
      long matrices = operand.shape().sizes().subList(0, rank - 2).product();
      int size = (int) (each / matrices);
      int first = (int) (value * matrices / values.size()) * size;
      double greatest = 0;
      for (int i = first; i < first + size; i++) {
        greatest = Math.max(greatest, Math.abs(operand.value(i)));
      }
      return greatest;
    }

    @Override
    public String words() {
      return "a backward stable routine";
    }
  }

  /**
   * A number of roundings of a matrix.
   *
   * @param roundings how many
   * @param scale what they are relative to
   */
  record Backward(long roundings, Scale scale) implements Allowance {
    @Override
    public void apply(Bounds bounds, int output, List<Literal> operands) {
      Shape.Array shape = bounds.shape();
      int rank = shape.rank();
      int columns = rank == 0 ? 1 : (int) shape.size(rank - 1);
      int rows = rank < 2 ? 1 : (int) shape.size(rank - 2);
      double unit = roundings * Bounds.unit(bounds.type());
      for (int first = 0; first < bounds.size() / bounds.parts(); first += rows * columns) {
        double[] greatest = greatest(bounds, first, rows, columns);
        for (int i = 0; i < rows * columns * bounds.parts(); i++) {
          int element = first + i / bounds.parts();
          int row = i / bounds.parts() / columns;
          int column = i / bounds.parts() % columns;
          double size =
              switch (scale) {
                case NONE -> 0;
                case ELEMENT -> bounds.modulus(element);
                case COLUMN -> greatest[column];
                case MATRIX -> greatest[columns];
                case DIAGONAL ->
                    Math.sqrt(bounds.modulus(first + row * (columns + 1)))
                        * Math.sqrt(bounds.modulus(first + column * (columns + 1)));
              };
          bounds.widen(first * bounds.parts() + i, unit * size);
        }
      }
    }

    /** Returns the greatest moduli of the columns, and of the matrix. */
    private static double[] greatest(Bounds bounds, int first, int rows, int columns) {
      double[] greatest = new double[columns + 1];
      for (int i = 0; i < rows * columns; i++) {
        double modulus = bounds.modulus(first + i);
        greatest[i % columns] = Math.max(greatest[i % columns], modulus);
        greatest[columns] = Math.max(greatest[columns], modulus);
      }
      return greatest;
    }

    @Override
    public String words() {
      return roundings + " roundings of the " + scale.name().toLowerCase(java.util.Locale.ROOT);
    }
  }
}
