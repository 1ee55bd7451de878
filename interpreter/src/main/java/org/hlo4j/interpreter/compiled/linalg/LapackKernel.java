package org.hlo4j.interpreter.compiled.linalg;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.CustomCall;
import org.hlo4j.hlo.op.TriangularSolve;
import org.hlo4j.interpreter.compiled.arrays.Doubles;
import org.hlo4j.interpreter.engine.Kernel;
import org.hlo4j.interpreter.engine.KernelChoice;
import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.LapackCall;
import org.jspecify.annotations.Nullable;

/**
 * The kernel of the LAPACK routines that JAX calls, of f32 and f64. It computes matrix by matrix in
 * double. Other types and shapes are left to the reference evaluator, which rejects invalid ones.
 */
public final class LapackKernel implements Kernel {
  /**
   * A routine on one matrix. It fills the results, which are zero before, from the operands, which
   * it may overwrite.
   */
  private interface Routine {
    void run(double[][][] in, double[][][] out, KernelContext context);
  }

  private final String name;
  private final List<Shape.Array> in;
  private final List<Shape.Array> out;
  private final int matrixCount;
  private final Routine routine;

  private LapackKernel(String name, List<Shape.Array> in, List<Shape.Array> out, Routine routine) {
    this.name = name;
    this.in = in;
    this.out = out;
    Dims sizes = in.get(0).sizes();
    this.matrixCount = (int) sizes.subList(0, sizes.count() - 2).product();
    this.routine = routine;
  }

  /** Returns the kernel of a call whose matrices have known sizes. */
  public static KernelChoice of(
      CustomCall op, HloInstruction call, List<Shape.Array> in, List<Shape.Array> out) {
    Optional<String> routine = LapackCall.routine(op.customCallTarget());
    if (routine.isEmpty()) {
      return KernelChoice.decline("no kernel for " + op.customCallTarget());
    }
    boolean isEmpty = Stream.concat(in.stream(), out.stream()).anyMatch(s -> s.elementCount() == 0);
    boolean isOfMatrices =
        !in.isEmpty()
            && !isEmpty
            && LapackCall.areOfColumns(call)
            && in.get(0).rank() >= 2
            && (in.get(0).elementType() == ElementType.F32
                || in.get(0).elementType() == ElementType.F64);
    return KernelChoice.of(
        isOfMatrices ? Optional.ofNullable(kernel(routine.get(), call, in, out)) : Optional.empty(),
        "no real matrices as " + op.customCallTarget() + " takes them");
  }

  private static @Nullable Kernel kernel(
      String routine, HloInstruction call, List<Shape.Array> in, List<Shape.Array> out) {
    Shape.Array a = in.get(0);
    int rows = a.sizes().getInt(a.rank() - 2);
    int columns = a.sizes().getInt(a.rank() - 1);
    Dims least = Dims.of(Math.min(rows, columns));
    Shape.Array vector = batchedShape(a, least, a.elementType());
    Shape.Array pivots = batchedShape(a, least, ElementType.S32);
    Shape.Array info = batchedShape(a, Dims.of(), ElementType.S32);
    boolean isOne = in.equals(List.of(a));
    boolean isSquare = isOne && rows == columns;
    return switch (routine) {
      case "potrf" ->
          isSquare && out.equals(List.of(a, info)) ? new PotrfKernel(isLower(call), a, info) : null;
      case "trsm" ->
          rows == columns && in.size() == 2
              ? triangularSolve(LapackCall.triangularSolve(call), a, in.get(1), out)
              : null;
      case "getrf" ->
          kernel(routine, in, out, isOne && out.equals(List.of(a, pivots, info)), LapackKernel::lu);
      case "geqrf" ->
          kernel(routine, in, out, isOne && out.equals(List.of(a, vector)), LapackKernel::qr);
      case "orgqr" ->
          kernel(
              routine,
              in,
              out,
              in.equals(List.of(a, vector)) && out.equals(List.of(a)),
              LapackKernel::reflectorProduct);
      case "syevd" ->
          kernel(
              routine,
              in,
              out,
              isSquare && out.equals(List.of(a, vector, info)),
              (from, to, context) -> {
                QrFactorization.mirror(from[0], isLower(call));
                SymmetricEigen.eigh(
                    from[0], to[0], to[1][0], context.workers(), context::checkLimits);
              });
      case "gesdd", "gesvd" ->
          kernel(
              routine,
              in,
              out,
              isOne
                  && !LapackCall.isTransposed(call)
                  && LapackCall.singularValues(call, a).compatible(call.shape()),
              (from, to, context) ->
                  SingularValueDecomposition.gesdd(
                      from[0], to, LapackCall.vectors(call) != 'N', context));
      default -> null;
    };
  }

