package org.hlo4j.interpreter.compiled.gemm;

import static com.google.common.truth.Truth.assertWithMessage;

import java.util.Map;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Executable;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.interpreter.compiled.KernelTester;
import org.hlo4j.testing.Nightly;
import org.junit.jupiter.api.Test;

/**
 * Random dots beside the reference, whose sums are exact: in all forms of their kernels, and in
 * executables with a side bound, which several threads run at once before tiles are ready and
 * after. {@code -Dhlo4j.dots.seeds} sets how many, {@code …first} the first seed, {@code …work} the
 * multiply-adds of each at most.
 */
final class RandomDotsTest {
  private static final int SEEDS = Integer.getInteger("hlo4j.dots.seeds", Nightly.isOn() ? 30 : 12);

  private static final int FIRST = Integer.getInteger("hlo4j.dots.first", 0);
  private static final int MOST_WORK = Integer.getInteger("hlo4j.dots.work", 100_000);
  private static final int RUNS = 6;

  @Test
  void likeTheReference() {
    for (int seed = FIRST; seed < FIRST + SEEDS; seed++) {
      HloModule dot = RandomDots.dot(seed, MOST_WORK);
      try {
        checkPrograms(seed % 2 == 0 ? dot : RandomDots.withBias(seed, MOST_WORK), dot, seed);
      } catch (RuntimeException | Error problem) {
        throw new AssertionError("seed " + seed + ": " + dot.entry().root(), problem);
      }
    }
  }

  private static void checkPrograms(HloModule module, HloModule dot, int seed) {
    Literal[] some = RandomDots.arguments(module, seed);
    Literal[] others = some.clone();
    others[1] = RandomDots.arguments(module, seed + 1_000_000)[1];
    Literal want = Interpreter.reference().run(module, some);
    Literal wantOther = Interpreter.reference().run(module, others);
    EvaluatorOptions options = EvaluatorOptions.builder().threads(1 + seed % 3).build();
    Executable whole = Interpreter.compiled(options).compile(module);
    Executable bound = whole.bind(Map.of("b", some[1]));
    Executable boundToOther = whole.bind(Map.of("b", others[1]));
    Executable boundLeft = whole.bind(Map.of("a", some[0]));
    Runnable runs =
        () ->
            IntStream.range(0, RUNS)
                .parallel()
                .forEach(run -> {
                  assertEqual("whole", whole.run(some), want);
                  assertEqual("bound", bound.run(without(1, some)), want);
                  assertEqual("bound to other", boundToOther.run(without(1, some)), wantOther);
                  assertEqual("bound left", boundLeft.run(without(0, others)), wantOther);
                });
    runs.run();
    Products.tester(DotKernels::kernel).check(KernelTester.EXACT, dot, some[0], some[1]);
    runs.run(); // tiles are ready
  }

  private static Literal[] without(int number, Literal... arguments) {
    return IntStream.range(0, arguments.length)
        .filter(i -> i != number)
        .mapToObj(i -> arguments[i])
        .toArray(Literal[]::new);
  }

  private static void assertEqual(String what, Literal got, Literal want) {
    assertWithMessage(what).that(got).isEqualTo(want);
  }
}
