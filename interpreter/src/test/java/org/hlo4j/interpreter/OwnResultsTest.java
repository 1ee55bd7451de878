package org.hlo4j.interpreter;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.ElementType.F32;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.agreement.Evaluators;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Nobody's arrays are overwritten but those that the caller of unsafeRunInto alone holds. */
@ParameterizedClass
@EnumSource(Evaluators.class)
final class OwnResultsTest {
  private static final String REFUSAL =
      "run: result got an array of %s that is also a constant, an argument, bound, handed out or"
          + " there twice, want one of its own, as newResult() makes them";

  /** Wide enough that storage is used again. */
  private static final int SIZE = 2000;

  private static final String BODIES =
      """
      HloModule m
      ones { o.p = f32[2000] parameter(0) o.c = f32[] constant(1)
        ROOT o.r = f32[2000] broadcast(o.c), dimensions={} }
      same { ROOT s.p = f32[2000] parameter(0) }
      five { f.p = f32[2000] parameter(0) ROOT f.c = f32[2] constant({5, 5}) }
      six { x.p = f32[2000] parameter(0) ROOT x.c = f32[2] constant({6, 6}) }
      never { n.p = f32[2000] parameter(0) ROOT n.r = pred[] constant(false) }
      once { i.p = (s32[], f32[2000]) parameter(0) i.i = s32[] get-tuple-element(i.p), index=0
        i.c = s32[] constant(1) ROOT i.r = pred[] compare(i.i, i.c), direction=LT }
      count { t.p = (s32[], f32[2000]) parameter(0) t.i = s32[] get-tuple-element(t.p), index=0
        t.x = f32[2000] get-tuple-element(t.p), index=1 t.c = s32[] constant(1)
        t.n = s32[] add(t.i, t.c) ROOT t.r = (s32[], f32[2000]) tuple(t.n, t.x) }
      """;

  @Parameter private Evaluators evaluators = Evaluators.REFERENCE;

  private Executable compiled(String entry) {
    return evaluators.alone(EvaluatorOptions.defaults()).compile(module(entry));
  }

  private static HloModule module(String entry) {
    return Parser.parse(BODIES + "ENTRY e { x = f32[2000] parameter(0) " + entry + "\n}");
  }

  private static Literal full(double value) {
    return Literal.full(Shape.of(F32, SIZE), value);
  }

  private static String refusal(Executable program, Literal result, Literal... arguments) {
    return assertThrows(HloException.class, () -> program.unsafeRunInto(result, arguments))
        .summary();
  }

