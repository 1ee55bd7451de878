package org.hlo4j.interpreter.engine;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.DeviceGrid;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.agreement.Evaluators;
import org.hlo4j.interpreter.reference.ReferenceOps;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** What ends the run of several devices: their shared limits, failures and lack of threads. */
@Timeout(60)
@ParameterizedClass
@EnumSource(Evaluators.class)
final class DeviceRunsTest {
  private static final HloModule SUM =
      Parser.parse(
          """
          HloModule m
          add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
          ENTRY e { x = f32[2] parameter(0)
            ROOT r = f32[2] all-reduce(x), replica_groups={}, to_apply=add }
          """);

  @Parameter private Evaluators evaluators = Evaluators.REFERENCE;

  private static List<List<Literal>> nothing(int devices) {
    return Collections.nCopies(devices, List.of());
  }

  private String refusal(
      EvaluatorOptions options, HloModule module, int devices, List<List<Literal>> arguments) {
    DeviceGrid grid = new DeviceGrid(devices, 1);
    Evaluator evaluator = evaluators.alone(options);
    return assertThrows(HloException.class, () -> evaluator.runOnDevices(module, grid, arguments))
        .summary();
  }

  @Test
  void aDeviceWithoutAThreadEndsTheRun() {
    AtomicInteger started = new AtomicInteger();
    ThreadFactory two =
        task ->
            new Thread(task) {
              @Override
              public void start() {
                if (started.incrementAndGet() > 2) {
                  throw new OutOfMemoryError("unable to create native thread");
                }
                super.start();
              }
            };
    Program program =
        Program.of(
            SUM, EvaluatorOptions.defaults(), new ReferenceOps(), instruction -> KernelChoice.NONE);
    Literal[] x = {Literal.of(new float[2])};
    DeviceRuns runs = new DeviceRuns(program, new DeviceGrid(4, 1), two);
    HloException refusal =
        assertThrows(HloException.class, () -> runs.run(Collections.nCopies(4, x)));
    assertThat(refusal).hasMessageThat().isEqualTo("run: got threads for 2 of 4 devices, want all");
    assertThat(refusal.kind()).isEqualTo(HloException.Kind.LIMIT);
  }

  private void assertThrown(Throwable failure) {
    EvaluatorOptions options =
        EvaluatorOptions.builder()
            .customCall(
                "fail",
                (call, operands) -> {
                  throw DeviceRunsTest.<RuntimeException>unchecked(failure);
                })
            .build();
    HloModule module =
        Parser.parse(
            "HloModule m ENTRY e { ROOT r = f32[] custom-call(), custom_call_target=\"fail\" }");
    Evaluator evaluator = evaluators.alone(options);
    DeviceGrid grid = new DeviceGrid(2, 1);
    Throwable thrown =
        assertThrows(Throwable.class, () -> evaluator.runOnDevices(module, grid, nothing(2)));
    assertThat(thrown).hasCauseThat().isSameInstanceAs(failure);
  }

  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <E extends Throwable> E unchecked(Throwable failure) throws E {
    throw (E) failure;
  }

  private static final HloModule ENDLESS =
      Parser.parse(
          """
          HloModule m
          body { i = s32[] parameter(0) one = s32[] constant(1) ROOT n = s32[] add(i, one) }
          always { i = s32[] parameter(0) ROOT t = pred[] constant(true) }
          ENTRY e { begin = s32[] custom-call(), custom_call_target="begin"
            ROOT w = s32[] while(begin), condition=always, body=body }
          """);

