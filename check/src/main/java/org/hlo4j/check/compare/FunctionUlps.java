package org.hlo4j.check.compare;

import static com.google.common.collect.ImmutableMap.toImmutableMap;

import com.google.common.collect.ImmutableMap;
import org.hlo4j.check.part.Tables;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.op.Elementwise;

/**
 * How many ulps from the exact value a function of a conforming system may be: the greatest of what
 * XLA:CPU was measured to give (TensorFlow 2.21 and jaxlib 0.10.2, 400,000 to 266 million arguments
 * of each) and of the maximum errors that the CUDA C++ Programming Guide states for its functions.
 *
 * @param f32 in f32
 * @param f64 in f64
 * @param complex in c64 and c128, of the modulus
 * @param least the least modulus that counts: XLA computes some complex functions as differences of
 *     numbers near 1
 * @param source which system needs it
 */
record FunctionUlps(long f32, long f64, long complex, double least, String source) {
  static final ImmutableMap<String, FunctionUlps> ROWS =
      Tables.rows("compare/functions.table").stream()
          .map(line -> line.split(" +", 6))
          .collect(toImmutableMap(row -> row[0], FunctionUlps::of));

  private static final FunctionUlps NONE = new FunctionUlps(0, 0, 0, 0, "");

  private static FunctionUlps of(String[] row) {
    return new FunctionUlps(
        Long.parseLong(row[1]),
        Long.parseLong(row[2]),
        Long.parseLong(row[3]),
        Double.parseDouble(row[4]),
        row[5]);
  }

  /** Returns the row of a function, or of arithmetic that is not rounded once. */
  static FunctionUlps of(Elementwise.Kind kind) {
    return ROWS.getOrDefault(kind.mnemonic(), NONE);
  }

  /** Returns how many ulps are between two systems: in f64, the reference has one, too. */
  long of(ElementType type) {
    return type == ElementType.F64 ? f64 + Math.min(f64, 1) : f32;
  }
}
