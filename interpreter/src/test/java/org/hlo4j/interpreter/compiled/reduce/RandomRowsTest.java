package org.hlo4j.interpreter.compiled.reduce;

import static com.google.common.truth.Truth.assertThat;

import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Printer;
import org.junit.jupiter.api.Test;

/**
 * Random fusions over rows, in both forms of their loops. The message of a failure has the seed and
 * the module; to reproduce it, run that seed alone.
 */
final class RandomRowsTest {
  private static final int SEEDS =
      Integer.getInteger(
          "hlo4j.rows.seeds", Integer.getInteger("hlo4j.test.fewer", 1) > 1 ? 50 : 200);

  /** The tolerance, which allows for what follows from sums in another order. */
  private static final double ULPS = 4096;

  @Test
  void closeToTheReference() {
    int expressible = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
      expressible += check(seed) ? 1 : 0;
    }
    assertThat(expressible).isAtLeast(SEEDS * 3 / 4);
  }

  private static boolean check(int seed) {
    HloModule module = RandomRows.of(seed, 4 + seed % 20);
    try {
      boolean isExpressible = ReduceKernels.kernel(module.entry().root()).kernel().isPresent();
      if (isExpressible) {
        ReducePrograms.check(module, seed, ULPS);
      }
      return isExpressible;
    } catch (RuntimeException | Error problem) {
      throw new AssertionError("seed " + seed + "\n" + Printer.print(module), problem);
    }
  }
}
