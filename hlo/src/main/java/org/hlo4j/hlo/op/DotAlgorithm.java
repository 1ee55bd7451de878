package org.hlo4j.hlo.op;

import com.google.common.base.Ascii;

/**
 * The types in which a dot multiplies and accumulates, named lhs_rhs_accumulation. It is a
 * requirement on a compiler; hlo4j always multiplies exactly and accumulates in double, which is at
 * least as accurate as each algorithm. Source: {@code PrecisionConfig.Algorithm} in XLA's {@code
 * xla_data.proto}.
 */
public enum DotAlgorithm {
  /** Any types of 8 bits, f32 accumulation. */
  DOT_ANY_F8_ANY_F8_F32,
  /** Any types of 8 bits, f32 accumulation of less exact partial sums. */
  DOT_ANY_F8_ANY_F8_F32_FAST_ACCUM,
  /** f16 throughout. */
  DOT_F16_F16_F16,
  /** f16, f32 accumulation. */
  DOT_F16_F16_F32,
  /** bf16 throughout. */
  DOT_BF16_BF16_BF16,
  /** bf16, f32 accumulation. */
  DOT_BF16_BF16_F32,
  /** f32 as sums of bf16, 3 products of them. */
  DOT_BF16_BF16_F32_X3,
  /** f32 as sums of bf16, 6 products of them. */
  DOT_BF16_BF16_F32_X6,
  /** f32 as sums of bf16, 9 products of them. */
  DOT_BF16_BF16_F32_X9,
  /** f32 cut to 10 mantissa bits, f32 accumulation. */
  DOT_TF32_TF32_F32,
  /** f32 as sums of tf32, 3 products of them. */
  DOT_TF32_TF32_F32_X3,
  /** f32 throughout. */
  DOT_F32_F32_F32,
  /** f64 throughout. */
  DOT_F64_F64_F64;

  /** Returns the HLO text, in lower case. */
  @Override
  public String toString() {
    return Ascii.toLowerCase(name());
  }
}
