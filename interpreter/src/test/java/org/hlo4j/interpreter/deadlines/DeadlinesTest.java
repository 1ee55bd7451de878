package org.hlo4j.interpreter.deadlines;

import static com.google.common.truth.Truth.assertThat;
import static com.google.common.truth.Truth.assertWithMessage;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Executable;
import org.hlo4j.interpreter.agreement.Evaluators;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Every op checks its limits often enough to be stopped soon: the rows of {@code checked.rows} are
 * run until they have asked often enough whether they are interrupted. With {@code
 * -Dhlo4j.test.deadlines=true}, every op is also run alone on about 200 MB, and the times are
 * printed.
 */
final class DeadlinesTest {
  /** At most this number of elements is computed between two checks, times some nanoseconds. */
  private static final long ELEMENTS_PER_CHECK = 1 << 17;

  private static final long ENOUGH_CHECKS = 32;

  private static final long MILLIS = 300;
  private static final long MAX_MILLIS = 600;

  @TestFactory
  @Timeout(value = 60, unit = TimeUnit.SECONDS)
  Stream<DynamicTest> opsCheckTheirLimits() throws IOException {
    return LargeOp.all("checked.rows").stream()
        .flatMap(op ->
            Arrays.stream(Evaluators.values())
                .map(evaluators ->
                    DynamicTest.dynamicTest(
                        evaluators + ": " + op.text(), () -> checkOften(op, evaluators))));
  }

  private static void checkOften(LargeOp op, Evaluators evaluators) throws InterruptedException {
    HloModule module = op.module();
    Literal[] arguments = LargeOp.arguments(module);
    Executable program = evaluators.alone(options().build()).compile(module);
    long want = Math.min(ENOUGH_CHECKS, op.elements() / ELEMENTS_PER_CHECK);
    WatchedThread thread = WatchedThread.untilChecks(() -> program.run(arguments), want);
    assertWithMessage("checks of the limits").that(thread.checks()).isAtLeast(want);
    assertThat(thread.outcome()).isEqualTo("run: interrupted");
  }

  private static EvaluatorOptions.Builder options() {
    return EvaluatorOptions.builder().threads(1);
  }

  /** Prints how long it takes to stop each op on 200 MB, which is a matter of a second or two. */
  @Test
  @EnabledIfSystemProperty(named = "hlo4j.test.deadlines", matches = "true")
  void table() throws IOException, InterruptedException {
    String only = System.getProperty("hlo4j.test.deadlines.only", "");
    List<String> late = new ArrayList<>();
    System.out.printf(
        "%9s %8s %8s %8s %8s  op%n", "evaluator", "compile", "longest", "interrupt", "deadline");
    for (LargeOp op : LargeOp.all("large.rows")) {
      for (Evaluators evaluators : Evaluators.values()) {
        if (op.text().contains(only) && measure(op, evaluators) > MAX_MILLIS) {
          late.add(evaluators + ": " + op.text());
        }
      }
    }
    assertThat(late).isEmpty();
  }

  private static long measure(LargeOp op, Evaluators evaluators) throws InterruptedException {
    HloModule module = op.module();
    Literal[] arguments = LargeOp.arguments(module);
    Executable[] programs = new Executable[2];
    EvaluatorOptions timed = options().deadline(Duration.ofMillis(MILLIS)).build();
    WatchedThread compiling =
        WatchedThread.of(
            () -> programs[0] = evaluators.alone(options().build()).compile(module), MAX_MILLIS);
    if (programs[0] == null) {
      return compiling.millis();
    }
    Executable program = programs[0];
    WatchedThread longest = WatchedThread.of(() -> program.run(arguments), 5 * MILLIS);
    WatchedThread stopped = WatchedThread.of(() -> program.run(arguments), MILLIS);
    WatchedThread late =
        WatchedThread.of(
            () -> evaluators.alone(timed).run(module, arguments), Long.MAX_VALUE / 1_000_000);
    System.out.printf(
        "%9s %8d %8d %8d %8d  %s%n",
        evaluators,
        compiling.millis(),
        longest.longestMillis(),
        stopped.millis(),
        late.millis(),
        op.text());
    return Math.max(MILLIS + longest.longestMillis(), compiling.longestMillis());
  }
}