  /** Each result has an array of the argument, of a constant, or one twice, but for copies. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "ROOT r = f32[2000] copy(x)",
        "ROOT r = f32[2000] opt-barrier(x)",
        "n = f32[2000] negate(x) ROOT r = (f32[2000], f32[2000]) tuple(x, n)",
        "n = f32[2000] negate(x) ROOT r = (f32[2000], f32[2000]) tuple(n, n)",
        "c = f32[2] constant({1, 2}) ROOT r = (f32[2]) tuple(c)",
        "ROOT r = f32[2] constant({1, 2})",
        "ROOT r = f32[] constant(1)",
        "ROOT r = (f32[2], (s32[])) constant(({1, 2}, (3)))",
        "c = f32[2] constant({1, 2}) ROOT r = f32[2,1] reshape(c)",
        "ROOT r = f32[20,100] reshape(x)",
        "ROOT r = f32[2000] call(x), to_apply=same",
        "ROOT r = f32[2000] while(x), condition=never, body=same",
        "c = pred[] constant(true) ROOT r = f32[2000] conditional(c, x, x), "
            + "true_computation=same, false_computation=ones",
        "z = s32[] constant(0) t = (s32[], f32[2000]) tuple(z, x) w = (s32[], "
            + "f32[2000]) while(t), condition=once, body=count ROOT r = f32[2000] "
            + "get-tuple-element(w), index=1",
        "n = f32[2000] negate(x) ROOT r = f32[2000] negate(n)",
        "z = f32[] constant(0) ROOT r = f32[2000] pad(x, z), padding=0_0",
        "ROOT r = f32[2000] slice(x), slice={[0:2000]}",
        "s = (f32[2000], f32[2000], u32[]) copy-start(x) ROOT r = f32[2000] copy-done(s)",
        "a = ((f32[2000]), f32[2000], u32[]) call-start(x), to_apply=same ROOT r = "
            + "f32[2000] call-done(a)",
        "ROOT r = f32[2000] custom-call(x), custom_call_target=\"Sharding\"",
        "ROOT r = f32[2000] all-gather(x), dimensions={0}",
        "t = (f32[2000], f32[2000]) tuple(x, x) ROOT r = ((f32[2000], f32[2000]), "
            + "f32[2000]) tuple(t, x)"
      })
  void aResultIsInArraysOfItsOwn(String entry) {
    Executable program = compiled(entry);
    Literal x = full(3);
    Literal first = program.run(x);
    String before = first.toHloText();
    Set<Object> arrays = Collections.newSetFromMap(new IdentityHashMap<>());
    arrays.add(x.unsafeStorage());
    first.arrays().forEach(array -> assertThat(arrays.add(array.unsafeStorage())).isTrue());
    program.unsafeRunInto(first, full(4));
    assertThat(first).isEqualTo(program.run(full(4)));
    assertThat(x).isEqualTo(full(3));
    assertThat(program.run(x).toHloText()).isEqualTo(before);
    Literal own = program.newResult();
    program.unsafeRunInto(own, x);
    assertThat(own.toHloText()).isEqualTo(before);
  }

  /** A server refills its array: neither an answer of before nor what was fed out changes. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "y = f32[2000] negate(x) ROOT r = f32[2000] negate(y)",
        "z = f32[] constant(0) ROOT r = f32[2000] pad(x, z), padding=0_0",
        "ROOT r = f32[2000] slice(x), slice={[0:2000]}",
        "ROOT r = f32[2000] copy(x)",
        "ROOT r = f32[2000] while(x), condition=never, body=same",
        "ROOT r = f32[2000] custom-call(x), custom_call_target=\"Sharding\"",
        "t = token[] after-all() o = token[] outfeed(x, t), outfeed_shape=f32[2000]"
            + " ROOT r = f32[2000] add-dependency(x, o)",
        "t = token[] after-all() y = f32[2000] negate(x) n = f32[2000] negate(y)"
            + " p = (f32[2000], f32[2000]) tuple(n, x)"
            + " o = token[] outfeed(p, t), outfeed_shape=(f32[2000], f32[2000])"
            + " ROOT r = f32[2000] copy(n)",
        "t = token[] after-all() s = (f32[2000], u32[], token[]) send(x, t), channel_id=1"
            + " d = token[] send-done(s), channel_id=1 ROOT r = f32[2000] add-dependency(x, d)"
      })
  void anArgumentMayBeRefilled(String entry) {
    Transfers transfers = Transfers.create();
    Evaluator evaluator = evaluators.alone(EvaluatorOptions.builder().transfers(transfers).build());
    Executable program = evaluator.compile(module(entry));
    float[] array = new float[SIZE];
    Literal x = Literal.unsafeOf(Shape.of(F32, SIZE), array);
    for (int run = 1; run <= 3; run++) {
      float expected = run;
      Arrays.fill(array, run);
      Literal result = program.run(x);
      List<Literal> out = new ArrayList<>(transfers.takeFedOut());
      out.addAll(transfers.takeSent(1));
      Arrays.fill(array, 9);
      assertThat(result).isEqualTo(full(run));
      assertThat(out.size()).isEqualTo(entry.contains("after-all") ? 1 : 0);
      for (Literal value : out) {
        value.arrays().forEach(each -> assertThat(each.getFloat(SIZE - 1)).isEqualTo(expected));
      }
    }
  }

  /** The array is longer than the literal; it never leaves the evaluator. */
  @Test
  void aResultIsAsLongAsItsShape() {
    Literal x = Literal.unsafeOf(Shape.of(F32, SIZE), new float[SIZE + 1]);
    Executable program = compiled("ROOT r = f32[2000] copy(x)");
    assertThat(program.run(x)).isEqualTo(full(0));
    Literal own = program.newResult();
    program.unsafeRunInto(own, x);
    assertThat(own).isEqualTo(full(0));
  }

