package org.hlo4j.check.compare;

import static com.google.common.collect.ImmutableMap.toImmutableMap;

import com.google.common.collect.ImmutableMap;
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
  private static final ImmutableMap<String, FunctionUlps> ROWS =
      """
      acos                  3   2   4 0 XLA:CPU 2.1
      acosh                 4   4   4 0 CUDA 4
      asin                  3   2   4 0 XLA:CPU 2.3
      asinh                 3   3   4 0 CUDA 3
      atan                  2   2   4 0 CUDA 2
      atan2                 3   2  16 0 CUDA 3
      atanh                 3 129   4 0 CUDA 3; XLA:CPU f64 128.6
      cbrt                 16   4  32 0 XLA:CPU 15.3
      cosine                2   2   6 0 CUDA 2
      cosh                 25  18  40 1 XLA:CPU 24.6
      erf                   6   2   6 0 XLA:CPU 5.3
      exponential           6   2   4 0 XLA:CPU 5.3
      exponential-minus-one 6   5  60 1 XLA:CPU 5.9
      log                   2   1   8 1 XLA:CPU 1.2
      log-plus-one          3 129   8 1 XLA:CPU 2.4, f64 128.6
      logistic              3   3  40 0 XLA:CPU 2.3
      power                 9   2 1000 0 CUDA 9
      rsqrt                 2   2   5 0 CUDA 2
      sine                  2   2   6 0 CUDA 2
      sinh                 25  18  40 1 XLA:CPU 24.6
      tan                   4   2  80 0 CUDA 4
      tanh                  5   6  40 0 XLA:CPU 4.7
      """
          .lines()
          .map(line -> line.split(" +", 6))
          .collect(toImmutableMap(row -> row[0], FunctionUlps::of));

  /** What the complex four operations, sqrt, sign and abs may be off. */
  private static final FunctionUlps ARITHMETIC = new FunctionUlps(0, 0, 4, 0, "XLA:CPU 2.3");

  private static FunctionUlps of(String[] row) {
    return new FunctionUlps(
        Long.parseLong(row[1]),
        Long.parseLong(row[2]),
        Long.parseLong(row[3]),
        Double.parseDouble(row[4]),
        row[5]);
  }

  /** Returns the table in Markdown. */
  static String table() {
    StringBuilder table =
        new StringBuilder("| function | f32 | f64 | complex | by |\n|---|---|---|---|---|\n");
    ROWS.forEach((name, row) ->
        table.append(
            "| `%s` | %d | %d | %d%s | %s |\n"
                .formatted(
                    name,
                    row.f32,
                    row.f64,
                    row.complex,
                    row.least > 0 ? ", at least of 1" : "",
                    row.source)));
    return table.toString();
  }

  static FunctionUlps of(Elementwise.Kind kind) {
    return ROWS.getOrDefault(kind.mnemonic(), ARITHMETIC);
  }
}
