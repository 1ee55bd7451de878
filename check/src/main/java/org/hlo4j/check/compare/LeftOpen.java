package org.hlo4j.check.compare;

import static com.google.common.collect.ImmutableMap.toImmutableMap;
import static java.util.Objects.requireNonNull;

import com.google.common.base.Ascii;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import java.util.List;
import org.hlo4j.check.Program;
import org.hlo4j.hlo.HloException;

/**
 * What specifications leave open in the result of an op: elements that a correct system may give
 * another value, order or sign than the reference. A difference that follows from it is {@link
 * Verdict#UNSPECIFIED}.
 */
public enum LeftOpen {
  /** Integers divided by zero, and the least one by -1. */
  INTEGER_DIVISION,
  /** Floats that are not within the range of integers. */
  CONVERT_RANGE,
  /** Complex numbers at infinity, at branch cuts and at poles. */
  COMPLEX_LIMITS,
  /** Integer powers whose exponent is negative or too large. */
  INTEGER_POWER,
  /** A logistic function whose formula overflows. */
  LOGISTIC_FORMULA,
  /** Signs and payloads of NaNs. */
  NAN_BITS,
  /** NaNs in a precision without mantissa bits. */
  NAN_PRECISION,
  /** Equal keys in a sort that is not stable. */
  SORT_TIES,
  /** Sorts by what is no order. */
  SORT_ORDER,
  /** Updates of one element. */
  SCATTER_ORDER,
  /** Windows that are partly out of bounds. */
  SCATTER_BOUNDS,
  /** Broken promises of a scatter or gather. */
  INDEX_PROMISES,
  /** Reductions by what is not associative and commutative. */
  REDUCE_ORDER,
  /** Initial values that are not the identity. */
  REDUCE_INIT,
  /** Selections among NaNs. */
  SELECT_ORDER,
  /** Zeros times infinite weights. */
  CONVOLUTION_PADDING,
  /** The triangle beside a Cholesky factor. */
  CHOLESKY_TRIANGLE,
  /** Cholesky factors that do not exist. */
  CHOLESKY_INDEFINITE,
  /** Generators. */
  RANDOM_BITS,
  /** Random numbers. */
  RANDOM_NUMBERS,
  /** Storage that was never written. */
  UNINITIALIZED,
  /** Routines that fail. */
  LAPACK_FAILURE,
  /** Vectors that belong to no singular value. */
  VECTOR_BASIS,
  /** Directions of vectors. */
  VECTOR_SIGNS;

  /** The condition, a few words of the specification and its address, by name. */
  private static final class Rows {
    static final ImmutableMap<String, List<String>> ALL =
        Tables.rows("open.table").stream()
            .map(row -> List.of(row.split(" \\| ")))
            .collect(toImmutableMap(row -> row.get(0), row -> row));
  }

  /** Returns of which ops it is, under which conditions, and how it is found. */
  String rules() {
    return text(4);
  }

  private String text(int column) {
    return requireNonNull(Rows.ALL.get(toString())).get(column);
  }

  /**
   * Returns what is open.
   *
   * @return ops and conditions
   */
  public String condition() {
    return text(1);
  }

  /**
   * Returns the words of the specification.
   *
   * @return a few words of it
   */
  public String words() {
    return text(2);
  }

  /**
   * Returns where the words stand.
   *
   * @return the address of the section
   */
  public String source() {
    return text(3);
  }

  /**
   * Returns what is open in a program, whether or not it shows in the result.
   *
   * @param program the program
   * @return the rows that it meets on its arguments
   * @throws HloException if the reference cannot run the program
   */
  public static ImmutableSet<LeftOpen> in(Program program) {
    return OpenRuns.met(program);
  }

  @Override
  public String toString() {
    return Ascii.toLowerCase(name()).replace('_', ' ');
  }
}