  @Test
  void aConstantOfABranchStaysWhenTheOtherIsTaken() {
    Executable program =
        compiled(
            "z = f32[] constant(0) y = f32[1] slice(x), slice={[0:1]} s = f32[] reshape(y)"
                + " p = pred[] compare(s, z), direction=LT ROOT r = f32[2] conditional(p, x, x),"
                + " true_computation=five, false_computation=six");
    Literal five = program.run(full(-1));
    program.unsafeRunInto(five, full(1));
    assertThat(five.toHloText()).isEqualTo("{6, 6}");
    assertThat(program.run(full(-1)).toHloText()).isEqualTo("{5, 5}");
    assertThat(program.run(full(1)).toHloText()).isEqualTo("{6, 6}");
  }

  @Test
  void aComputedResultIsWrittenToAgain() {
    Executable program = compiled("ROOT r = f32[2000] negate(x)");
    Literal result = program.run(full(1));
    program.unsafeRunInto(result, full(2));
    assertThat(result).isEqualTo(full(-2));
    Literal other = program.newResult();
    program.unsafeRunInto(other, result);
    program.unsafeRunInto(result, other);
    assertThat(result).isEqualTo(full(-2));
  }

  @Test
  void boundArgumentsAreRefused() {
    Executable program = compiled("y = f32[2000] parameter(1) ROOT r = f32[2000] multiply(x, y)");
    Literal weights = full(2);
    Executable bound = program.bind(Map.of("y", weights));
    String want = String.format(REFUSAL, "f32[2000]");
    assertThat(refusal(bound, weights, full(1))).isEqualTo(want);
    assertThat(refusal(program, weights, full(1), full(5))).isEqualTo(want);
    assertThat(refusal(program.bind(Map.of("x", full(1))), weights, full(5))).isEqualTo(want);
    assertThat(refusal(compiled("ROOT r = f32[2000] negate(x)"), weights, full(1))).isEqualTo(want);
    assertThat(bound.run(full(3))).isEqualTo(full(6));
    Literal own = bound.newResult();
    bound.unsafeRunInto(own, full(3));
    assertThat(own).isEqualTo(full(6));
  }

  @Test
  void aConstantIsRefusedThatNoRunHasReturned() {
    HloModule module = module("c = f32[2] constant({1, 2}) ROOT r = f32[2] negate(c)");
    Literal constant = ((Constant) module.entry().root().operands().get(0).op()).literal();
    Executable program = evaluators.alone(EvaluatorOptions.defaults()).compile(module);
    assertThat(refusal(program, constant, full(1))).isEqualTo(String.format(REFUSAL, "f32[2]"));
    assertThat(program.run(full(1)).toHloText()).isEqualTo("{-1, -2}");
  }

