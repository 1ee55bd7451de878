package org.hlo4j.interpreter.engine;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.base.Joiner;
import com.google.common.primitives.Chars;
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
   * Returns a flag of the backend config, which is stored as the number of a letter. A call that
   * lacks it is refused: each choice gives other numbers.
   *
   * @param call the call
   * @param wanted the name of the flag
   * @param letters the letters that it may have
   * @return the letter
   * @throws org.hlo4j.hlo.HloException if it is absent or another one
   */
  public static char flag(HloInstruction call, String wanted, String letters) {
    String number = value(FLAG, call, wanted);
    String got = number.isEmpty() ? "none" : letter(Integer.parseInt(number));
    require(
        letters.contains(got),
        "",
        "custom-call: %s: %s in backend_config got %s, want one of %s as ui8",
        call.name(),
        wanted,
        got,
        Joiner.on(", ").join(Chars.asList(letters.toCharArray())));
    return got.charAt(0);
  }

  private static String letter(int number) {
    return number >= 'A' && number <= 'Z' ? String.valueOf((char) number) : number + " : ui8";
  }

  /**
   * Returns a boolean of the backend config. A call that lacks it is refused.
   *
   * @param call the call
   * @param wanted the name of the boolean
   * @return its value
   * @throws org.hlo4j.hlo.HloException if it is absent
   */
  public static boolean isSet(HloInstruction call, String wanted) {
    String got = value(SWITCH, call, wanted);
    require(
        !got.isEmpty(),
        "",
        "custom-call: %s: %s in backend_config got none, want true or false",
        call.name(),
        wanted);
    return got.equals("true");
  }

  /** Returns the text of a value of the backend config; empty if it is absent. */
  private static String value(Pattern pattern, HloInstruction call, String wanted) {
    Matcher entry = pattern.matcher(call.attributes().getOrDefault("backend_config", ""));
    while (entry.find()) {
      if (entry.group(1).equals(wanted)) {
        return entry.group(2);
      }
    }
    return "";
  }

  /** {@return the triangular solve that a call of trsm describes} */
  public static TriangularSolve triangularSolve(HloInstruction call) {
    return new TriangularSolve(
        flag(call, "side", "LR") == 'L',
        flag(call, "uplo", "LU") == 'L',
        flag(call, "diag", "NU") == 'U',
        switch (flag(call, "trans_x", "NTC")) {
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
    char mode = flag(call, "mode", "ASN");
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
