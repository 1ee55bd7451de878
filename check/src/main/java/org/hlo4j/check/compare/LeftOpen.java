package org.hlo4j.check.compare;

import static com.google.common.collect.ImmutableMap.toImmutableMap;
import static java.util.Objects.requireNonNull;

import com.google.common.base.Ascii;
import com.google.common.collect.ImmutableMap;
import com.google.errorprone.annotations.Immutable;
import java.util.List;
import org.hlo4j.check.part.Tables;

/**
 * What specifications leave open in the result of an op: elements that a correct system may give
 * another value, order or sign than the reference. A difference that follows from it is {@link
 * Verdict#UNSPECIFIED}.
 */
public enum LeftOpen {
  /** Integers divided by zero, and the least one by -1. */
  INTEGER_DIVISION(OpenElements::quotients),
  /** Floats that are not within the range of integers. */
  CONVERT_RANGE(OpenElements::outOfRange),
  /** Complex numbers at infinity, at branch cuts and at poles. */
  COMPLEX_LIMITS(OpenElements::complexLimits),
  /** Integer powers whose exponent is negative or too large. */
  INTEGER_POWER(made -> made.anything(i -> made.operand(1).longAt(i) < 0)),
  /** A logistic function whose formula overflows. */
  LOGISTIC_FORMULA(OpenElements::overflowingLogistic),
  /** Signs and payloads of NaNs. */
  NAN_BITS(OpenElements::nans),
  /** NaNs in a precision without mantissa bits. */
  NAN_PRECISION(made -> made.anything(i -> Double.isNaN(made.operand(0).doubleAt(i)))),
  /** Equal keys in a sort that is not stable. */
  SORT_TIES(OpenElements::ties),
  /** Sorts by what is no order. */
  SORT_ORDER(OpenElements::sortOrder),
  /** Updates of one element. */
  SCATTER_ORDER(OpenElements::updates),
  /** Windows that are partly out of bounds. */
  SCATTER_BOUNDS(OpenElements::partlyOutside),
  /** Broken promises of a scatter or gather. */
  INDEX_PROMISES(OpenElements::brokenPromise),
  /** Reductions by what is not associative and commutative. */
  REDUCE_ORDER(OpenElements::all),
  /** Initial values that are not the identity. */
  REDUCE_INIT(OpenElements::initialValues),
  /** Selections among NaNs. */
  SELECT_ORDER(OpenElements::selectedNaNs),
  /** Zeros times infinite weights. */
  CONVOLUTION_PADDING(OpenElements::infiniteWeights),
  /** The triangle beside a Cholesky factor. */
  CHOLESKY_TRIANGLE(OpenElements::otherTriangle),
  /** Cholesky factors that do not exist. */
  CHOLESKY_INDEFINITE(OpenElements::indefinite),
  /** Generators. */
  RANDOM_BITS(OpenElements::all),
  /** Random numbers. */
  RANDOM_NUMBERS(OpenElements::all),
  /** Storage that was never written. */
  UNINITIALIZED(OpenElements::all),
  /** Routines that fail. */
  LAPACK_FAILURE(OpenElements::failed),
  /** Vectors that belong to no singular value. */
  VECTOR_BASIS(made -> List.of()),
  /** Eigenvalues that nothing sorts. */
  EIGENVALUE_ORDER(made -> List.of()),
  /** Directions of vectors. */
  VECTOR_SIGNS(made -> List.of());

  /** Finds the elements of a result that are open; none if the vectors of it are. */
  @FunctionalInterface
  @Immutable
  interface Finder {
    /** Returns them with their values. */
    List<OpenBlock> of(OpenElements.Made made);
  }

  private final Finder finder;

  LeftOpen(Finder finder) {
    this.finder = finder;
  }

  /** Returns whether elements may have some values, and not any. */
  boolean hasValues() {
    return switch (this) {
      case COMPLEX_LIMITS, LOGISTIC_FORMULA, SORT_TIES, SCATTER_ORDER, REDUCE_INIT -> true;
      default -> false;
    };
  }

  Finder finder() {
    return finder;
  }

  /** The condition, a few words of the specification and its address, by name. */
  private static final class Rows {
    static final ImmutableMap<String, List<String>> ALL =
        Tables.rows("compare/open.table").stream()
            .map(row -> List.of(row.split(" \\| ")))
            .collect(toImmutableMap(row -> row.get(0), row -> row));
  }

  /** Returns of which ops it is, and under which conditions. */
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

  @Override
  public String toString() {
    return Ascii.toLowerCase(name()).replace('_', ' ');
  }
}
