package org.hlo4j.interpreter;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.ElementType.S32;
import static org.hlo4j.testing.LiteralSubject.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Metadata;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.hlo.op.Call;
import org.hlo4j.hlo.op.Conditional;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Sort;
import org.hlo4j.hlo.op.While;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.hlo.text.Printer;
import org.hlo4j.interpreter.agreement.Evaluators;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Modules that would take too much, of whatever it is: each ends in one clear refusal. */
@ParameterizedClass
@EnumSource(Evaluators.class)
@Timeout(value = 60, unit = TimeUnit.SECONDS)
final class LimitsTest {
  @org.junit.jupiter.params.Parameter private Evaluators evaluators = Evaluators.REFERENCE;

  /** The verifier hears an interrupt too, if nobody has heard it before. */
  private static final List<String> INTERRUPTED =
      List.of("verify: interrupted", "run: interrupted");

  private static final String OUT_OF_CODE =
      "code: 0 bytes generated, want no more; the reference computes ";

  private final XlaBuilder b = new XlaBuilder("m");

  private HloModule endless() {
    b.whileLoop(b.constant(0), i -> i.builder().constant(true), i -> i.add(i));
    return b.build();
  }

  private String refusal(HloModule module, EvaluatorOptions options) {
    Evaluator evaluator = evaluators.alone(options);
    return assertThrows(HloException.class, () -> evaluator.run(module)).summary();
  }

  @Test
  void steps() {
    EvaluatorOptions options = EvaluatorOptions.builder().maxSteps(10_000).build();
    assertThat(refusal(endless(), options)).isEqualTo("run: got beyond 10000 steps");
  }

  /**
   * The compiled evaluator counts the iterations of a loop that it runs as a whole, many at a time.
   */
  @Test
  void stepsAreCounted() {
    int iterations = evaluators == Evaluators.REFERENCE ? 30_000 : 3_000_000;
    LongAdder steps = new LongAdder();
    EvaluatorOptions options = EvaluatorOptions.builder().stepCounter(steps).build();
    HloModule module =
        Parser.parse(
            """
            HloModule loop
            body { i = s32[] parameter(0) one = s32[] constant(1) ROOT n = s32[] add(i, one) }
            below { j = s32[] parameter(0) most = s32[] constant(%d)
              ROOT l = pred[] compare(j, most), direction=LT }
            ENTRY e { zero = s32[] constant(0) ROOT w = s32[] while(zero), condition=below, body=body }
            """
                .formatted(iterations));
    evaluators.alone(options).run(module);
    assertThat(steps.sum()).isAtLeast(iterations / 3 * 2);
  }

  @Test
  void deadline() {
    EvaluatorOptions options = EvaluatorOptions.builder().deadline(Duration.ofMillis(50)).build();
    assertThat(refusal(endless(), options)).isEqualTo("run: got beyond the deadline of 50 ms");
  }

  /** A user's function that runs another program takes its time from the run that calls it. */
  @Test
  void theDeadlineHoldsForRunsWithinTheRun() {
    HloModule inner = endless();
    HloModule outer =
        Parser.parse(
            "HloModule m ENTRY e { ROOT r = s32[] custom-call(), custom_call_target=\"run\" }");
    for (Duration own : List.of(Duration.ofHours(1), Duration.ofMillis(50))) {
      Duration other = Duration.ofMillis(own.toMillis() == 50 ? 3_600_000 : 50);
      EvaluatorOptions within = EvaluatorOptions.builder().deadline(own).build();
      EvaluatorOptions options =
          EvaluatorOptions.builder()
              .deadline(other)
              .customCall("run", (call, operands) -> evaluators.alone(within).run(inner))
              .build();
      assertThat(refusal(outer, options)).isEqualTo("run: got beyond the deadline of 50 ms");
    }
  }

  @Test
  void aDeadlineThatHasPassedEndsCompilationOrTheRun() {
    EvaluatorOptions options = EvaluatorOptions.builder().deadline(Duration.ZERO).build();
    assertThat(refusal(endless(), options)).isEqualTo("run: got beyond the deadline of 0 ms");
  }

