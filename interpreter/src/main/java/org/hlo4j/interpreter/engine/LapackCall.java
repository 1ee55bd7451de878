package org.hlo4j.interpreter.engine;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.TriangularSolve;

/** The options of a custom call to a LAPACK routine, as JAX's lowering for the CPU writes them. */
public final class LapackCall {
  private static final Pattern FLAG = Pattern.compile("(\\w+) = (\\d{1,3}) : ui8");
  private static final Pattern SWITCH = Pattern.compile("(\\w+) = (true|false)\\b");

  private LapackCall() {}

  /**
   * Returns a flag of the backend config, which is stored as the number of a letter; a default if
   * it is absent.
   */
  public static char flag(HloInstruction call, String wanted, char otherwise) {
    Matcher flag = FLAG.matcher(call.attributes().getOrDefault("backend_config", ""));
    while (flag.find()) {
      if (flag.group(1).equals(wanted)) {
        return (char) Integer.parseInt(flag.group(2));
      }
    }
    return otherwise;
  }

  /** Returns a boolean of the backend config; a default if it is absent. */
  public static boolean isSet(HloInstruction call, String wanted, boolean otherwise) {
    Matcher set = SWITCH.matcher(call.attributes().getOrDefault("backend_config", ""));
    while (set.find()) {
      if (set.group(1).equals(wanted)) {
        return set.group(2).equals("true");
      }
    }
    return otherwise;
  }

  /** {@return the triangular solve that a call of trsm describes} */
  public static TriangularSolve triangularSolve(HloInstruction call) {
    return new TriangularSolve(
        flag(call, "side", 'L') == 'L',
        flag(call, "uplo", 'L') == 'L',
        flag(call, "diag", 'N') == 'U',
        switch (flag(call, "trans_x", 'N')) {
          case 'T' -> TriangularSolve.TransposeA.TRANSPOSE;
          case 'C' -> TriangularSolve.TransposeA.ADJOINT;
          default -> TriangularSolve.TransposeA.NO_TRANSPOSE;
        });
  }

  /**
   * {@return the shape of the result of gesdd or gesvd, singular values and vectors, for matrices
   * of a shape}
   */
  public static Shape singularValues(HloInstruction call, Shape.Array a) {
    Dims batch = a.sizes().subList(0, a.rank() - 2);
    long rows = a.size(a.rank() - 2);
    long columns = a.size(a.rank() - 1);
    long least = Math.min(rows, columns);
    boolean isFull = isFull(call);
    ElementType type = a.elementType();
    return Shape.tuple(
        a,
        Shape.of(type.componentType(), batch.concat(Dims.of(least))),
        Shape.of(type, batch.concat(Dims.of(rows, isFull ? rows : least))),
        Shape.of(type, batch.concat(Dims.of(isFull ? columns : least, columns))),
        Shape.of(ElementType.S32, batch));
  }

  /**
   * Returns whether u and v are square. Calls that compute no vectors declare their shapes all the
   * same.
   */
  public static boolean isFull(HloInstruction call) {
    char mode = flag(call, "mode", 'A');
    return mode == 'A' || (mode == 'N' && declaresFull(call));
  }

  private static boolean declaresFull(HloInstruction call) {
    return call.shape() instanceof Shape.Tuple tuple
        && tuple.elements().size() > 2
        && tuple.elements().get(2) instanceof Shape.Array u
        && u.rank() >= 2
        && u.size(u.rank() - 1) == u.size(u.rank() - 2)
        && tuple.elements().get(3) instanceof Shape.Array v
        && v.rank() >= 2
        && v.size(v.rank() - 1) == v.size(v.rank() - 2);
  }
}
