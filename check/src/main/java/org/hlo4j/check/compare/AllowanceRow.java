package org.hlo4j.check.compare;

import static java.util.stream.Collectors.joining;

import java.util.Arrays;

/**
 * How a conforming system may compute, by op and type, and the bound that follows. The code is in
 * {@link Allowances} and {@link Allowance}; this is the table of the reference page.
 */
enum AllowanceRow {
  EXACT(
      "integers, booleans, movement, comparison, `convert`, `add`, `subtract`, `multiply`,"
          + " `divide`, `sqrt`, `remainder`, `reduce-precision`",
      "all",
      "exactly, rounded once to nearest even",
      "none",
      "worst case",
      "IEEE 754"),
  DIVISION(
      "`divide`, `sqrt`",
      "f32",
      "by approximations of a GPU",
      "2 ulps, 1 ulp",
      "worst case",
      "XLA:GPU compiles with `-nvptx-prec-divf32=1`: PTX `div.full.f32`"),
  FUNCTION(
      "functions such as `exponential`",
      "f32, f64",
      "in the type, by any approximation",
      "the ulps of the next table; in f64 one more, for the reference",
      "worst case",
      "measured on XLA:CPU; CUDA C++ Programming Guide"),
  NARROW_FUNCTION(
      "functions",
      "f16, bf16, f8",
      "in f32, rounded once; square roots of f8 in f16 or f32, rounded once",
      "1 ulp; none for roots",
      "worst case",
      "XLA's float-normalization"),
  COMPLEX(
      "functions, `multiply`, `divide`, `abs`, `sign`",
      "c64, c128",
      "by formulas on the parts",
      "ulps of the modulus, of the next table; 4 for arithmetic",
      "worst case",
      "measured on XLA:CPU"),
  COMPOSITE(
      "composite calls of `chlo.lgamma` and its kin",
      "floats",
      "as one function, whatever the computation",
      "what is published for it",
      "worst case",
      "`CompositeFunction`"),
  CONTRACTION(
      "`dot`, `convolution`, `ragged-dot`, `scaled-dot` of n terms",
      "floats, complex",
      "products and sums in f32, wide types in themselves, in any order; operands as the algorithm"
          + " or `--dot` says; rounded once",
      "n u sum\\|a\\|\\|b\\|, u the unit roundoff of the accumulator, and one rounding",
      "worst case; in the middle of a program 8 sqrt(n) u, statistical",
      "Jeannerod and Rump 2013; Higham and Mary 2019"),
  SUM(
      "`reduce`, `reduce-window` by addition of n terms that are not 0",
      "floats, complex",
      "in f32, wide types in themselves, in any order; rounded once; bf16 and f16 also in"
          + " themselves, in trees of 32",
      "(n - 1) u sum\\|x\\| of the terms that meet, and one rounding; twice in f64, as the"
          + " reference rounds, too; in trees 2.5 u times the root of the squares of partial sums",
      "worst case; trees statistical",
      "Rump 2012; XLA's tree_reduction_rewriter.cc"),
  WRITTEN_SUM(
      "`scatter`, `select-and-scatter` by addition",
      "floats, complex",
      "in the type itself, in any order",
      "2 (n - 1) u sum\\|x\\|, n - 1 the updates that an element gets; none for one update",
      "worst case",
      "the reference adds in the type, too"),
  PRODUCT(
      "the same by multiplication of n factors",
      "floats, complex",
      "in f32, wide types in themselves, in any order",
      "n u of the product; anything where factors overflow or underflow in some order",
      "worst case",
      "each product rounds once"),
  REDUCER(
      "the same by any other computation, `scan`",
      "floats, complex",
      "as its instructions, in any order",
      "what its instructions may be off, 1 ulp for the four operations",
      "statistical",
      "shifts in each application"),
  TRANSFORM(
      "`fft` of n numbers",
      "floats, complex",
      "in the type, by any factorization",
      "2 (2 + log2 n) u sqrt(n) times the 2-norm of the line, divided by n for inverses",
      "worst case",
      "Higham, Accuracy and Stability, ch. 24"),
  NORMALIZATION(
      "`batch-norm-training`, `-grad`, `-inference`",
      "floats",
      "its formula in f32 or wider, for inference in the type; the variance as mean of squares"
          + " minus square of the mean",
      "running error of the formula",
      "worst case",
      "XLA's batchnorm_expander.cc"),
  UNROUNDED(
      "arithmetic and `convert` whose result is computed with",
      "floats",
      "fused, or with more digits, without its own rounding",
      "the next number on the side of the exact value",
      "statistical",
      "fused multiply-add; XLA's `xla_allow_excess_precision`"),
  DENORMAL(
      "all",
      "f32, f64, bf16",
      "denormal operands and results as 0, also what rounds up to the least normal number",
      "from the value to 0 of its sign",
      "worst case",
      "FTZ and DAZ of processors; not with `--denormals keep`"),
  WIDER(
      "all",
      "narrower than f64",
      "with more digits",
      "between the result and that of the program in f64",
      "worst case",
      "more digits are never wrong"),
  REWRITTEN(
      "the rewrites of the last table",
      "floats",
      "as rewritten",
      "those of the rewritten program",
      "as there",
      "XLA's algebraic_simplifier.cc; not with `--rewrites none`");

  private final String line;

  AllowanceRow(
      String ops, String types, String computes, String bound, String kind, String source) {
    this.line = String.join(" | ", ops, types, computes, bound, kind, source);
  }

  /** Returns the table in Markdown. */
  static String table() {
    return Arrays.stream(values())
        .map(row -> "| " + row.line + " |\n")
        .collect(
            joining(
                "",
                """
                | ops | types | computed | may be off by | kind | source |
                |---|---|---|---|---|---|
                """,
                ""));
  }
}
