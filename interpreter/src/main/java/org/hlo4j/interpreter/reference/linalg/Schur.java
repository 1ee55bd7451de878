package org.hlo4j.interpreter.reference.linalg;

import java.util.List;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.interpreter.engine.Execution;
import org.hlo4j.interpreter.engine.LapackCall;
import org.hlo4j.interpreter.math.RealMath;

/** The Schur form of square matrices, {@code a = z t z*}; in double, rounded once. */
final class Schur {
  private Schur() {}

  /**
   * gees: the form; its vectors, or zeros if they are not requested; the eigenvalues, of real
   * matrices as real and imaginary parts; the number of eigenvalues sorted to the front, which is
   * 0; and the info.
   */
  static Literal gees(HloInstruction call, List<Literal> in, Execution execution) {
    Factorizations.requireShapes(call, in, 1, Schur::result);
    Eigen.requireSquare(call, in.get(0));
    LapackCall.flag(call, "sort", "N"); // the only order: as they are found
    boolean areVectorsWanted = LapackCall.flag(call, "mode", "NV") == 'V';
    boolean isComplex = Factorizations.isComplex(in);
    Shape.Tuple shape = (Shape.Tuple) result(in.get(0).arrayShape());
    List<LiteralBuilder> results =
        shape.elements().stream().map(part -> LiteralBuilder.zeros((Shape.Array) part)).toList();
    for (int k = 0; k < Matrix.count(in.get(0)); k++) {
      SchurForm form = of(call, Matrix.read(in.get(0), k), in.get(0).elementType(), execution);
      form.t().write(results.get(0), k, isComplex);
      if (areVectorsWanted) {
        form.z().write(results.get(1), k, isComplex);
      }
      for (int i = 0; i < form.values().size(); i++) {
        int at = k * form.values().size() + i;
        Factorizations.store(form.values().get(i), results.get(2), at, isComplex);
        if (!isComplex) {
          results.get(3).setDouble(at, form.values().get(i).im());
        }
      }
      results.get(results.size() - 1).setLong(k, form.info());
    }
    return Literal.tuple(results.stream().map(LiteralBuilder::build).toList());
  }

  private static Shape result(Shape.Array a) {
    Shape.Array values = Factorizations.vectors(a, a.elementType(), a.size(a.rank() - 1));
    Shape.Array info = Lapack.info(a);
    return a.elementType().isComplex()
        ? Shape.tuple(a, a, values, info, info)
        : Shape.tuple(a, a, values, values, info, info);
  }

  private static SchurForm of(
      HloInstruction call, Matrix a, ElementType type, Execution execution) {
    if (!Double.isFinite(a.greatestPart())) {
      return SchurForm.ofNonFinite(
          a.rows(), LapackCall.infoOfNonFinite(call, a.greatestPart(), a.rows()));
    }
    int exponent = RealMath.scalingExponent(a.greatestPart());
    Matrix permuted = a.scaled(-exponent);
    Balance balance = Balance.permute(permuted);
    SchurForm form = SchurForm.of(permuted, balance, type, execution);
    balance.backTransform(form.z(), false);
    return form.scaled(exponent);
  }
}