  /**
   * What a device sends to another is written to by nobody; the results are arrays of their own.
   */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "ROOT r = f32[2000] collective-permute(x), source_target_pairs={{0,1},{1,0}}",
        "ROOT r = f32[2000] collective-broadcast(x), replica_groups={{0,1}}",
        "ROOT r = (f32[2000], f32[2000]) all-to-all(x, x), replica_groups={{0,1}}",
        "p = f32[2000] collective-permute(x), source_target_pairs={{0,1},{1,0}}"
            + " ROOT r = (f32[2000], f32[2000]) tuple(p, x)",
        "ROOT r = f32[2000] call(x), to_apply=same"
      })
  void devicesShareNoResults(String entry) {
    Evaluator evaluator = evaluators.alone(EvaluatorOptions.defaults());
    Literal x = full(7);
    List<Literal> results =
        evaluator.runOnDevices(
            module(entry), new DeviceGrid(2, 1), Collections.nCopies(2, List.of(x)));
    Set<Object> arrays = Collections.newSetFromMap(new IdentityHashMap<>());
    arrays.add(x.unsafeStorage());
    results.stream()
        .flatMap(result -> result.arrays().stream())
        .forEach(array -> assertThat(arrays.add(array.unsafeStorage())).isTrue());
    Executable negated = compiled("ROOT r = f32[2000] negate(x)");
    negated.unsafeRunInto(results.get(1).arrays().get(0), full(3));
    assertThat(results.get(0).arrays().get(0)).isEqualTo(full(7));
    if (entry.contains("call(x)")) {
      negated.unsafeRunInto(x, full(3));
    } else {
      assertThat(refusal(negated, x, full(3))).isEqualTo(String.format(REFUSAL, "f32[2000]"));
    }
  }

  @Test
  void whatQueuesAndFunctionsHoldIsRefused() {
    Transfers transfers = Transfers.create();
    Literal kept = full(8);
    List<Literal> got = new ArrayList<>();
    EvaluatorOptions options =
        EvaluatorOptions.builder()
            .transfers(transfers)
            .customCall(
                "kept",
                (call, operands) -> {
                  got.addAll(operands);
                  return kept;
                })
            .build();
    HloModule module =
        module(
            """
            t = token[] after-all() i = (f32[2000], token[]) infeed(t)
            y = f32[2000] get-tuple-element(i), index=0
            n = f32[2000] negate(x) o = token[] outfeed(n, t), outfeed_shape=f32[2000]
            k = f32[2000] custom-call(n), custom_call_target="kept"
            ROOT r = (f32[2000], f32[2000], f32[2000]) tuple(n, y, k)
            """);
    Executable program = evaluators.alone(options).compile(module);
    Literal fed = full(4);
    transfers.feedIn(fed, fed, fed, fed);
    Literal result = program.run(full(1));
    Executable negated = compiled("ROOT r = f32[2000] negate(x)");
    List<Literal> held = new ArrayList<>(transfers.takeFedOut());
    held.addAll(List.of(fed, kept, got.get(0)));
    for (Literal each : held) {
      assertThat(refusal(negated, each, full(3))).isEqualTo(String.format(REFUSAL, "f32[2000]"));
    }
    program.unsafeRunInto(result, full(1));
    program.unsafeRunInto(result, full(2));
    assertThat(transfers.takeFedOut()).containsExactly(full(-1), full(-2)).inOrder();
    assertThat(got).containsExactly(full(-1), full(-1), full(-2)).inOrder();
    assertThat(held).containsExactly(full(-1), full(4), full(8), full(-1)).inOrder();
    assertThat(result).isEqualTo(Literal.tuple(full(-2), full(4), full(8)));
  }

  /** Who throws may have kept what it was handed. */
  @Test
  void whatAFunctionHoldsThatThrewIsRefused() {
    List<Literal> got = new ArrayList<>();
    EvaluatorOptions options =
        EvaluatorOptions.builder()
            .customCall(
                "kept",
                (call, operands) -> {
                  got.addAll(operands);
                  throw new IllegalStateException("broken");
                })
            .build();
    Executable program =
        evaluators
            .alone(options)
            .compile(module("ROOT r = f32[2000] custom-call(x), custom_call_target=\"kept\""));
    Literal x = full(1);
    HloException thrown = assertThrows(HloException.class, () -> program.run(x));
    assertThat(thrown).hasCauseThat().isInstanceOf(IllegalStateException.class);
    Executable negated = compiled("ROOT r = f32[2000] negate(x)");
    assertThat(got).containsExactly(x);
    assertThat(refusal(negated, x, full(3))).isEqualTo(String.format(REFUSAL, "f32[2000]"));
  }

  /** The list of operands is the function's to read. */
  @Test
  void aFunctionDoesNotChangeItsOperands() {
    EvaluatorOptions options =
        EvaluatorOptions.builder()
            .customCall(
                "sets",
                (call, operands) -> {
                  assertThrows(UnsupportedOperationException.class, () -> operands.set(0, full(9)));
                  return operands.get(0);
                })
            .build();
    Literal result =
        evaluators
            .alone(options)
            .run(
                module(
                    "c = f32[2000] custom-call(x), custom_call_target=\"sets\""
                        + " ROOT r = f32[2000] add(c, x)"),
                full(1));
    assertThat(result).isEqualTo(full(2));
  }

  @Test
  void whatAListenerHoldsIsRefused() {
    List<Literal> got = new ArrayList<>();
    EvaluatorOptions options =
        EvaluatorOptions.builder()
            .valueListener((device, instruction, value) -> got.add(value))
            .build();
    Executable program = evaluators.alone(options).compile(module("ROOT r = f32[2000] negate(x)"));
    Literal x = full(1);
    Literal result = program.run(x);
    Executable negated = compiled("ROOT r = f32[2000] negate(x)");
    for (Literal each : got) {
      assertThat(refusal(negated, each, full(3))).isEqualTo(String.format(REFUSAL, "f32[2000]"));
    }
    program.unsafeRunInto(result, full(2));
    assertThat(got).containsExactly(full(1), full(-1), full(2), full(-2)).inOrder();
    assertThat(result).isEqualTo(full(-2));
  }

  /** The state of a loop that is fed out in each iteration is not computed in place. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          n = f32[2000] negate(s)        | o = token[] outfeed(n, t), outfeed_shape=f32[2000]
          n = f32[2000] exponential(s)   | o = token[] outfeed(n, t), outfeed_shape=f32[2000]
          n = f32[2000] dynamic-update-slice(s, one, i) | o = token[] outfeed(n, t), outfeed_shape=f32[2000]
          n = f32[2000] dynamic-update-slice(s, one, i) | v = (f32[2000]) tuple(n) o = token[] outfeed(v, t), outfeed_shape=(f32[2000])
          n = f32[2000] dynamic-update-slice(s, one, i) | o = (f32[2000], u32[], token[]) send(n, t), channel_id=1 d = token[] send-done(o), channel_id=1
          """)
  void whatALoopFeedsOutStays(String step, String out) {
    HloModule module =
        Parser.parse(
            """
            HloModule m
            less { c.p = (s32[], f32[2000]) parameter(0) c.i = s32[] get-tuple-element(c.p), index=0
              c.n = s32[] constant(3) ROOT c.r = pred[] compare(c.i, c.n), direction=LT }
            body { p = (s32[], f32[2000]) parameter(0) i = s32[] get-tuple-element(p), index=0
              s = f32[2000] get-tuple-element(p), index=1 t = token[] after-all()
              one = f32[1] constant({1})
              STEP
              OUT
              c = s32[] constant(1) j = s32[] add(i, c) ROOT r = (s32[], f32[2000]) tuple(j, n) }
            ENTRY e { x = f32[2000] parameter(0) z = s32[] constant(0)
              a = (s32[], f32[2000]) tuple(z, x)
              w = (s32[], f32[2000]) while(a), condition=less, body=body
              ROOT g = f32[2000] get-tuple-element(w), index=1 }
            """
                .replace("STEP", step)
                .replace("OUT", out));
    Transfers transfers = Transfers.create();
    EvaluatorOptions options = EvaluatorOptions.builder().transfers(transfers).build();
    Literal result = evaluators.alone(options).run(module, full(0.5));
    List<Literal> seen = out.contains("send(") ? transfers.takeSent(1) : transfers.takeFedOut();
    List<String> firsts =
        seen.stream()
            .map(value -> value.elements().isEmpty() ? value : value.element(0))
            .map(value -> value.getFloat(0) + " " + value.getFloat(1) + " " + value.getFloat(2))
            .toList();
    String want =
        step.contains("negate")
            ? "[-0.5 -0.5 -0.5, 0.5 0.5 0.5, -0.5 -0.5 -0.5]"
            : "[1.0 0.5 0.5, 1.0 1.0 0.5, 1.0 1.0 1.0]";
    if (step.contains("exponential")) {
      assertThat(Collections.frequency(firsts, firsts.get(0))).isEqualTo(1);
    } else {
      assertThat(firsts.toString()).isEqualTo(want);
    }
    assertThat(result.getFloat(0))
        .isEqualTo(
            seen.get(2).elements().isEmpty()
                ? seen.get(2).getFloat(0)
                : seen.get(2).element(0).getFloat(0));
  }
}
