package org.hlo4j.check.compare;

import com.google.common.base.Ascii;
import com.google.common.collect.ImmutableSet;
import org.hlo4j.check.Program;
import org.hlo4j.hlo.HloException;

/**
 * What specifications leave open in the result of an op: elements that a correct system may give
 * another value, order or sign than the reference. A difference that follows from it is {@link
 * Verdict#UNSPECIFIED}.
 */
public enum LeftOpen {
  /** Integers divided by zero, and the least one by -1. */
  INTEGER_DIVISION(
      "divide and remainder of integers by 0, and of the least one by -1",
      "produces an implementation defined value",
      Source.XLA + "div"),
  /** Floats that are not within the range of integers. */
  CONVERT_RANGE(
      "convert of NaN, and of numbers out of range, to integers",
      "If the truncated value cannot be represented in the destination type, the behavior is TBD",
      Source.STABLEHLO + "convert"),
  /** Complex numbers at infinity, at branch cuts and at poles. */
  COMPLEX_LIMITS(
      "complex numbers with a part that is not finite or a negative zero, and quotients by 0",
      "For complex numbers: complex division",
      Source.STABLEHLO + "divide"),
  /** Integer powers whose exponent is negative or too large. */
  INTEGER_POWER(
      "power of integers with a negative exponent",
      "For integers: integer exponentiation",
      Source.STABLEHLO + "power"),
  /** A logistic function whose formula overflows. */
  LOGISTIC_FORMULA(
      "logistic where exp(-x) overflows in the type",
      "division(1, addition(1, exp(-x)))",
      Source.STABLEHLO + "logistic"),
  /** Signs and payloads of NaNs. */
  NAN_BITS(
      "the sign and the other bits of a NaN, where an op reads them",
      "this standard does not interpret the sign of a NaN",
      "https://doi.org/10.1109/IEEESTD.2019.8766229"),
  /** NaNs in a precision without mantissa bits. */
  NAN_PRECISION(
      "reduce-precision of NaN to no mantissa bits",
      "NaN values are retained, although they may be converted to canonical NaN values",
      Source.XLA + "reduceprecision"),
  /** Equal keys in a sort that is not stable. */
  SORT_TIES(
      "the order of equal keys if sort or top-k is not stable",
      "By default, is_stable is set to false",
      Source.XLA + "sort"),
  /** Sorts by what is no order. */
  SORT_ORDER(
      "sort by a comparator that is no order, and of NaNs by one that is none of them",
      "equal if and only if comparator(e1, e2) = comparator(e2, e1) = false",
      Source.XLA + "sort"),
  /** Updates of one element. */
  SCATTER_ORDER(
      "scatter of several updates into one element, if their order matters",
      "The order in which updates are applied is non-deterministic",
      Source.XLA + "scatter"),
  /** Windows that are partly out of bounds. */
  SCATTER_BOUNDS(
      "scatter of a window that is partly out of bounds: element by element, or dropped",
      "If result_index is in bounds",
      Source.STABLEHLO + "scatter"),
  /** Broken promises of a scatter or gather. */
  INDEX_PROMISES(
      "scatter and gather whose indices are not sorted, or not unique, as promised",
      "If they are not then the semantics are implementation defined",
      Source.XLA + "scatter"),
  /** Reductions by what is not associative and commutative. */
  REDUCE_ORDER(
      "reductions by a computation that is not associative and commutative",
      "The order of reductions is implementation-defined",
      Source.STABLEHLO + "reduce"),
  /** Initial values that are not the identity. */
  REDUCE_INIT(
      "reductions whose initial value is not the identity",
      "an implementation-defined amount of init_values",
      Source.STABLEHLO + "reduce"),
  /** Selections among NaNs. */
  SELECT_ORDER(
      "select-and-scatter of NaNs, which have no place in an order",
      "the function must hold transitivity",
      Source.XLA + "selectandscatter"),
  /** Zeros times infinite weights. */
  CONVOLUTION_PADDING(
      "convolution by weights that are not finite, where they meet padding",
      "padding_value = constant(0, element_type(lhs))",
      Source.STABLEHLO + "convolution"),
  /** The triangle beside a Cholesky factor. */
  CHOLESKY_TRIANGLE(
      "the other triangle of cholesky",
      "the values in the other triangle are implementation-defined",
      Source.XLA + "cholesky"),
  /** Cholesky factors that do not exist. */
  CHOLESKY_INDEFINITE(
      "cholesky of a matrix that is not positive definite",
      "the result is implementation-defined",
      Source.XLA + "cholesky"),
  /** Generators. */
  RANDOM_BITS(
      "rng-bit-generator: the variant of the algorithm",
      "Implementation-defined variant of the Threefry algorithm",
      Source.STABLEHLO + "rng_bit_generator"),
  /** Random numbers. */
  RANDOM_NUMBERS(
      "rng, and the state of generators",
      "The exact way how random numbers are generated is implementation-defined",
      Source.STABLEHLO + "rng"),
  /** Storage that was never written. */
  UNINITIALIZED(
      "the contents of a buffer that was only allocated",
      "CreateBuffer creates an uninitialized buffer",
      Source.STABLEHLO + "custom_call"),
  /** Routines that fail. */
  LAPACK_FAILURE(
      "what a routine of LAPACK leaves when its info is not 0",
      "the factorization could not be completed",
      "https://www.netlib.org/lapack/explore-html/"),
  /** Vectors that belong to no singular value. */
  VECTOR_BASIS(
      "the singular vectors that only complete a basis",
      "U is an M-by-M orthogonal matrix",
      "https://www.netlib.org/lapack/explore-html/"),
  /** Directions of vectors. */
  VECTOR_SIGNS(
      "the signs (phases) of singular vectors, eigenvectors and Schur vectors",
      "A = U * SIGMA * transpose(V)",
      "https://www.netlib.org/lapack/explore-html/");

  private final String condition;
  private final String words;
  private final String source;

  LeftOpen(String condition, String words, String source) {
    this.condition = condition;
    this.words = words;
    this.source = source;
  }

  private interface Source {
    String XLA = "https://openxla.org/xla/operation_semantics#";
    String STABLEHLO = "https://openxla.org/stablehlo/spec#";
  }

  /**
   * Returns what is open.
   *
   * @return ops and conditions
   */
  public String condition() {
    return condition;
  }

  /**
   * Returns the words of the specification.
   *
   * @return a few words of it
   */
  public String words() {
    return words;
  }

  /**
   * Returns where the words stand.
   *
   * @return the address of the section
   */
  public String source() {
    return source;
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