  /** Begins an endless run in a thread, and interrupts it when it waits for its devices. */
  private String interrupted(HloModule module, int devices) throws InterruptedException {
    CountDownLatch begun = new CountDownLatch(devices);
    EvaluatorOptions options =
        EvaluatorOptions.builder()
            .customCall(
                "begin",
                (call, operands) -> {
                  begun.countDown();
                  return Literal.of(0);
                })
            .build();
    String[] outcome = new String[1];
    Thread caller =
        Thread.ofPlatform()
            .daemon()
            .start(() -> {
              String refusal = refusal(options, module, devices, nothing(devices));
              outcome[0] = refusal + ", flag " + Thread.currentThread().isInterrupted();
            });
    begun.await();
    while (caller.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
    caller.interrupt();
    caller.join();
    return outcome[0];
  }

  @Test
  void anInterruptOfTheCallerEndsDevicesThatCompute() throws InterruptedException {
    assertThat(interrupted(ENDLESS, 1)).isEqualTo("run: interrupted, flag true");
    assertThat(interrupted(ENDLESS, 3)).isEqualTo("run: interrupted, flag true");
  }

  /** On both devices the user's function runs another program, on two devices of its own. */
  @Test
  void anInterruptOfTheCallerEndsRunsWithinTheRun() throws InterruptedException {
    CountDownLatch begun = new CountDownLatch(4);
    EvaluatorOptions inner =
        EvaluatorOptions.builder()
            .customCall(
                "begin",
                (call, operands) -> {
                  begun.countDown();
                  return Literal.of(0);
                })
            .build();
    EvaluatorOptions outer =
        EvaluatorOptions.builder()
            .customCall(
                "run",
                (call, operands) ->
                    evaluators
                        .alone(inner)
                        .runOnDevices(ENDLESS, new DeviceGrid(2, 1), nothing(2))
                        .get(0))
            .build();
    HloModule module =
        Parser.parse(
            "HloModule m ENTRY e { ROOT r = s32[] custom-call(), custom_call_target=\"run\" }");
    String[] outcome = new String[1];
    Thread caller =
        Thread.ofPlatform()
            .daemon()
            .start(() -> outcome[0] = refusal(outer, module, 2, nothing(2)));
    begun.await();
    while (caller.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
    caller.interrupt();
    caller.join();
    assertThat(outcome[0]).isEqualTo("run: interrupted");
  }

  @Test
  void whatUsersThrowIsThrown() {
    assertThrown(new IllegalArgumentException("a user's"));
    assertThrown(new AssertionError("a user's"));
    assertThrown(new IOException("a user's, in a language that checks none"));
  }

  @Test
  void theFirstFailureIsTheOneThatIsThrown() {
    EvaluatorOptions options =
        EvaluatorOptions.builder()
            .valueListener((device, instruction, value) -> {
              if (device == 1) {
                throw new IllegalStateException("device 1");
              }
            })
            .build();
    Evaluator evaluator = evaluators.alone(options);
    List<List<Literal>> two = Collections.nCopies(2, List.of(Literal.of(new float[2])));
    assertThat(
            assertThrows(
                IllegalStateException.class,
                () -> evaluator.runOnDevices(SUM, new DeviceGrid(2, 1), two)))
        .hasMessageThat()
        .isEqualTo("device 1");
  }

  @Test
  void devicesShareTheLimitOnBytes() {
    HloModule module =
        Parser.parse(
            """
            HloModule m
            ENTRY e { c = s8[] constant(3) x = s8[1000000] broadcast(c), dimensions={}
              n = s8[1000000] negate(x) t = token[] after-all() o = token[] outfeed(n, t), outfeed_shape=s8[1000000]
              ROOT r = s8[1000000] add(n, x) }
            """);
    EvaluatorOptions one = EvaluatorOptions.builder().maxBytes(4_000_000).build();
    evaluators.alone(one).run(module);
    assertThat(refusal(one, module, 8, nothing(8)))
        .matches(
            "run: (s8\\[1000000] of )?\\d+ bytes beside the \\d+ (alive|waiting in queues),"
                + " want at most 4000000 together");
  }

  /** Each device makes one array, which takes all that the limit allows. */
  @Test
  void oneValueOnEachOfManyDevices() {
    HloModule module =
        Parser.parse(
            "HloModule m ENTRY e { c = s8[] constant(3) ROOT x = s8[1000000] broadcast(c),"
                + " dimensions={} }");
    EvaluatorOptions options = EvaluatorOptions.builder().maxBytes(1_500_000).build();
    evaluators.alone(options).run(module);
    assertThat(refusal(options, module, 8, nothing(8)))
        .isEqualTo(
            "run: s8[1000000] of 1000000 bytes beside the 1000001 alive, want at most 1500000"
                + " together");
  }

  @Test
  void devicesShareTheLimitOnSteps() {
    HloModule module =
        Parser.parse("HloModule m ENTRY e { c = u32[] replica-id() ROOT n = u32[] not(c) }");
    EvaluatorOptions options = EvaluatorOptions.builder().maxSteps(5).build();
    evaluators.alone(options).run(module);
    assertThat(refusal(options, module, 4, nothing(4))).isEqualTo("run: got beyond 5 steps");
  }

  /** An array that several devices hold counts once. */
  @Test
  void whatDevicesShareCountsOnce() {
    Literal x = Literal.of(new float[1000]);
    HloModule module =
        Parser.parse(
            "HloModule m ENTRY e { x = f32[1000] parameter(0) t = (f32[1000]) tuple(x)"
                + " g = f32[1000] get-tuple-element(t), index=0"
                + " ROOT s = f32[1] slice(g), slice={[0:1]} }");
    EvaluatorOptions options = EvaluatorOptions.builder().maxBytes(5000).build();
    assertThat(
            evaluators
                .alone(options)
                .runOnDevices(module, new DeviceGrid(4, 1), Collections.nCopies(4, List.of(x))))
        .hasSize(4);
  }

  @Test
  @SuppressWarnings("NullAway") // bad input on purpose
  void nothingIsRefused() {
    EvaluatorOptions options = EvaluatorOptions.defaults();
    assertThat(refusal(options, SUM, 2, Arrays.asList(List.of(Literal.of(new float[2])), null)))
        .isEqualTo("run, device 1: arguments are null, want a list of literals");
    assertThat(refusal(options, SUM, 1, List.of(Collections.singletonList((Literal) null))))
        .isEqualTo("run, device 0: argument x got null, want f32[2]");
    assertThat(refusal(options, SUM, 1, null))
        .isEqualTo("run: arguments are null, want a list for each device");
    Evaluator evaluator = evaluators.alone(options);
    assertThat(
            assertThrows(HloException.class, () -> evaluator.runOnDevices(SUM, null, nothing(1)))
                .summary())
        .isEqualTo("run: grid is null");
    assertThat(
            assertThrows(
                    HloException.class,
                    () -> evaluator.runOnDevices(null, DeviceGrid.SINGLE, nothing(1)))
                .summary())
        .isEqualTo("run: module is null");
  }
}
