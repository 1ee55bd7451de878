package org.hlo4j.interpreter.reference.linalg;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableMap;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.CustomCall;
import org.hlo4j.interpreter.engine.Execution;
import org.hlo4j.interpreter.engine.LapackCall;
import org.hlo4j.interpreter.engine.Limits;
import org.hlo4j.interpreter.engine.StandardTarget;
import org.hlo4j.interpreter.math.Threefry;

/**
 * The routines that JAX's lowerings for GPUs call and that have a counterpart on the CPU: those of
 * cuSOLVER, cuSPARSE and their counterparts in ROCm, and JAX's own kernels. They take the names of
 * the libraries and booleans where LAPACK takes letters.
 */
public final class GpuTargets {
  private GpuTargets() {}

  /** Returns the routines by their targets. */
  public static ImmutableMap<String, StandardTarget> targets() {
    ImmutableMap.Builder<String, StandardTarget> targets = ImmutableMap.builder();
    for (String prefix : List.of("cu", "hip")) {
      targets
          .put(solver(prefix, "potrf"), Lapack.ofColumns(Lapack::cholesky))
          .put(solver(prefix, "getrf"), Lapack.ofColumns(Lapack::lu))
          .put(solver(prefix, "geqrf"), Lapack.ofColumns(Factorizations::qr))
          .put(solver(prefix, "orgqr"), Lapack.ofColumns(Reflectors::product))
          .put(solver(prefix, "ormqr"), Lapack.ofColumns(Reflectors::multiply))
          .put(solver(prefix, "syevd"), Lapack.ofColumns(Lapack::eigh))
          .put(solver(prefix, "sytrd"), Lapack.ofColumns(Hessenberg::tridiagonal))
          .put(solver(prefix, "gesvd"), GpuTargets::gesvd)
          .put(solver(prefix, "gesdd"), GpuTargets::gesvd)
          .put(solver(prefix, "gesvdj"), Lapack.ofColumns(GpuTargets::gesvdj))
          .put(solver(prefix, "gesvdp"), Lapack.ofColumns(GpuTargets::gesvdj))
          .put(solver(prefix, "geev"), Lapack.ofColumns(GeneralEigen::packedGeev))
          .put(solver(prefix, "syrk"), GpuTargets::syrk)
          .put(prefix + "hybrid_eig_real", Lapack.ofColumns(GeneralEigen::geev))
          .put(prefix + "hybrid_eig_comp", Lapack.ofColumns(GeneralEigen::geev))
          .put(prefix + "hybrid_geqp3", Lapack.ofColumns(Factorizations::pivotedQr))
          .put(prefix + "sparse_gtsv2_ffi", Lapack.ofColumns(Tridiagonals::gtsv2))
          .put(prefix + "_lu_pivots_to_permutation", GpuTargets::permutation)
          .put(prefix + "_threefry2x32_ffi", GpuTargets::threefry);
    }
    return targets.buildOrThrow();
  }

  private static String solver(String prefix, String routine) {
    return prefix + "solver_" + routine + "_ffi";
  }

  /**
   * gesvd and gesdd: the matrices, the values, u, v*, and the info. Of matrices stored row by row
   * the library computes the transposed ones, so that v* stands before u. Without vectors u and v*
   * are scalars.
   */
  private static Literal gesvd(HloInstruction call, List<Literal> in, Execution execution) {
    boolean isTransposed = LapackCall.isTransposed(call);
    require(
        isTransposed ? LapackCall.areOfRows(call) : LapackCall.areOfColumns(call),
        "",
        "custom-call: %s: %s with transposed = %s got matrices stored the other way, want %s",
        call.name(),
        ((CustomCall) call.op()).customCallTarget(),
        isTransposed,
        isTransposed ? "row by row" : "column by column");
    boolean areVectorsWanted = LapackCall.vectors(call) != 'N';
    boolean isFull = LapackCall.isSet(call, "full_matrices");
    Factorizations.requireShapes(
        call, in, 1, a -> shape(a, isFull, areVectorsWanted, isTransposed));
    List<Literal> parts =
        new ArrayList<>(
            SingularValues.decompose(call, in.get(0), areVectorsWanted, isFull, execution)
                .elements());
    if (!areVectorsWanted) {
      Literal none = Literal.zeros(Shape.of(in.get(0).elementType()));
      parts.set(2, none);
      parts.set(3, none);
    }
    return Literal.tuple(inOrder(parts, isTransposed));
  }

