package org.hlo4j.interpreter.bounded;

import static com.google.common.truth.Truth.assertWithMessage;
import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.Executable;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.interpreter.agreement.Evaluators;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Programs with bounded sizes beside their static twins, drawn op by op: both evaluators, step by
 * step and compiled for the sizes, first and later runs, arguments bound and not. {@code
 * -Dhlo4j.fuzz.modules} sets how many, {@code …seed} the first seed.
 */
final class BoundedTwinsTest {
  private static final long SEED = Long.getLong("hlo4j.fuzz.seed", 0);
  private static final long PROGRAMS =
      Long.getLong("hlo4j.fuzz.modules", Boolean.getBoolean("hlo4j.test.nightly") ? 120 : 40);
  private static final int GROUP = 40;

  static LongStream groups() {
    return LongStream.range(0, Math.ceilDiv(PROGRAMS, GROUP)).map(group -> SEED + group * GROUP);
  }

  @ParameterizedTest
  @MethodSource("groups")
  void boundedAsItsTwin(long first) {
    for (long seed = first; seed < Math.min(first + GROUP, SEED + PROGRAMS); seed++) {
      check(seed);
    }
  }

  private static void check(long seed) {
    TwinPrograms programs = drawn(seed);
    String text = programs.bounded() + "\n" + programs.twin();
    Literal twin = run(programs.twin(), programs, seed, text);
    Literal bounded = run(programs.bounded(), programs, seed, text);
    assertWithMessage("seed %s: %s", seed, text).that(bounded).isEqualTo(twin);
    if (seed % 3 == 0) {
      checkBound(programs, seed);
    }
  }

  /** Every second argument is bound. */
  private static void checkBound(TwinPrograms programs, long seed) {
    Executable program = Interpreter.compiled().compile(Parser.parse(programs.bounded()));
    Map<String, Literal> bound = new HashMap<>();
    List<Literal> others = new ArrayList<>();
    Literal[] arguments = programs.arguments();
    for (int i = 0; i < arguments.length; i++) {
      if (i % 2 == 0) {
        bound.put(program.parameterNames().get(i), arguments[i]);
      } else {
        others.add(arguments[i]);
      }
    }
    assertWithMessage("bound, seed %s: %s", seed, programs.bounded())
        .that(program.bind(bound).run(others.toArray(Literal[]::new)))
        .isEqualTo(program.run(arguments));
  }

  private static Literal run(String program, TwinPrograms programs, long seed, String text) {
    try {
      HloModule module = Parser.parse(program);
      Verifier.strict().verify(module);
      return Evaluators.both().run(module, programs.arguments());
    } catch (HloException refusal) {
      throw new AssertionError("seed " + seed + ": " + refusal.getMessage() + "\n" + text, refusal);
    }
  }

  /** Returns programs of up to seven ops; one of them is drawn in turn. */
  private static TwinPrograms drawn(long seed) {
    Random random = new Random(seed);
    TwinPrograms programs = new TwinPrograms(random);
    List<String> ops = new ArrayList<>(TwinSteps.ALL.keySet());
    List<String> drawn = new ArrayList<>();
    for (int i = 0; i < 3 + random.nextInt(5); i++) {
      drawn.add(ops.get(random.nextInt(ops.size())));
    }
    drawn.add(ops.get((int) (seed % ops.size())));
    Collections.shuffle(drawn, random);
    for (String op : drawn) {
      TwinSteps.Step step = requireNonNull(TwinSteps.ALL.get(op));
      programs
          .any(shape -> shape.rank() <= 4 && shape.elements() <= 300)
          .ifPresent(value -> step.add(programs, value));
    }
    return programs;
  }
}
