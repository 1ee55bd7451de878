package org.hlo4j.interpreter.compiled;

import static com.google.common.truth.Truth.assertThat;
import static com.google.common.truth.Truth.assertWithMessage;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.stream.LongStream;
import org.hlo4j.check.Program;
import org.hlo4j.check.generate.ProgramGenerator;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Printer;
import org.hlo4j.interpreter.DeviceGrid;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Executable;
import org.hlo4j.interpreter.agreement.Evaluators;
import org.hlo4j.interpreter.engine.TransferQueues;
import org.hlo4j.testing.Nightly;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Programs that hand out their values in all places: what they hand out, return and are given is
 * kept, with copies made at that moment, and is the same after the run and after later ones. {@code
 * -Dhlo4j.fuzz.modules} sets how many, {@code …seed} the first seed.
 */
@Timeout(600)
final class HandedOutProgramsTest {
  private static final long SEED = Long.getLong("hlo4j.fuzz.seed", 0);
  private static final long MODULES = Long.getLong("hlo4j.fuzz.modules", Nightly.isOn() ? 24 : 3);
  private static final DeviceGrid TWO = new DeviceGrid(2, 1);

  private static final ProgramGenerator LOOPS =
      ProgramGenerator.create()
          .withOps(
              ImmutableSet.of(
                  "while", "conditional", "call", "dynamic-update-slice", "add", "copy", "iota"));

  /** The most steps of a program, so that no seed takes long. */
  private static final long STEPS = Long.getLong("hlo4j.fuzz.steps", 2_000);

  /** A value that somebody holds, and a copy of it. */
  private record Held(String by, Literal value, Literal copy) {}

  /** Those to whom values are handed. */
  private static final class Holders {
    final List<Held> all = Collections.synchronizedList(new ArrayList<>());
    final TransferQueues transfers = new TransferQueues();
    final Map<Shape, Literal> fed = new HashMap<>();
    final AtomicInteger calls = new AtomicInteger();
    final String program;
    boolean isTogether;

    Holders(String program) {
      this.program = program;
      transfers.feedFrom((device, shape) -> Optional.of(fed(shape)));
    }

    /** The same literal of each shape, always. */
    private synchronized Literal fed(Shape shape) {
      return fed.computeIfAbsent(
          shape.withoutLayout(), any -> held("infeed", Literal.zeros((Shape.Array) any)));
    }

    Literal held(String by, Literal value) {
      all.add(new Held(by, value, copy(value)));
      return value;
    }

    /** Keeps all, returns an operand of the right shape, and lets another device go first. */
    private Literal keep(Shape shape, List<Literal> operands) {
      operands.forEach(operand -> held("function", operand));
      if (isTogether && calls.incrementAndGet() % 4 == 0) {
        LockSupport.parkNanos(100_000);
      }
      return operands.stream()
          .filter(operand -> operand.shape().equals(shape.withoutLayout()))
          .findFirst()
          .orElseThrow();
    }

    EvaluatorOptions.Builder options() {
      return EvaluatorOptions.builder()
          .transfers(transfers)
          .customCall("keep", (call, operands) -> keep(call.shape(), operands));
    }

    /** Returns options with which no storage is used again. */
    EvaluatorOptions watched() {
      return options().maxSteps(STEPS).valueListener((device, step, value) -> {}).build();
    }

    /** Keeps what was fed out and sent, and returns copies of it. */
    ImmutableList<Literal> takeAll() {
      List<Literal> out = new ArrayList<>(transfers.takeFedOut());
      out.addAll(transfers.takeSent(1));
      out.forEach(value -> held("queue", value));
      return ImmutableList.copyOf(out);
    }

    /** Compares a run with what was wanted, and keeps its results. */
    void check(Given want, ImmutableList<Literal> results) {
      results.forEach(result -> held("the caller, of a result", result));
      assertWithMessage("%s: results", program).that(results).isEqualTo(want.results);
      assertWithMessage("%s: out", program).that(takeAll()).isEqualTo(want.out);
    }

    void requireUnchanged() {
      for (Held each : all) {
        assertWithMessage("%s: what %s holds", program, each.by)
            .that(each.value)
            .isEqualTo(each.copy);
      }
    }
  }