  private static Shape shape(
      Shape.Array a, boolean isFull, boolean areVectorsWanted, boolean isTransposed) {
    List<Shape> parts =
        new ArrayList<>(((Shape.Tuple) LapackCall.singularValues(a, isFull)).elements());
    if (!areVectorsWanted) {
      parts.set(2, Shape.of(a.elementType()));
      parts.set(3, Shape.of(a.elementType()));
    }
    return Shape.tuple(inOrder(parts, isTransposed).toArray(Shape[]::new));
  }

  private static <T> List<T> inOrder(List<T> parts, boolean isTransposed) {
    return isTransposed
        ? List.of(parts.get(0), parts.get(1), parts.get(3), parts.get(2), parts.get(4))
        : parts;
  }

  /** gesvdj and gesvdp: the matrices, the values, u, v (not its adjoint), and the info. */
  private static Literal gesvdj(HloInstruction call, List<Literal> in, Execution execution) {
    boolean isFull = LapackCall.isSet(call, "full_matrices");
    Factorizations.requireShapes(call, in, 1, a -> withV(a, isFull));
    Literal found =
        SingularValues.decompose(
            call, in.get(0), LapackCall.vectors(call) != 'N', isFull, execution);
    Shape.Array shape = in.get(0).arrayShape();
    Literal adjoint = found.element(3);
    LiteralBuilder v =
        new LiteralBuilder((Shape.Array) ((Shape.Tuple) withV(shape, isFull)).elements().get(3));
    for (int n = 0; n < Matrix.count(adjoint); n++) {
      Matrix.read(adjoint, n).adjoint().write(v, n, shape.elementType().isComplex());
    }
    return Literal.tuple(
        found.element(0), found.element(1), found.element(2), v.build(), found.element(4));
  }

  private static Shape withV(Shape.Array a, boolean isFull) {
    List<Shape> parts =
        new ArrayList<>(((Shape.Tuple) LapackCall.singularValues(a, isFull)).elements());
    Shape.Array adjoint = (Shape.Array) parts.get(3);
    int rank = adjoint.rank();
    parts.set(3, Factorizations.matrices(adjoint, adjoint.size(rank - 1), adjoint.size(rank - 2)));
    return Shape.tuple(parts.toArray(Shape[]::new));
  }

  /**
   * syrk: {@code alpha a aT + beta c} in the lower triangle, and c above it. If transpose is set, a
   * is transposed. Matrices are stored row by row.
   */
  private static Literal syrk(HloInstruction call, List<Literal> in, Execution execution) {
    boolean isTransposed = LapackCall.isSet(call, "transpose");
    Factorizations.requireShapes(call, in, 4, a -> symmetric(a, isTransposed));
    Shape.Array c = symmetric(in.get(0).arrayShape(), isTransposed);
    requireSyrk(call, in, c);
    LiteralBuilder result = new LiteralBuilder(c);
    for (int i = 0; i < c.elementCount(); i++) {
      Limits.checkAt(i);
      result.copy(i, in.get(1), i);
    }
    for (int n = 0; n < Matrix.count(in.get(1)); n++) {
      Matrix a = Matrix.read(in.get(0), n);
      updateLower(isTransposed ? a.adjoint() : a, in, n, result, execution);
    }
    return result.build();
  }

  private static void requireSyrk(HloInstruction call, List<Literal> in, Shape.Array c) {
    Shape scalar = Shape.of(c.elementType());
    require(
        c.elementType().isFloating()
            && in.get(1).shape().compatible(c)
            && in.get(2).shape().compatible(scalar)
            && in.get(3).shape().compatible(scalar)
            && LapackCall.areOfRows(call),
        "",
        "custom-call: %s: got %s, want matrices a of floats, c as the result %s, and numbers alpha"
            + " and beta, all stored row by row",
        call.name(),
        in.stream().map(Literal::shape).toList(),
        c);
  }

