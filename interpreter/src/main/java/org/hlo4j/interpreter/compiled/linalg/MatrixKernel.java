package org.hlo4j.interpreter.compiled.linalg;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Cholesky;
import org.hlo4j.hlo.op.CustomCall;
import org.hlo4j.hlo.op.TriangularSolve;
import org.hlo4j.interpreter.compiled.arrays.Doubles;
import org.hlo4j.interpreter.engine.Kernel;
import org.hlo4j.interpreter.engine.KernelChoice;
import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.LapackCall;
import org.hlo4j.interpreter.engine.Parallel;
import org.hlo4j.interpreter.engine.Pieces;
import org.hlo4j.interpreter.engine.Workers;
import org.jspecify.annotations.Nullable;

/**
 * The kernel of ops on the matrices in the last two dimensions: Cholesky factorizations, triangular
 * solves, and the LAPACK routines that JAX calls. It computes matrix by matrix in double, and
 * rounds once.
 */
public final class MatrixKernel implements Kernel {
  /**
   * The minimum number of elements of the matrices that a thread gets at once. Fewer are not worth
   * its while.
   */
  private static final int MIN_ELEMENTS_PER_TASK = 512;

  /**
   * The number of copies of a matrix, in each form and transposed, that a routine makes at most,
   * with what it is given and gives.
   */
  private static final long COPIES = 3;

  private static final long BYTES_OF_ROW = 24;

  /**
   * A routine on one matrix. It fills the results, which are zero before, from the operands, which
   * it may overwrite.
   */
  private interface Routine {
    void run(double[][][] in, double[][][] out, Workers workers);
  }

  /** An array, of which {@code rows} rows of {@code columns} elements belong to each matrix. */
  private record Slices(Shape.Array shape, int rows, int columns) {
    double[][] zeros() {
      return RowArithmetic.zeros(rows, columns);
    }

    long bytes() {
      return rows * (BYTES_OF_ROW + (long) Double.BYTES * columns);
    }
  }

  private final String name;
  private final List<Slices> in;
  private final List<Slices> out;
  private final int matrixCount;
  private final Routine routine;

  private MatrixKernel(String name, List<Shape.Array> in, List<Shape.Array> out, Routine routine) {
    this.name = name;
    Dims sizes = in.get(0).sizes();
    boolean isEmpty = out.get(0).elementCount() == 0;
    this.matrixCount = isEmpty ? 0 : (int) sizes.subList(0, sizes.count() - 2).product();
    this.routine = routine;
    this.in = in.stream().map(shape -> slices(shape, sizes.count())).toList();
    this.out = out.stream().map(shape -> slices(shape, sizes.count())).toList();
  }

  private Slices slices(Shape.Array shape, int rank) {
    int each = (int) shape.elementCount() / Math.max(1, matrixCount);
    int columns = shape.rank() == rank ? shape.sizes().getInt(rank - 1) : each;
    return new Slices(shape, each / Math.max(1, columns), columns);
  }

  /** Returns the kernel of a Cholesky factorization of matrices of real numbers. */
  public static Kernel of(Cholesky op, Shape.Array a) {
    return new MatrixKernel(
        "cholesky",
        List.of(a),
        List.of(a),
        (from, to, workers) -> to[0] = Triangles.cholesky(from[0], op.lower()));
  }

  /** Returns the kernel of triangular solves of real numbers. */
  public static Kernel of(TriangularSolve op, Shape.Array a, Shape.Array b) {
    return new MatrixKernel(
        "triangular-solve",
        List.of(a, b),
        List.of(b),
        (from, to, workers) -> to[0] = Triangles.solve(op, from[0], from[1], workers));
  }