  @Test
  void interruptionEndsCompilationOrTheExplanation() {
    HloModule module = endless();
    Evaluator evaluator = evaluators.alone(EvaluatorOptions.defaults());
    Thread.currentThread().interrupt();
    HloException refusal =
        assertThrows(HloException.class, () -> evaluator.compile(module).explain());
    assertThat(Thread.interrupted()).isTrue();
    assertThat(refusal.summary()).isIn(INTERRUPTED);
    assertThat(evaluator.compile(module).explain()).contains("while");
  }

  /** Without code the reference computes all, and the plan says why. */
  @Test
  void bytesOfCode() {
    XlaOp x = b.parameter(0, Shape.of(F32, 2), "x");
    x.add(x.mul(x)).sqrt();
    HloModule module = b.build();
    Literal four = Literal.of(new float[] {4, 0});
    Evaluator evaluator = evaluators.alone(EvaluatorOptions.builder().maxCodeBytes(0).build());
    assertThat(evaluator.run(module, four)).isEqualTo(Interpreter.reference().run(module, four));
    assertThat(evaluator.compile(module).explain().contains(OUT_OF_CODE))
        .isEqualTo(evaluators == Evaluators.COMPILED);
    assertThat(evaluators.alone(EvaluatorOptions.defaults()).compile(module).explain())
        .doesNotContain("code:");
  }

  @Test
  void deadlineBeyondTheClock() {
    EvaluatorOptions options =
        EvaluatorOptions.builder().deadline(Duration.ofSeconds(Long.MAX_VALUE)).build();
    b.constant(1);
    assertThat(evaluators.alone(options).run(b.build())).isEqualTo(Literal.of(1));
  }

  private static void assertWrong(String message, Executable options) {
    assertThat(assertThrows(HloException.class, options)).hasMessageThat().isEqualTo(message);
  }

  @Test
  @SuppressWarnings("NullAway") // bad input on purpose
  void wrongOptions() {
    EvaluatorOptions.Builder options = EvaluatorOptions.builder();
    assertWrong(
        "options: deadline got -1 s, want at least 0",
        () -> options.deadline(Duration.ofSeconds(-1)));
    assertWrong("options: deadline is null", () -> options.deadline(null));
    assertWrong("options: maxCodeBytes got -1, want at least 0", () -> options.maxCodeBytes(-1));
    assertWrong(
        "options: function of the custom call f is null", () -> options.customCall("f", null));
    assertWrong("options: valueListener is null", () -> options.valueListener(null));
    Transfers proxy =
        (Transfers)
            Proxy.newProxyInstance(
                Transfers.class.getClassLoader(),
                new Class<?>[] {Transfers.class},
                (self, method, arguments) -> null);
    assertWrong(
        "options: transfers got " + proxy.getClass() + ", want those of Transfers.create()",
        () -> options.transfers(proxy));
  }

  @Test
  void interruption() {
    Thread.currentThread().interrupt();
    String refusal = refusal(endless(), EvaluatorOptions.defaults());
    assertThat(Thread.interrupted()).isTrue();
    assertThat(refusal).isIn(INTERRUPTED);
  }

  @Test
  void aSortIsStoppedInItsMiddle() {
    XlaOp x = b.iota(S32, 3_000_000);
    x.sort((p, q) -> p.lt(q), 0);
    EvaluatorOptions options = EvaluatorOptions.builder().deadline(Duration.ofMillis(20)).build();
    assertThat(refusal(b.build(), options)).startsWith("run: got beyond the deadline");
  }

  @Test
  void iotaOf2To60Elements() {
    b.iota(S32, 1L << 60);
    assertThat(refusal(b.build(), EvaluatorOptions.builder().maxBytes(1000).build()))
        .isEqualTo(
            "run: s32[1152921504606846976] has 1152921504606846976 elements, want at most"
                + " 2147483639");
  }

