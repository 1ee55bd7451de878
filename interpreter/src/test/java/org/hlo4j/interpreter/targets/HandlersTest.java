package org.hlo4j.interpreter.targets;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.DeviceGrid;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Interpreter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What users' functions of custom calls throw ends a run under the names of call and target. */
@Timeout(60)
final class HandlersTest {
  private static final String ENTRY =
      "HloModule m ENTRY e { x = f32[] parameter(0) ROOT r = CALL(x) }";

  private static final String LOOP =
      """
      HloModule m
      body { p = f32[] parameter(0) ROOT r = CALL(p) }
      condition { q = f32[] parameter(0) ROOT t = pred[] constant(true) }
      ENTRY e { x = f32[] parameter(0)
        ROOT w = f32[] while(x), condition=condition, body=body }
      """;

  private static final String BRANCH =
      """
      HloModule m
      yes { p = f32[] parameter(0) ROOT r = CALL(p) }
      no { q = f32[] parameter(0) ROOT n = f32[] negate(q) }
      ENTRY e { x = f32[] parameter(0) t = pred[] compare(x, x), direction=EQ
        ROOT c = f32[] conditional(t, x, x), true_computation=yes, false_computation=no }
      """;

  private static final String REDUCER =
      """
      HloModule m
      g { a = f32[] parameter(0) b = f32[] parameter(1) s = f32[] add(a, b) ROOT r = CALL(s) }
      ENTRY e { x = f32[] parameter(0)
        ROOT c = f32[] all-reduce(x), replica_groups={}, to_apply=g }
      """;

  private static HloModule module(String text) {
    return Parser.parse(
        text.replaceAll("CALL\\((.)\\)", "f32[] custom-call($1), custom_call_target=\"f\""));
  }

  private static EvaluatorOptions.Builder throwing(Throwable thrown) {
    return EvaluatorOptions.builder()
        .customCall(
            "f",
            (call, operands) -> {
              throw HandlersTest.<RuntimeException>unchecked(thrown);
            });
  }

  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <E extends Throwable> E unchecked(Throwable thrown) throws E {
    throw (E) thrown;
  }

  private static List<Evaluator> evaluators(EvaluatorOptions options) {
    return List.of(Interpreter.reference(options), Interpreter.compiled(options));
  }

  private static HloException refusal(Evaluator evaluator, HloModule module, int devices) {
    List<List<Literal>> arguments = Collections.nCopies(devices, List.of(Literal.of(1f)));
    return assertThrows(
        HloException.class,
        () -> evaluator.runOnDevices(module, new DeviceGrid(devices, 1), arguments));
  }

  @ParameterizedTest
  @ValueSource(strings = {ENTRY, LOOP, BRANCH, REDUCER})
  void whatIsThrownIsNamed(String text) {
    List<Throwable> all =
        List.of(
            new IllegalStateException("no"),
            new OutOfMemoryError("no"),
            new StackOverflowError("no"),
            new AssertionError("no"),
            new IOException("no"));
    for (Throwable thrown : all) {
      for (Evaluator evaluator : evaluators(throwing(thrown).build())) {
        HloException refusal = refusal(evaluator, module(text), 3);
        assertThat(refusal.summary())
            .isEqualTo("custom-call: f: " + thrown.getClass().getName() + ": no");
        assertThat(refusal.instruction()).hasValue("r");
        assertThat(refusal).hasCauseThat().isSameInstanceAs(thrown);
        assertThat(refusal.kind())
            .isEqualTo(
                thrown instanceof VirtualMachineError
                    ? HloException.Kind.LIMIT
                    : HloException.Kind.ARGUMENT);
      }
    }
  }

  @Test
  void refusalsOfTheFunctionKeepTheirText() {
    HloException own = new HloException(HloException.Kind.IO, "no file");
    for (Evaluator evaluator : evaluators(throwing(own).build())) {
      HloException refusal = refusal(evaluator, module(LOOP), 1);
      assertThat(refusal.summary()).isEqualTo("no file");
      assertThat(refusal.kind()).isEqualTo(HloException.Kind.IO);
      assertThat(refusal.instruction()).hasValue("r");
    }
  }

  @Test
  void theWholeMessage() {
    String summary = "custom-call: f: java.lang.IllegalStateException: no";
    for (Evaluator evaluator : evaluators(throwing(new IllegalStateException("no")).build())) {
      assertThat(refusal(evaluator, module(ENTRY), 1))
          .hasMessageThat()
          .isEqualTo(summary + "\n  %r = f32[] custom-call(%x)");
    }
  }

  /** The last call of a run sleeps past the deadline. */
  @Test
  void deadlinesAreNoticedAfterACall() {
    EvaluatorOptions options =
        EvaluatorOptions.builder()
            .deadline(Duration.ofMillis(300))
            .customCall(
                "f",
                (call, operands) -> {
                  sleep(350);
                  return operands.get(0);
                })
            .build();
    for (Evaluator evaluator : evaluators(options)) {
      HloException refusal =
          assertThrows(HloException.class, () -> evaluator.run(module(ENTRY), Literal.of(1f)));
      assertThat(refusal.summary()).startsWith("run: got beyond the deadline");
    }
  }

  private static void sleep(int millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException stop) {
      throw new IllegalStateException(stop);
    }
  }

  @Test
  void operandsCannotBeChanged() {
    EvaluatorOptions options =
        EvaluatorOptions.builder()
            .customCall("f", (call, operands) -> operands.set(0, Literal.of(2f)))
            .build();
    for (Evaluator evaluator : evaluators(options)) {
      assertThat(refusal(evaluator, module(ENTRY), 1).summary())
          .isEqualTo("custom-call: f: java.lang.UnsupportedOperationException");
    }
  }
}
