package org.hlo4j.interpreter.compiled.reduce;

import static com.google.common.truth.Truth.assertThat;

import java.util.Optional;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Printer;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.interpreter.agreement.Agreement;
import org.hlo4j.interpreter.agreement.Evaluators;
import org.hlo4j.testing.Nightly;
import org.junit.jupiter.api.Test;

/**
 * Random programs with reductions beside the reference: as one fusion, in both forms of its loops,
 * and as the evaluator fuses them. The message of a failure has the seed and the module. {@code
 * -Dhlo4j.rows.seeds} sets how many, {@code …first} the first seed, {@code …elements} how many
 * elements they reduce at most.
 */
final class RandomRowsTest {
  private static final int SEEDS = Integer.getInteger("hlo4j.rows.seeds", Nightly.isOn() ? 30 : 12);

  private static final int FIRST = Integer.getInteger("hlo4j.rows.first", 0);
  private static final int MOST_ELEMENTS = Integer.getInteger("hlo4j.rows.elements", 3000);

  @Test
  void likeTheReference() {
    int kernels = 0;
    for (int seed = FIRST; seed < FIRST + SEEDS; seed++) {
      kernels += check(seed) ? 1 : 0;
    }
    assertThat(kernels).isAtLeast(SEEDS / 3);
  }

  /** {@return whether there is a kernel for the whole program} */
  private static boolean check(int seed) {
    int size = 2 + seed % 20;
    HloModule fusion = RandomRows.fusion(seed, size, MOST_ELEMENTS);
    HloModule plain = RandomRows.plain(seed, size, MOST_ELEMENTS);
    Literal[] arguments = ReducePrograms.TESTER.arguments(plain, seed);
    EvaluatorOptions options = EvaluatorOptions.builder().threads(1 + seed % 3).build();
    try {
      Literal want = Evaluators.both(options).run(plain, arguments);
      boolean hasKernel = ReduceKernels.kernel(fusion.entry().root()).kernel().isPresent();
      if (hasKernel) {
        Literal got = ReducePrograms.TESTER.result(fusion, arguments);
        assertThat(difference(plain, options, got, want, arguments)).isEmpty();
      }
      return hasKernel;
    } catch (RuntimeException | Error problem) {
      throw new AssertionError("seed " + seed + "\n" + Printer.print(plain), problem);
    }
  }

  private static Optional<String> difference(
      HloModule module, EvaluatorOptions options, Literal got, Literal want, Literal... arguments) {
    return Agreement.difference(
        module,
        options,
        got,
        want,
        (shifted, within) -> () -> Interpreter.reference(within).run(shifted, arguments));
  }
}