  private static void updateLower(
      Matrix a, List<Literal> in, int n, LiteralBuilder result, Execution execution) {
    for (int i = 0; i < a.rows(); i++) {
      execution.checkLimits();
      for (int j = 0; j <= i; j++) {
        int at = (n * a.rows() + i) * a.rows() + j;
        result.setDouble(at, updated(product(a, i, j), in, at));
      }
    }
  }

  private static Shape.Array symmetric(Shape.Array a, boolean isTransposed) {
    long size = a.size(a.rank() - (isTransposed ? 1 : 2));
    return Factorizations.matrices(a, size, size);
  }

  private static double product(Matrix rows, int i, int j) {
    double sum = 0;
    for (int k = 0; k < rows.columns(); k++) {
      Limits.checkAt(k);
      sum += rows.get(i, k).re() * rows.get(j, k).re();
    }
    return sum;
  }

  /** As in BLAS, c is not read if beta is 0. */
  private static double updated(double product, List<Literal> in, int at) {
    double beta = in.get(3).doubleAt(0);
    return in.get(2).doubleAt(0) * product + (beta == 0 ? 0 : beta * in.get(1).doubleAt(at));
  }

  /**
   * lu_pivots_to_permutation: the order of rows after row i was swapped with row pivots[i], for
   * each i in turn. Pivots count from 0; those outside of the order swap nothing.
   */
  private static Literal permutation(HloInstruction call, List<Literal> in, Execution execution) {
    require(
        in.size() == 1
            && in.get(0).shape() instanceof Shape.Array pivots
            && pivots.elementType() == ElementType.S32
            && pivots.rank() > 0
            && call.shape() instanceof Shape.Array order
            && order.rank() == pivots.rank()
            && order.size(order.rank() - 1) >= pivots.size(pivots.rank() - 1),
        "",
        "custom-call: %s: got %s for %s, want s32[...,k] for s32[...,n], where n is at least k",
        call.name(),
        in.stream().map(Literal::shape).toList(),
        call.shape());
    Shape.Array pivots = in.get(0).arrayShape();
    int last = pivots.rank() - 1;
    int size = ((Shape.Array) call.shape()).sizes().getInt(last);
    Shape.Array shape = pivots.withSizes(pivots.sizes().with(last, size));
    StandardTarget.requireResult(call, shape);
    LiteralBuilder result = new LiteralBuilder(shape);
    int count = pivots.sizes().getInt(last);
    for (int n = 0; (long) n * size < shape.elementCount(); n++) {
      int[] order = swapped(in.get(0), n * count, count, size);
      for (int i = 0; i < size; i++) {
        result.setLong(n * size + i, order[i]);
      }
      execution.checkLimits();
    }
    return result.build();
  }

  private static int[] swapped(Literal pivots, int first, int count, int size) {
    int[] order = IntStream.range(0, size).toArray();
    for (int i = 0; i < count; i++) {
      long pivot = pivots.longAt(first + i);
      if (pivot >= 0 && pivot < size) {
        int kept = order[i];
        order[i] = order[(int) pivot];
        order[(int) pivot] = kept;
      }
    }
    return order;
  }

  /** threefry2x32: the two words of bits for each key (k1, k2) and counter (x1, x2). */
  private static Literal threefry(HloInstruction call, List<Literal> in, Execution execution) {
    require(
        in.size() == 4
            && in.get(0).shape() instanceof Shape.Array words
            && words.elementType() == ElementType.U32
            && in.stream().allMatch(each -> each.shape().compatible(words)),
        "",
        "custom-call: %s: got %s, want 4 operands of u32 and one shape",
        call.name(),
        in.stream().map(Literal::shape).toList());
    Shape.Array shape = in.get(0).arrayShape();
    StandardTarget.requireResult(call, Shape.tuple(shape, shape));
    LiteralBuilder first = new LiteralBuilder(shape);
    LiteralBuilder second = new LiteralBuilder(shape);
    for (int i = 0; i < shape.elementCount(); i++) {
      int[] words = Threefry.words(pair(in.get(2), in.get(3), i), pair(in.get(0), in.get(1), i));
      first.setLong(i, words[0]);
      second.setLong(i, words[1]);
      Limits.checkAt(i);
    }
    return Literal.tuple(first.build(), second.build());
  }

  private static long pair(Literal low, Literal high, int i) {
    return low.longAt(i) | high.longAt(i) << 32;
  }
}
