package org.hlo4j.interpreter.broadcast;

import static com.google.common.truth.Truth.assertThat;
import static com.google.common.truth.Truth.assertWithMessage;
import static org.hlo4j.builder.broadcast.BroadcastPolicies.numpy;
import static org.hlo4j.builder.broadcast.BroadcastPolicies.pdpd;
import static org.hlo4j.hlo.ElementType.PRED;
import static org.hlo4j.hlo.ElementType.S32;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.hlo4j.builder.BroadcastPolicy;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.builder.broadcast.BroadcastMode;
import org.hlo4j.builder.broadcast.Broadcasts;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Reshape;
import org.hlo4j.interpreter.agreement.Evaluators;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Tag;

/**
 * Random shapes of rank 0 to 5 and sizes 0 to 4: a policy accepts what {@link PolicyOracle} accepts
 * and nothing else, computes the same values, and makes a module the strict verifier passes, with
 * no instruction more than needed.
 */
@Tag("thorough")
class PolicyPropertyTest {
  private static final int CASES = Boolean.getBoolean("hlo4j.test.nightly") ? 1000 : 200;

  @RepeatedTest(2)
  void numpyOfTwo(RepetitionInfo repetition) {
    Random random = new Random(repetition.getCurrentRepetition());
    int accepted = 0;
    for (int i = 0; i < CASES; i++) {
      Dims a = sizes(random);
      Dims b = random.nextBoolean() ? variation(random, a) : sizes(random);
      Optional<PolicyOracle.Aligned> oracle = PolicyOracle.numpy(a, b);
      checkSub(numpy(), a, b, oracle);
      accepted += oracle.isPresent() ? 1 : 0;
    }
    assertThat(accepted).isGreaterThan(CASES / 5);
    assertThat(accepted).isLessThan(CASES - CASES / 5);
  }

  @RepeatedTest(2)
  void pdpdOfTwo(RepetitionInfo repetition) {
    Random random = new Random(100 + repetition.getCurrentRepetition());
    int accepted = 0;
    for (int i = 0; i < CASES; i++) {
      Dims a = sizes(random);
      Dims b = random.nextInt(4) > 0 ? variation(random, a) : sizes(random);
      int axis = random.nextInt(8) - 2;
      Optional<PolicyOracle.Aligned> oracle = PolicyOracle.pdpd(a, b, axis);
      checkSub(pdpd(axis), a, b, oracle);
      accepted += oracle.isPresent() ? 1 : 0;
    }
    assertThat(accepted).isGreaterThan(CASES / 10);
    assertThat(accepted).isLessThan(CASES - CASES / 10);
  }

  @RepeatedTest(1)
  void numpyOfThree(RepetitionInfo repetition) {
    Random random = new Random(200 + repetition.getCurrentRepetition());
    for (int i = 0; i < CASES; i++) {
      Dims pred = sizes(random);
      Dims onTrue = variation(random, pred);
      Dims onFalse = variation(random, onTrue);
      checkSelect(pred, onTrue, onFalse);
    }
  }

  @RepeatedTest(1)
  void bidirectional(RepetitionInfo repetition) {
    checkTargets(
        300 + repetition.getCurrentRepetition(),
        BroadcastMode.BIDIRECTIONAL,
        pair -> PolicyOracle.numpy(pair[0], pair[1]));
  }

  @RepeatedTest(1)
  void oneDirectional(RepetitionInfo repetition) {
    checkTargets(
        400 + repetition.getCurrentRepetition(),
        BroadcastMode.NUMPY,
        pair ->
            PolicyOracle.oneWay(pair[0], pair[1])
                .map(aligned ->
                    new PolicyOracle.Aligned(
                        aligned.result(), List.of(aligned.operands().get(1)))));
  }

  private static Dims sizes(Random random) {
    return Dims.of(random.longs(random.nextInt(6), 0, 5).toArray());
  }

  /** Some of the last dimensions, or some in the middle, some of them made 1. */
  private static Dims variation(Random random, Dims sizes) {
    int from = random.nextInt(sizes.count() + 1);
    int to =
        random.nextInt(3) > 0 ? sizes.count() : from + random.nextInt(sizes.count() - from + 1);
    long[] varied =
        IntStream.range(from, to)
            .mapToLong(i -> random.nextInt(3) == 0 ? 1 : sizes.get(i))
            .toArray();
    if (varied.length > 0 && random.nextInt(4) == 0) {
      varied[random.nextInt(varied.length)] = random.nextInt(5);
    }
    return Dims.of(varied);
  }

  private static void checkSub(
      BroadcastPolicy policy, Dims a, Dims b, Optional<PolicyOracle.Aligned> oracle) {
    String what = a + " - " + b + " by " + policy;
    XlaBuilder builder = new XlaBuilder("property");
    XlaOp lhs = builder.parameter(0, Shape.of(S32, a), "lhs");
    XlaOp rhs = builder.parameter(1, Shape.of(S32, b), "rhs");
    try {
      HloModule module = builder.build(lhs.sub(rhs, policy));
      assertWithMessage("%s is accepted", what).that(oracle.isPresent()).isTrue();
      Literal left = counting(a, 1);
      Literal right = counting(b, 1000);
      int[] leftSources = oracle.orElseThrow().sources(0);
      int[] rightSources = oracle.orElseThrow().sources(1);
      LiteralBuilder expected = new LiteralBuilder(Shape.of(S32, oracle.orElseThrow().result()));
      for (int i = 0; i < leftSources.length; i++) {
        expected.setLong(i, left.longAt(leftSources[i]) - right.longAt(rightSources[i]));
      }
      check(what, module, expected.build(), left, right);
    } catch (HloException refusal) {
      assertWithMessage("%s: %s", what, refusal.getMessage()).that(oracle.isEmpty()).isTrue();
    }
  }