  @Test
  void hugeBroadcast() {
    b.constant(1f).broadcast(1L << 31, 1L << 31);
    assertThat(refusal(b.build(), EvaluatorOptions.defaults()))
        .startsWith("run: f32[2147483648,2147483648] has 4611686018427387904 elements");
  }

  /** 2^32 elements, which are none as an int. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {"{1} | s32[65536]", "{0,1} | s32[]"})
  void reduceOfAHugeBroadcast(String dimensions, String result) {
    HloModule module =
        Parser.parse(
            """
            HloModule m
            add { a = s32[] parameter(0) b = s32[] parameter(1) ROOT s = s32[] add(a, b) }
            ENTRY e { x = s32[] constant(1) y = s32[65536,65536] broadcast(x), dimensions={}
              ROOT r = RESULT reduce(y, x), dimensions=DIMENSIONS, to_apply=add }
            """
                .replace("RESULT", result)
                .replace("DIMENSIONS", dimensions));
    assertThat(refusal(module, EvaluatorOptions.defaults()))
        .isEqualTo("run: s32[65536,65536] has 4294967296 elements, want at most 2147483639");
  }

  @Test
  void bytesOfATuple() {
    XlaOp x = b.iota(S32, 1000);
    b.sort(List.of(x, x), (body, p) -> p.get(0).lt(p.get(1)), 0, true);
    assertThat(refusal(b.build(), EvaluatorOptions.builder().maxBytes(6000).build()))
        .isEqualTo(
            "run: (s32[1000], s32[1000]) of 8000 bytes beside the 4000 alive, want at most 6000"
                + " together");
  }

  /** The best few elements are found without a sort of all, which would take 20 bytes each. */
  @Test
  void bytesOfTheBestFew() {
    b.iota(S32, 10_000).topK(100, true);
    EvaluatorOptions options = EvaluatorOptions.builder().maxBytes(50_000).build();
    evaluators.alone(options).run(b.build());
  }

  /** Each computation runs the one before it; the kinds of calls alternate. */
  private static HloModule nested(int depth, List<? extends Op> kinds) {
    HloComputation callee = leaf();
    for (int i = 0; i < depth; i++) {
      callee = caller(i, kinds.get(i % kinds.size()), callee);
    }
    return HloModule.create("nested", callee);
  }

  private static HloComputation leaf() {
    HloInstruction x = HloInstruction.of("x", new Parameter(0, Shape.of(F32)));
    return HloComputation.create("leaf", List.of(x), x);
  }

  private static HloComputation caller(int i, Op op, HloComputation callee) {
    HloInstruction x = HloInstruction.of("x" + i, new Parameter(0, Shape.of(F32)));
    HloInstruction index = HloInstruction.of("i" + i, new Constant(Literal.of(0)));
    List<HloInstruction> operands = op instanceof Call ? List.of(x) : List.of(index, x);
    HloInstruction call =
        HloInstruction.create(
            "call" + i, op, operands, List.of(callee), Shape.of(F32), Metadata.NONE);
    return HloComputation.create("c" + i, List.of(x, index, call), call);
  }

  private static final List<Op> CALLS = List.of(new Call(), new Conditional(S32));

  @Test
  void nestedCallsWithinTheLimit() {
    assertThat(
            evaluators.alone(EvaluatorOptions.defaults()).run(nested(398, CALLS), Literal.of(3f)))
        .holds(3f);
  }

  @Test
  void deeperCallsAreRefused() {
    HloModule module = nested(5_000, CALLS);
    Verifier.strict().verify(module);
    assertThat(Printer.print(module)).contains("c4999");

    Evaluator evaluator = evaluators.alone(EvaluatorOptions.defaults());
    HloException refusal =
        assertThrows(HloException.class, () -> evaluator.run(module, Literal.of(3f)));
    assertThat(refusal.summary())
        .matches("run: (calls nest more than 400 deep|the stack overflowed).*");
  }

