package org.hlo4j.interpreter.engine;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.base.Joiner;
import com.google.common.collect.ImmutableList;
import com.google.common.primitives.Chars;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.CustomCall;
import org.hlo4j.hlo.op.TriangularSolve;

/**
 * The options of a custom call to a LAPACK routine, as JAX's lowerings write them: for the CPU as
 * LAPACK's letters, for GPUs as booleans of cuSOLVER's and hipSOLVER's routines of the same names.
 */
public final class LapackCall {
  private static final Pattern TARGET =
      Pattern.compile("(?:lapack_[sdcz]|(?:cu|hip)solver_)(\\w+)_ffi");
  private static final Pattern FLAG = Pattern.compile("(\\w+) = (\\d{1,3}) : ui8");
  private static final Pattern SWITCH = Pattern.compile("(\\w+) = (true|false)\\b");

  private static final int INVALID_FOURTH_ARGUMENT = -4;

  private LapackCall() {}

  /** {@return the routine that a target is, such as {@code getrf}; empty if it is none} */
  public static Optional<String> routine(String target) {
    Matcher routine = TARGET.matcher(target);
    return routine.matches() ? Optional.of(routine.group(1)) : Optional.empty();
  }

  /**
   * Returns the info of a matrix that is not finite, as LAPACK has it: gesdd refuses NaN in its
   * fourth argument. In the other routines nothing converges, except for blocks of one and, if all
   * is real, two rows, which need no iteration. Infinities are scaled away, so that the info is 0.
   *
   * @param call the call, of a decomposition other than geev
   * @param greatest the greatest magnitude in the matrix: NaN or infinity
   * @param size the lesser of the numbers of its rows and columns
   * @return the info
   */
  public static int infoOfNonFinite(HloInstruction call, double greatest, int size) {
    String name = routine(((CustomCall) call.op()).customCallTarget()).orElse("");
    if (!Double.isNaN(greatest)) {
      return 0;
    }
    if (name.equals("gesdd")) {
      return INVALID_FOURTH_ARGUMENT;
    }
    boolean isSchur = name.equals("gees");
    int most = isSchur && arrays(call).get(0).elementType().isComplex() ? 1 : 2;
    return size <= most ? 0 : isSchur ? size : size - 1;
  }

  /** {@return whether the matrices of a call are of a type} */
  public static boolean isOf(HloInstruction call, ElementType type) {
    return arrays(call).get(0).elementType() == type;
  }

  /** {@return whether the call is one of a GPU's library} */
  public static boolean isOfGpu(HloInstruction call) {
    return !((CustomCall) call.op()).customCallTarget().startsWith("lapack_");
  }

  /** {@return whether the lower triangle of symmetric matrices is read or written} */
  public static boolean isLower(HloInstruction call) {
    return isOfGpu(call) ? isSet(call, "lower") : flag(call, "uplo", "LU") == 'L';
  }

  /**
   * Returns which singular vectors a call wants: {@code A}ll, as many as {@code S}ingular values,
   * or {@code N}one.
   */
  public static char vectors(HloInstruction call) {
    if (!isOfGpu(call)) {
      return flag(call, "mode", "ASN");
    }
    boolean isFull = isSet(call, "full_matrices");
    return !isSet(call, "compute_uv") ? 'N' : isFull ? 'A' : 'S';
  }

  /** {@return whether a GPU's library is given transposed matrices, and gives v* before u} */
  public static boolean isTransposed(HloInstruction call) {
    return isOfGpu(call) && isSet(call, "transposed");
  }

  /**
   * Returns whether the matrices of a call are stored column by column, as LAPACK takes them, as
   * far as the call says so. A matrix that is stored row by row is the transposed one to LAPACK.
   *
   * @param call the call
   * @return whether no operand and no result has another layout
   */
  public static boolean areOfColumns(HloInstruction call) {
    return haveOrder(call, 2, 1);
  }

  /** {@return the same, for matrices that are stored row by row} */
  public static boolean areOfRows(HloInstruction call) {
    return haveOrder(call, 1, 2);
  }

  /**
   * Returns whether the first and second fastest varying dimensions of all matrices are those that
   * are so far from the end. Arrays of a lower rank than the highest are vectors and numbers.
   */
  private static boolean haveOrder(HloInstruction call, int first, int second) {
    ImmutableList<Shape.Array> arrays = arrays(call);
    int rank = arrays.stream().mapToInt(Shape.Array::rank).max().orElse(0);
    return rank < 2
        || arrays.stream()
            .filter(array -> array.rank() == rank)
            .allMatch(array -> hasOrder(array, rank - first, rank - second));
  }

  private static ImmutableList<Shape.Array> arrays(HloInstruction call) {
    Stream<Shape> operands =
        ((CustomCall) call.op()).operandLayoutConstraints().stream().flatMap(List::stream);
    Stream<Shape> results =
        call.shape() instanceof Shape.Tuple tuple
            ? tuple.elements().stream()
            : Stream.of(call.shape());
    return Stream.concat(operands, results)
        .filter(Shape.Array.class::isInstance)
        .map(Shape.Array.class::cast)
        .collect(toImmutableList());
  }

  /** Returns whether a matrix has an order; a row or a column has both. */
  private static boolean hasOrder(Shape.Array array, int first, int second) {
    if (array.layout().isEmpty() || array.size(first) == 1 || array.size(second) == 1) {
      return true;
    }
    Dims order = array.layout().get().minorToMajor();
    return order.get(0) == first && order.get(1) == second;
  }

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
    return singularValues(a, isFull(call));
  }

  /**
   * Returns the shape of singular values and vectors.
   *
   * @param a the shape of the matrices
   * @param isFull whether u and v* are square
   * @return the matrices, the values, u, v*, and the info
   */
  public static Shape singularValues(Shape.Array a, boolean isFull) {
    Dims batch = a.sizes().subList(0, a.rank() - 2);
    long rows = a.size(a.rank() - 2);
    long columns = a.size(a.rank() - 1);
    long least = Math.min(rows, columns);
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
    char mode = vectors(call);
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