  private static boolean isLower(HloInstruction call) {
    return LapackCall.isLower(call);
  }

  private static @Nullable Kernel kernel(
      String name, List<Shape.Array> in, List<Shape.Array> out, boolean fits, Routine routine) {
    return fits ? new LapackKernel(name, in, out, routine) : null;
  }

  private static void lu(double[][][] from, double[][][] to, KernelContext context) {
    LuDecomposition.lu(from[0], to[1][0], context::checkLimits);
    to[0] = from[0];
  }

  private static void qr(double[][][] from, double[][][] to, KernelContext context) {
    QrFactorization.qr(from[0], to[1][0], context::checkLimits);
    to[0] = from[0];
  }

  private static void reflectorProduct(double[][][] from, double[][][] to, KernelContext context) {
    QrFactorization.reflectorProduct(from[0], from[1][0], to[0], context::checkLimits);
  }

  private static @Nullable Kernel triangularSolve(
      TriangularSolve op, Shape.Array a, Shape.Array b, List<Shape.Array> out) {
    int batch = a.rank() - 2;
    boolean fits =
        out.equals(List.of(b))
            && b.rank() == a.rank()
            && b.elementType() == a.elementType()
            && b.sizes().subList(0, batch).equals(a.sizes().subList(0, batch))
            && b.size(op.leftSide() ? batch : batch + 1) == a.size(batch);
    return fits ? new TriangularSolveKernel(op, a, b) : null;
  }

  private static Shape.Array batchedShape(Shape.Array matrices, Dims sizes, ElementType type) {
    return Shape.of(type, matrices.sizes().subList(0, matrices.rank() - 2).concat(sizes));
  }

  @Override
  public Literal run(Literal[] operands, KernelContext context) {
    Object[] results = out.stream().map(context::allocate).toArray();
    Runnable check = context::checkLimits;
    int elements = (int) (in.get(0).elementCount() / matrixCount);
    MatrixBatch.run(
        context,
        matrixCount,
        elements,
        (first, end) -> {
          double[][][] from = in.stream().map(each -> rows(each, check)).toArray(double[][][]::new);
          double[][][] to = out.stream().map(each -> rows(each, check)).toArray(double[][][]::new);
          for (int matrix = first; matrix < end; matrix++) {
            for (int i = 0; i < to.length && matrix > first; i++) {
              for (double[] row : to[i]) {
                Arrays.fill(row, 0);
              }
            }
            for (int i = 0; i < from.length; i++) {
              read(in.get(i), operands[i].unsafeStorage(), matrix, from[i], check);
            }
            routine.run(from, to, context);
            for (int i = 0; i < to.length; i++) {
              write(out.get(i).elementType(), to[i], results[i], matrix, check);
            }
          }
        });
    List<Literal> literals = new ArrayList<>();
    for (int i = 0; i < results.length; i++) {
      literals.add(Literal.unsafeOf(out.get(i), results[i]));
    }
    return literals.size() == 1 ? literals.get(0) : Literal.tuple(literals);
  }

  /** Returns rows of zeros for the part of an array that belongs to one matrix. */
  private double[][] rows(Shape.Array array, Runnable check) {
    int each = (int) (array.elementCount() / matrixCount);
    boolean isMatrix = array.rank() == in.get(0).rank();
    int columns = isMatrix ? array.sizes().getInt(array.rank() - 1) : each;
    return RowArithmetic.zeros(each / columns, columns, check);
  }

  private static void read(
      Shape.Array array, Object from, int matrix, double[][] rows, Runnable check) {
    int columns = rows[0].length;
    int at = matrix * rows.length * columns;
    for (int i = 0; i < rows.length; i++) {
      RowArithmetic.checkAt(i, check);
      double[] row = rows[i];
      if (from instanceof float[] floats) {
        for (int j = 0; j < columns; j++) {
          row[j] = floats[at + j];
        }
      } else {
        Doubles.read(array.elementType(), from, at, 1, row, 0, columns);
      }
      at += columns;
    }
  }

  private static void write(
      ElementType type, double[][] rows, Object to, int matrix, Runnable check) {
    int columns = rows[0].length;
    int at = matrix * rows.length * columns;
    for (int i = 0; i < rows.length; i++) {
      RowArithmetic.checkAt(i, check);
      double[] row = rows[i];
      if (to instanceof int[] numbers) {
        for (int j = 0; j < columns; j++) {
          numbers[at + j] = (int) row[j];
        }
      } else if (to instanceof float[] floats) {
        for (int j = 0; j < columns; j++) {
          floats[at + j] = (float) row[j];
        }
      } else {
        Doubles.write(type, row, 0, to, at, columns);
      }
      at += columns;
    }
  }

  @Override
  public String describe() {
    return name + " of " + matrixCount + " of " + in.get(0);
  }
}