  /** A small stack may end before the limit of calls: that is a refusal as well. */
  @Test
  void aFullStackIsARefusal() throws InterruptedException {
    HloModule module = nested(398, CALLS);
    Throwable[] thrown = new Throwable[1];
    Thread thread =
        new Thread(
            null,
            () -> {
              try {
                evaluators.alone(EvaluatorOptions.defaults()).run(module, Literal.of(3f));
              } catch (RuntimeException | StackOverflowError caught) {
                thrown[0] = caught;
              }
            },
            "small",
            200_000);
    thread.start();
    thread.join();

    assertThat(thrown[0]).isInstanceOf(HloException.class);
  }

  @Test
  void nestedLoopsAndSortsEndInARefusalOnAnOrdinaryStack() throws InterruptedException {
    String refusal = "run: (calls nest more than 400 deep|the stack overflowed).*";
    String tooDeep = evaluators == Evaluators.REFERENCE ? refusal : refusal + "|a value";
    assertThat(onAnOrdinaryStack(nestedLoops(600))).matches(tooDeep);
    assertThat(onAnOrdinaryStack(nestedSorts(600))).matches(tooDeep);
  }

  private String onAnOrdinaryStack(HloModule module) throws InterruptedException {
    String[] refusal = new String[1];
    Evaluator evaluator = evaluators.alone(EvaluatorOptions.defaults());
    Runnable run =
        () -> {
          try {
            evaluator.run(module, Literal.of(3f), Literal.of(4f));
            refusal[0] = "a value";
          } catch (HloException refused) {
            refusal[0] = refused.summary();
          }
        };
    Thread thread = new Thread(null, run, "ordinary", 1 << 20);
    thread.start();
    thread.join();
    return refusal[0];
  }

  /** The body of each loop is the loop before it. */
  private static HloModule nestedLoops(int depth) {
    HloInstruction p = HloInstruction.of("p", new Parameter(0, Shape.of(F32)));
    HloInstruction always = HloInstruction.of("always", new Constant(Literal.of(true)));
    HloComputation condition = HloComputation.create("condition", List.of(p, always), always);
    HloComputation body = leaf();
    for (int i = 0; i < depth; i++) {
      HloInstruction x = HloInstruction.of("x" + i, new Parameter(0, Shape.of(F32)));
      HloInstruction unused = HloInstruction.of("y" + i, new Parameter(1, Shape.of(F32)));
      HloInstruction loop =
          HloInstruction.create(
              "loop" + i,
              new While(),
              List.of(x),
              List.of(condition, body),
              Shape.of(F32),
              Metadata.NONE);
      boolean last = i == depth - 1;
      List<HloInstruction> all = last ? List.of(x, unused, loop) : List.of(x, loop);
      body = HloComputation.create("c" + i, all, loop);
    }
    return HloModule.create("loops", body);
  }

  /** The comparator of each sort sorts by the comparator before it. */
  private static HloModule nestedSorts(int depth) {
    HloComputation comparator = comparator("leaf", List.of());
    for (int i = 0; i < depth; i++) {
      Shape.Array pair = Shape.of(F32, 2);
      HloInstruction zeros = HloInstruction.of("z" + i, new Constant(Literal.zeros(pair)));
      HloInstruction sort =
          HloInstruction.create(
              "sort" + i,
              new Sort(0, true),
              List.of(zeros),
              List.of(comparator),
              pair,
              Metadata.NONE);
      comparator = comparator("c" + i, List.of(zeros, sort));
    }
    return HloModule.create("sorts", comparator);
  }

  private static HloComputation comparator(String name, List<HloInstruction> instructions) {
    HloInstruction p = HloInstruction.of(name + "p", new Parameter(0, Shape.of(F32)));
    HloInstruction q = HloInstruction.of(name + "q", new Parameter(1, Shape.of(F32)));
    HloInstruction root = HloInstruction.of(name + "r", new Constant(Literal.of(true)));
    List<HloInstruction> all = new ArrayList<>(List.of(p, q));
    all.addAll(instructions);
    all.add(root);
    return HloComputation.create(name, all, root);
  }
}
