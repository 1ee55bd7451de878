package org.hlo4j.interpreter.reference.linalg;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Cholesky;
import org.hlo4j.hlo.op.CustomCall;
import org.hlo4j.hlo.op.TriangularSolve;
import org.hlo4j.interpreter.engine.Execution;
import org.hlo4j.interpreter.engine.LapackCall;
import org.hlo4j.interpreter.engine.StandardTarget;

/**
 * The LAPACK routines that JAX's lowering for the CPU calls, by JAX's names: {@code
 * lapack_spotrf_ffi} and so on, with s, d, c and z for f32, f64, c64 and c128. They compute in
 * double precision and round once.
 */
public final class Lapack {
  private Lapack() {}

  /** Returns the routines by their targets. */
  public static ImmutableMap<String, StandardTarget> targets() {
    Map<String, StandardTarget> targets = new LinkedHashMap<>();
    for (String type : List.of("s", "d", "c", "z")) {
      boolean complex = type.equals("c") || type.equals("z");
      targets.put(name(type, "potrf"), Lapack::cholesky);
      targets.put(name(type, "trsm"), Lapack::triangularSolve);
      targets.put(name(type, "getrf"), Lapack::lu);
      targets.put(name(type, "geqrf"), Factorizations::qr);
      targets.put(name(type, complex ? "ungqr" : "orgqr"), Reflectors::product);
      targets.put(name(type, complex ? "unmqr" : "ormqr"), Reflectors::multiply);
      targets.put(name(type, complex ? "heevd" : "syevd"), Lapack::eigh);
      targets.put(name(type, complex ? "hetrd" : "sytrd"), Hessenberg::tridiagonal);
      targets.put(name(type, "gehrd"), Hessenberg::hessenberg);
      targets.put(name(type, "gees"), Schur::gees);
      targets.put(name(type, "geev"), GeneralEigen::geev);
      targets.put(name(type, "gesdd"), SingularValues::gesdd);
      targets.put(name(type, "gesvd"), SingularValues::gesdd);
      targets.put(name(type, "gtsv"), Tridiagonals::gtsv);
      targets.put(name(type, "geqp3"), Factorizations::pivotedQr);
    }
    ImmutableMap.Builder<String, StandardTarget> checked = ImmutableMap.builder();
    targets.forEach((name, target) -> checked.put(name, ofColumns(target)));
    return checked.buildOrThrow();
  }

  /** Returns a target that takes only matrices that are stored column by column. */
  static StandardTarget ofColumns(StandardTarget target) {
    return (call, in, execution) -> {
      require(
          LapackCall.areOfColumns(call),
          "",
          "custom-call: %s: %s got matrices stored row by row, want column by column, the layout"
              + " {0,1}",
          call.name(),
          ((CustomCall) call.op()).customCallTarget());
      return target.call(call, in, execution);
    };
  }

  private static String name(String type, String routine) {
    return "lapack_" + type + routine + "_ffi";
  }

  /** Returns the shape of the info: a number for each matrix, 0 for success. */
  static Shape.Array info(Shape.Array matrices) {
    return Shape.of(ElementType.S32, matrices.sizes().subList(0, matrices.rank() - 2));
  }

  /**
   * potrf: the Cholesky factor in one triangle, the operand's elements in the other, and the order
   * of the first leading minor that is not positive.
   */
  static Literal cholesky(HloInstruction call, List<Literal> in, Execution execution) {
    Factorizations.requireShapes(call, in, 1, a -> Shape.tuple(a, info(a)));
    Eigen.requireSquare(call, in.get(0));
    return Triangles.potrf(new Cholesky(LapackCall.isLower(call)), in.get(0), execution);
  }

  /** trsm: the solution, of the shape of b. */
  private static Literal triangularSolve(
      HloInstruction call, List<Literal> in, Execution execution) {
    require(in.size() == 2, "", "custom-call: operand count got %s, want 2", in.size());
    TriangularSolve op = LapackCall.triangularSolve(call);
    op.infer(in.get(0).shape(), in.get(1).shape());
    return Triangles.solve(op, in.get(0), in.get(1), execution);
  }

  /**
   * getrf: l and u packed in one matrix, the row that each row was swapped with, from 1, and the
   * index of the first pivot that is zero.
   */
  static Literal lu(HloInstruction call, List<Literal> in, Execution execution) {
    Factorizations.requireShapes(
        call,
        in,
        1,
        a ->
            Shape.tuple(
                a,
                Factorizations.vectors(a, ElementType.S32, Factorizations.minDimension(a)),
                info(a)));
    Literal result = Factorizations.lu(in.get(0), execution);
    Literal fromZero = result.element(1);
    LiteralBuilder pivots = new LiteralBuilder(fromZero.arrayShape());
    for (int i = 0; i < fromZero.elementCount(); i++) {
      pivots.setLong(i, fromZero.longAt(i) + 1);
    }
    return Literal.tuple(result.element(0), pivots.build(), firstZeros(result.element(0)));
  }

  /** Returns, for each matrix, the index of the first pivot that is zero, from 1; 0 for none. */
  private static Literal firstZeros(Literal lu) {
    LiteralBuilder info = new LiteralBuilder(info(lu.arrayShape()));
    for (int n = 0; n < Matrix.count(lu); n++) {
      Matrix a = Matrix.read(lu, n);
      int pivots = Math.min(a.rows(), a.columns());
      int k = 0;
      while (k < pivots && !a.get(k, k).isZero()) {
        k++;
      }
      info.setLong(n, k < pivots ? k + 1 : 0);
    }
    return info.build();
  }

  /** syevd and heevd: eigenvectors, eigenvalues in ascending order, and the info. */
  static Literal eigh(HloInstruction call, List<Literal> in, Execution execution) {
    Factorizations.requireShapes(call, in, 1, a -> Shape.tuple(a, Eigen.values(a), info(a)));
    Eigen.requireSquare(call, in.get(0));
    boolean lower = LapackCall.isLower(call);
    return Eigen.decompose(call, in.get(0), lower, true, execution);
  }
}
