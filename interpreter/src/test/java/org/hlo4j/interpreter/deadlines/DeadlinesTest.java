package org.hlo4j.interpreter.deadlines;

import static com.google.common.truth.Truth.assertThat;
import static com.google.common.truth.Truth.assertWithMessage;

import com.google.common.io.Resources;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Executable;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.interpreter.agreement.Evaluators;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Every op checks its limits often enough to be stopped soon: the rows of {@code checked.rows} are
 * run until they have asked often enough whether they are interrupted. With {@code
 * -Dhlo4j.test.deadlines=true}, every op is also run alone on about 200 MB, also with expensive
 * bodies, and every kernel of {@code kernels.table} with an expensive body, and the times are
 * printed.
 */
final class DeadlinesTest {
  /** At most this number of elements is computed between two checks, times some nanoseconds. */
  private static final long ELEMENTS_PER_CHECK = 1 << 17;

  private static final long ENOUGH_CHECKS = 32;

  private static final long MILLIS = 300;
  private static final long MAX_MILLIS = 600;

  /** The functions of an expensive body. */
  private static final int FUNCTIONS = 64;

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
    for (String rows : List.of("large.rows", "expensive.rows")) {
      for (LargeOp op : LargeOp.all(rows)) {
        for (Evaluators evaluators : Evaluators.values()) {
          if (op.text().contains(only) && measure(op, evaluators) > MAX_MILLIS) {
            late.add(evaluators + ": " + op.text());
          }
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

  /** Prints the longest times between questions of the kernels of the kernel table. */
  @Test
  @EnabledIfSystemProperty(named = "hlo4j.test.deadlines", matches = "true")
  void kernelTable() throws IOException, InterruptedException {
    String computations = expensive(read("kernels.hlo"));
    List<String> late = new ArrayList<>();
    for (String problem : read("kernels.table").lines().toList()) {
      if (!problem.isEmpty() && !problem.startsWith("//") && !problem.startsWith("  ")) {
        String entry = "ENTRY e {\n" + problem.replace("; ", "\n") + "\n}\n";
        HloModule module = Parser.parse("HloModule m\n" + computations + entry);
        Literal[] arguments = LargeOp.arguments(module);
        Executable program = Interpreter.compiled(options().build()).compile(module);
        WatchedThread thread = WatchedThread.of(() -> program.run(arguments), 10 * MILLIS);
        System.out.printf("%8d  %s%n", thread.longestMillis(), problem);
        if (thread.longestMillis() > MAX_MILLIS - MILLIS) {
          late.add(problem);
        }
      }
    }
    assertThat(late).isEmpty();
  }

  private static String read(String name) throws IOException {
    return Resources.toString(Resources.getResource(Evaluator.class, name), StandardCharsets.UTF_8);
  }

  /** Returns the computations with many functions of each value that a reducer gives. */
  private static String expensive(String computations) {
    StringBuilder chain = new StringBuilder("x0 = f32[] $1(a, b)");
    for (int i = 1; i <= FUNCTIONS; i++) {
      String function = i % 2 == 0 ? "tanh" : "sine";
      chain.append(" x").append(i).append(" = f32[] ").append(function);
      chain.append("(x").append(i - 1).append(")");
    }
    chain.append(" ROOT r = f32[] negate(x").append(FUNCTIONS).append(") }");
    return computations.replaceAll("ROOT r = f32\\[\\] (\\w+)\\(a, b\\) }", chain.toString());
  }
}