  /**
   * Returns the kernel of a call of LAPACK whose matrices have known sizes and elements of f32 or
   * f64. Others are left to the reference evaluator, which rejects invalid ones.
   */
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
      String name, HloInstruction call, List<Shape.Array> in, List<Shape.Array> out) {
    Shape.Array a = in.get(0);
    int rows = a.sizes().getInt(a.rank() - 2);
    int columns = a.sizes().getInt(a.rank() - 1);
    Dims least = Dims.of(Math.min(rows, columns));
    Shape.Array vector = batchedShape(a, least, a.elementType());
    Shape.Array info = batchedShape(a, Dims.of(), ElementType.S32);
    boolean isOne = in.equals(List.of(a));
    boolean isSquare = isOne && rows == columns;
    boolean fits =
        switch (name) {
          case "potrf" -> isSquare && out.equals(List.of(a, info));
          case "trsm" -> rows == columns && in.size() == 2 && isSolvable(call, a, in.get(1), out);
          case "getrf" ->
              isOne && out.equals(List.of(a, batchedShape(a, least, ElementType.S32), info));
          case "geqrf" -> isOne && out.equals(List.of(a, vector));
          case "orgqr" -> in.equals(List.of(a, vector)) && out.equals(List.of(a));
          case "syevd" -> isSquare && out.equals(List.of(a, vector, info));
          case "gesdd", "gesvd" ->
              isOne
                  && !LapackCall.isTransposed(call)
                  && LapackCall.singularValues(call, a).compatible(call.shape());
          default -> false;
        };
    return fits ? new MatrixKernel(name, in, out, routine(name, call)) : null;
  }

  private static Routine routine(String name, HloInstruction call) {
    return switch (name) {
      case "potrf" -> {
        boolean isLower = LapackCall.isLower(call);
        yield (from, to, workers) -> {
          to[1][0][0] = Triangles.potrf(from[0], isLower);
          to[0] = from[0];
        };
      }
      case "trsm" -> {
        TriangularSolve op = LapackCall.triangularSolve(call);
        yield (from, to, workers) -> to[0] = Triangles.solve(op, from[0], from[1], workers);
      }
      case "getrf" ->
          (from, to, workers) -> {
            LuDecomposition.lu(from[0], to[1][0]);
            to[0] = from[0];
            to[2][0][0] = firstZero(from[0], call);
          };
      case "geqrf" ->
          (from, to, workers) -> {
            Reflections.qr(from[0], to[1][0]);
            to[0] = from[0];
          };
      case "orgqr" ->
          (from, to, workers) -> {
            to[0] = RowArithmetic.identity(to[0].length, to[0][0].length);
            Reflections.applyAll(from[0], from[1][0], to[0]);
          };
      case "syevd" -> {
        boolean isLower = LapackCall.isLower(call);
        yield (from, to, workers) -> {
          RowArithmetic.mirror(from[0], isLower);
          double greatest = RowArithmetic.maxAbs(from[0]);
          int info = SymmetricEigen.eigh(from[0], greatest, to[0], to[1][0], workers);
          to[2][0][0] = info(call, greatest, from[0], info);
        };
      }
      default -> {
        boolean areVectorsWanted = LapackCall.vectors(call) != 'N';
        yield (from, to, workers) -> {
          double greatest = RowArithmetic.maxAbs(from[0]);
          int info =
              SingularValueDecomposition.gesdd(from[0], greatest, to, areVectorsWanted, workers);
          to[4][0][0] = info(call, greatest, from[0], info);
        };
      }
    };
  }

  private static int info(HloInstruction call, double greatest, double[][] a, int info) {
    return Double.isFinite(greatest)
        ? info
        : LapackCall.infoOfNonFinite(call, greatest, Math.min(a.length, a[0].length));
  }

  /** Returns the place, from 1, of the first pivot that is zero in the type of the result, or 0. */
  private static int firstZero(double[][] lu, HloInstruction call) {
    boolean isFloat = LapackCall.isOf(call, ElementType.F32);
    int k = 0;
    int end = Math.min(lu.length, lu[0].length);
    while (k < end && (isFloat ? (float) lu[k][k] : lu[k][k]) != 0) {
      k++;
    }
    return k < end ? k + 1 : 0;
  }

  private static boolean isSolvable(
      HloInstruction call, Shape.Array a, Shape.Array b, List<Shape.Array> out) {
    int batch = a.rank() - 2;
    return out.equals(List.of(b))
        && b.rank() == a.rank()
        && b.elementType() == a.elementType()
        && b.sizes().subList(0, batch).equals(a.sizes().subList(0, batch))
        && b.size(LapackCall.triangularSolve(call).leftSide() ? batch : batch + 1) == a.size(batch);
  }

  private static Shape.Array batchedShape(Shape.Array matrices, Dims sizes, ElementType type) {
    return Shape.of(type, matrices.sizes().subList(0, matrices.rank() - 2).concat(sizes));
  }

  @Override
  public Literal run(Literal[] operands, KernelContext context) {
    Object[] results = out.stream().map(each -> context.allocate(each.shape)).toArray();
    int elements = in.stream().mapToInt(each -> each.rows * each.columns).sum();
    int each = Math.ceilDiv(MIN_ELEMENTS_PER_TASK, Math.max(1, elements));
    long copies =
        (name.matches("syevd|gesdd|gesvd") ? 2 : 1) * COPIES; // vectors take as many again
    long bytes = copies * Stream.concat(in.stream(), out.stream()).mapToLong(Slices::bytes).sum();
    new Parallel(context, matrixCount, each)
        .reserving(bytes, () -> "the matrices of " + describe())
        .run((first, end) -> {
          double[][][] from = in.stream().map(Slices::zeros).toArray(double[][][]::new);
          for (int matrix = first; matrix < end; matrix++) {
            run(operands, from, results, matrix, context.workers());
          }
        });
    List<Literal> literals = new ArrayList<>();
    for (int i = 0; i < results.length; i++) {
      literals.add(Literal.unsafeOf(out.get(i).shape, results[i]));
    }
    return literals.size() == 1 ? literals.get(0) : Literal.tuple(literals);
  }

  private void run(
      Literal[] operands, double[][][] from, Object[] results, int matrix, Workers workers) {
    Pieces pieces = new Pieces();
    for (int i = 0; i < from.length; i++) {
      Slices slices = in.get(i);
      Object storage = operands[i].unsafeStorage();
      for (int row = 0; row < slices.rows; row++) {
        pieces.next(slices.columns);
        int at = (matrix * slices.rows + row) * slices.columns;
        Doubles.read(slices.shape.elementType(), storage, at, from[i][row], 0, slices.columns);
      }
    }
    double[][][] to = new double[results.length][][];
    for (int i = 0; i < to.length; i++) {
      to[i] = out.get(i).zeros();
    }
    routine.run(from, to, workers);
    for (int i = 0; i < to.length; i++) {
      Slices slices = out.get(i);
      for (int row = 0; row < slices.rows; row++) {
        pieces.next(slices.columns);
        int at = (matrix * slices.rows + row) * slices.columns;
        write(slices.shape.elementType(), to[i][row], results[i], at);
      }
    }
  }

  private static void write(ElementType type, double[] row, Object to, int at) {
    if (to instanceof int[] numbers) {
      for (int j = 0; j < row.length; j++) {
        numbers[at + j] = (int) row[j];
      }
    } else {
      Doubles.write(type, row, 0, to, at, row.length);
    }
  }

  @Override
  public String describe() {
    return name + " of " + matrixCount + " of " + in.get(0).shape;
  }
}