  private static Literal copy(Literal value) {
    if (!(value.shape() instanceof Shape.Array shape)) {
      return value.elements().isEmpty()
          ? value
          : Literal.tuple(value.elements().stream().map(HandedOutProgramsTest::copy).toList());
    }
    Object storage = LiteralBuilder.newStorage(shape);
    System.arraycopy(value.unsafeStorage(), 0, storage, 0, Array.getLength(storage));
    return Literal.unsafeOf(shape, storage);
  }

  /** What a run gives: the result of each device, and what it fed out and sent. */
  private record Given(List<Literal> results, ImmutableList<Literal> out) {}

  @ParameterizedTest
  @EnumSource(Evaluators.class)
  void alone(Evaluators evaluators) {
    LongStream.range(SEED, SEED + MODULES).forEach(seed -> alone(evaluators, seed));
  }

  private static void alone(Evaluators evaluators, long seed) {
    Program program = program(seed);
    HloModule module = HandOuts.in(program.module(), seed, false);
    Literal[] arguments = program.arguments().toArray(Literal[]::new);
    Holders holders = new Holders("seed " + seed + "\n" + Printer.print(module));
    program.arguments().forEach(argument -> holders.held("the caller, of an argument", argument));
    Optional<Given> want =
        oracle(holders, within -> ImmutableList.of(within.run(module, arguments)));
    if (want.isEmpty()) {
      return;
    }
    Executable executable = evaluators.alone(holders.options().build()).compile(module);
    for (int run = 0; run < 2; run++) {
      holders.check(want.get(), ImmutableList.of(executable.run(arguments)));
    }
    Literal own = executable.newResult();
    executable.unsafeRunInto(own, arguments);
    holders.check(want.get(), ImmutableList.of(own));
    Map<String, Literal> bound = new HashMap<>();
    List<Literal> others = new ArrayList<>();
    for (int i = 0; i < arguments.length; i++) {
      if ((seed >> i & 1) == 0) {
        bound.put(executable.parameterNames().get(i), arguments[i]);
      } else {
        others.add(arguments[i]);
      }
    }
    Executable ofOthers = executable.bind(bound);
    for (int run = 0; run < 2; run++) {
      holders.check(want.get(), ImmutableList.of(ofOthers.run(others.toArray(Literal[]::new))));
    }
    holders.requireUnchanged();
  }

  @ParameterizedTest
  @EnumSource(Evaluators.class)
  void onTwoDevices(Evaluators evaluators) {
    LongStream.range(SEED, SEED + MODULES).forEach(seed -> onTwoDevices(evaluators, seed));
  }

  private static void onTwoDevices(Evaluators evaluators, long seed) {
    Program program = program(seed);
    HloModule module = HandOuts.in(program.module(), seed, true);
    List<List<Literal>> arguments = Collections.nCopies(2, program.arguments());
    Holders holders = new Holders("seed " + seed + "\n" + Printer.print(module));
    program.arguments().forEach(argument -> holders.held("the caller, of an argument", argument));
    Optional<Given> want = oracle(holders, within -> within.runOnDevices(module, TWO, arguments));
    if (want.isEmpty()) {
      return;
    }
    holders.isTogether = true;
    Evaluator evaluator = evaluators.alone(holders.options().build());
    for (int run = 0; run < 2; run++) {
      holders.check(want.get(), evaluator.runOnDevices(module, TWO, arguments));
    }
    holders.requireUnchanged();
  }

  /** Returns a program of mostly small arrays, or twice as often of large ones. */
  private static Program program(long seed) {
    return seed % 3 > 0
        ? InPlacePrograms.of(seed)
        : LOOPS.program(seed).orElseGet(() -> InPlacePrograms.of(seed));
  }

  /** Returns what the reference gives if it uses no storage again; empty after too many steps. */
  private static Optional<Given> oracle(
      Holders holders, Function<Evaluator, ImmutableList<Literal>> run) {
    try {
      ImmutableList<Literal> results = run.apply(Evaluators.REFERENCE.alone(holders.watched()));
      return Optional.of(new Given(results, holders.takeAll()));
    } catch (HloException refused) {
      assertThat(refused.kind()).isEqualTo(HloException.Kind.LIMIT);
      return Optional.empty();
    }
  }
}