  private static void checkSelect(Dims p, Dims t, Dims f) {
    String what = "select of " + p + ", " + t + ", " + f;
    Optional<PolicyOracle.Aligned> oracle = PolicyOracle.numpy(p, t, f);
    XlaBuilder builder = new XlaBuilder("property");
    XlaOp pred = builder.parameter(0, Shape.of(PRED, p), "pred");
    XlaOp onTrue = builder.parameter(1, Shape.of(S32, t), "on_true");
    XlaOp onFalse = builder.parameter(2, Shape.of(S32, f), "on_false");
    try {
      HloModule module = builder.build(pred.select(onTrue, onFalse, numpy()));
      assertWithMessage("%s is accepted", what).that(oracle.isPresent()).isTrue();
      LiteralBuilder alternating = new LiteralBuilder(Shape.of(PRED, p));
      for (int i = 0; i < p.product(); i++) {
        alternating.setBoolean(i, i % 2 == 0);
      }
      PolicyOracle.Aligned aligned = oracle.orElseThrow();
      LiteralBuilder expected = new LiteralBuilder(Shape.of(S32, aligned.result()));
      int[] predSources = aligned.sources(0);
      int[] trueSources = aligned.sources(1);
      int[] falseSources = aligned.sources(2);
      for (int i = 0; i < predSources.length; i++) {
        boolean holds = predSources[i] % 2 == 0;
        expected.setLong(i, holds ? trueSources[i] + 1 : (falseSources[i] + 1) * 1000);
      }
      check(what, module, expected.build(), alternating.build(), counting(t, 1), counting(f, 1000));
    } catch (HloException refusal) {
      assertWithMessage("%s: %s", what, refusal.getMessage()).that(oracle.isEmpty()).isTrue();
    }
  }

  private static void checkTargets(
      int seed, BroadcastMode mode, Function<Dims[], Optional<PolicyOracle.Aligned>> rule) {
    Random random = new Random(seed);
    int accepted = 0;
    for (int i = 0; i < CASES; i++) {
      Dims target = sizes(random);
      Dims data = random.nextInt(4) > 0 ? variation(random, target) : sizes(random);
      Optional<PolicyOracle.Aligned> oracle = rule.apply(new Dims[] {data, target});
      checkTarget(mode, data, target, oracle);
      accepted += oracle.isPresent() ? 1 : 0;
    }
    assertThat(accepted).isGreaterThan(CASES / 5);
    assertThat(accepted).isLessThan(CASES);
  }

  private static void checkTarget(
      BroadcastMode mode, Dims data, Dims target, Optional<PolicyOracle.Aligned> oracle) {
    String what = data + " to " + target + " in mode " + mode;
    XlaBuilder builder = new XlaBuilder("property");
    XlaOp operand = builder.parameter(0, Shape.of(S32, data), "data");
    try {
      HloModule module = builder.build(Broadcasts.broadcast3(operand, target, mode));
      assertWithMessage("%s is accepted", what).that(oracle.isPresent()).isTrue();
      LiteralBuilder expected = new LiteralBuilder(Shape.of(S32, oracle.orElseThrow().result()));
      int[] sources = oracle.orElseThrow().sources(0);
      for (int i = 0; i < sources.length; i++) {
        expected.setLong(i, sources[i] + 1);
      }
      check(what, module, expected.build(), counting(data, 1));
    } catch (HloException refusal) {
      assertWithMessage("%s: %s", what, refusal.getMessage()).that(oracle.isEmpty()).isTrue();
    }
  }

  private static void check(String what, HloModule module, Literal expected, Literal... arguments) {
    Verifier.strict().verify(module);
    Literal result = Evaluators.both().run(module, arguments);
    assertWithMessage(what).that(result).isEqualTo(expected);
    List<HloInstruction> instructions = module.entry().instructions();
    for (HloInstruction parameter : module.entry().parameters()) {
      boolean fits =
          ((Shape.Array) parameter.shape()).sizes().equals(expected.arrayShape().sizes());
      List<Class<?>> between =
          instructions.stream()
              .filter(instruction -> comesFrom(instruction, parameter))
              .<Class<?>>map(instruction -> instruction.op().getClass())
              .toList();
      assertWithMessage("%s: %s", what, parameter).that(between).containsNoDuplicates();
      if (fits) {
        assertWithMessage("%s: %s", what, parameter).that(between).isEmpty();
      }
    }
    long others =
        instructions.stream().filter(i -> !(i.op() instanceof Parameter || isMovement(i))).count();
    assertThat(others).isAtMost(1);
  }

  private static boolean isMovement(HloInstruction instruction) {
    return instruction.op() instanceof Broadcast || instruction.op() instanceof Reshape;
  }

  private static boolean comesFrom(HloInstruction instruction, HloInstruction parameter) {
    return isMovement(instruction)
        && instruction.operands().stream()
            .anyMatch(operand -> operand == parameter || comesFrom(operand, parameter));
  }

  private static Literal counting(Dims sizes, int step) {
    int[] values = new int[(int) sizes.product()];
    Arrays.setAll(values, i -> (i + 1) * step);
    return Literal.of(values).withShape(Shape.of(S32, sizes));
  }
}
