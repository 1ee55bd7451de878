package org.hlo4j.interpreter.devices;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.DeviceGrid;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Executable;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.interpreter.Profile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Compiled programs of several devices, on both evaluators. */
final class DeviceExecutablesTest {
  private static final Literal ONE_TWO = Literal.of(new float[] {1, 2});
  private static final Literal TEN = Literal.of(new float[] {10, 20});

  /** Each device multiplies its half of x with w and adds its number. */
  private static final HloModule GLOBAL =
      Parser.parse(
          """
          HloModule halves, num_partitions=2

          ENTRY e {
            x = f32[2] parameter(0), sharding={devices=[2]<=[2]}
            w = f32[] parameter(1)
            w2 = f32[] add(w, w)
            part = f32[1] custom-call(x), custom_call_target="SPMDFullToShardShape", sharding={manual}
            factor = f32[1] broadcast(w2), dimensions={}
            product = f32[1] multiply(part, factor)
            id = u32[] partition-id()
            number = f32[] convert(id)
            numbers = f32[1] broadcast(number), dimensions={}
            sum = f32[1] add(product, numbers)
            ROOT whole = f32[2] custom-call(sum), custom_call_target="SPMDShardToFullShape", sharding={devices=[2]<=[2]}
          }
          """);

  private static final HloModule OF_ONE =
      Parser.parse(
          """
          HloModule m, replica_count=2

          add {
            a = f32[] parameter(0)
            b = f32[] parameter(1)
            ROOT s = f32[] add(a, b)
          }

          ENTRY e {
            x = f32[2] parameter(0)
            ROOT y = f32[2] all-reduce(x), to_apply=add
          }
          """);

  private static Stream<Evaluator> evaluators() {
    return Stream.of(Interpreter.reference(), Interpreter.compiled());
  }

  @ParameterizedTest
  @MethodSource("evaluators")
  void wholeArrays(Evaluator evaluator) {
    Literal w = Literal.of(5f);
    Literal want = Literal.of(new float[] {10, 21});
    assertThat(evaluator.run(GLOBAL, ONE_TWO, w)).isEqualTo(want);
    Executable program = evaluator.compile(GLOBAL);
    assertThat(program.grid()).isEqualTo(new DeviceGrid(1, 2));
    assertThat(program.run(Map.of("w", w, "x", ONE_TWO))).isEqualTo(want);
    assertThat(program.runOnDevices(List.of(List.of(ONE_TWO, w), List.of(ONE_TWO, w))))
        .containsExactly(want, want);
    Literal result = program.newResult();
    program.unsafeRunInto(result, ONE_TWO, w);
    assertThat(result).isEqualTo(want);
    assertThat(program.profile(2, ONE_TWO, w).runs()).isEqualTo(2);
    assertThat(program.profile(2, ONE_TWO, w).steps()).isNotEmpty();
    assertThat(program.explain()).startsWith("on 2 devices:\n");
    assertThat(program.toString())
        .isEqualTo("executable halves (x: f32[2], w: f32[]) -> f32[2] on 2 devices");
  }

  /** What depends on bound arguments alone is computed once, but not what devices differ in. */
  @ParameterizedTest
  @MethodSource("evaluators")
  void boundArguments(Evaluator evaluator) {
    Executable bound = evaluator.compile(GLOBAL).bind(Map.of("w", Literal.of(5f)));
    assertThat(bound.parameterNames()).containsExactly("x");
    assertThat(bound.grid()).isEqualTo(new DeviceGrid(1, 2));
    Literal want = Literal.of(new float[] {10, 21});
    assertThat(bound.run(ONE_TWO)).isEqualTo(want);
    assertThat(bound.run(Map.of("x", ONE_TWO))).isEqualTo(want);
    assertThat(bound.runOnDevices(List.of(List.of(ONE_TWO), List.of(ONE_TWO))))
        .containsExactly(want, want);
    assertThat(bound.profile(1, ONE_TWO).steps()).isNotEmpty();
    assertThat(bound.bind(Map.of("x", ONE_TWO)).run()).isEqualTo(want);
    assertRefusal(
        () -> bound.run(Map.of("w", Literal.of(1f))),
        "run: got 1 argument, want 1: x f32[2]; already bound w f32[]; missing x");
  }

  @ParameterizedTest
  @MethodSource("evaluators")
  @SuppressWarnings("NullAway") // bad input on purpose
  void anyDevicesThatAreGiven(Evaluator evaluator) {
    Executable one = evaluator.compile(OF_ONE, DeviceGrid.SINGLE);
    assertThat(one.grid()).isEqualTo(DeviceGrid.SINGLE);
    assertThat(one.run(ONE_TWO)).isEqualTo(ONE_TWO);
    assertThat(one.runOnDevices(List.of(List.of(ONE_TWO)))).containsExactly(ONE_TWO);
    Executable three = evaluator.compile(OF_ONE, new DeviceGrid(3, 1));
    assertThat(three.runOnDevices(Collections.nCopies(3, List.of(ONE_TWO))))
        .containsExactlyElementsIn(Collections.nCopies(3, Literal.of(new float[] {3, 6})));
    assertThat(evaluator.runOnDevices(OF_ONE, DeviceGrid.SINGLE, List.of(List.of(ONE_TWO))))
        .containsExactly(ONE_TWO);
    assertRefusal(() -> evaluator.compile(OF_ONE, null), "compile: grid is null");
  }

  @ParameterizedTest
  @MethodSource("evaluators")
  void eachDeviceItsOwnArguments(Evaluator evaluator) {
    Executable program = evaluator.compile(OF_ONE);
    Literal sum = Literal.of(new float[] {11, 22});
    assertThat(program.runOnDevices(List.of(List.of(ONE_TWO), List.of(TEN))))
        .containsExactly(sum, sum);
    assertThat(program.bind(Map.of("x", TEN)).runOnDevices(List.of(List.of(), List.of())))
        .containsExactly(Literal.of(new float[] {20, 40}), Literal.of(new float[] {20, 40}));
    assertRefusal(
        () -> program.runOnDevices(List.of(List.of(ONE_TWO))),
        "run: got arguments for 1 device, want 2");
    assertRefusal(
        () -> program.runOnDevices(List.of(List.of(ONE_TWO), List.of())),
        "run, device 1: got 0 arguments, want 1: x f32[2]; missing x");
  }

  /** The steps are those of device 0. */
  @ParameterizedTest
  @MethodSource("evaluators")
  void profileOfDevices(Evaluator evaluator) {
    Profile profile =
        evaluator.compile(OF_ONE).profileOnDevices(2, List.of(List.of(ONE_TWO), List.of(ONE_TWO)));
    assertThat(profile.runs()).isEqualTo(2);
    assertThat(profile.steps()).isNotEmpty();
    assertRefusal(
        () -> evaluator.compile(OF_ONE).profileOnDevices(2, List.of(List.of(ONE_TWO))),
        "profile: got arguments for 1 device, want 2");
    assertRefusal(
        () -> evaluator.compile(OF_ONE, DeviceGrid.SINGLE).profileOnDevices(1, List.of()),
        "run: got arguments for 0 devices, want 1");
  }

  /** The header says 2, so one list of arguments is not enough. */
  @ParameterizedTest
  @MethodSource("evaluators")
  void oneListForSeveralDevices(Evaluator evaluator) {
    String text =
        ": got one list of arguments for 2 devices (2 replicas of 1 partition), each of which runs"
            + " m on arguments of its own, want %sOnDevices with a list for each device, or a"
            + " compilation for a grid of one";
    String want = "run" + text.formatted("run");
    Executable program = evaluator.compile(OF_ONE);
    assertRefusal(() -> evaluator.run(OF_ONE, ONE_TWO), want);
    assertRefusal(() -> evaluator.run(OF_ONE, Map.of("x", ONE_TWO)), want);
    assertRefusal(() -> program.run(ONE_TWO), want);
    assertRefusal(() -> program.unsafeRunInto(program.newResult(), ONE_TWO), want);
    assertRefusal(() -> program.profile(1, ONE_TWO), "profile" + text.formatted("profile"));
  }

  @ParameterizedTest
  @MethodSource("evaluators")
  void argumentsAreChecked(Evaluator evaluator) {
    Executable program = evaluator.compile(GLOBAL);
    assertRefusal(() -> program.run(ONE_TWO, ONE_TWO), "run: argument w got f32[2], want f32[]");
    assertRefusal(
        () -> program.run(ONE_TWO), "run: got 1 argument, want 2: x f32[2], w f32[]; missing w");
    assertRefusal(
        () -> program.unsafeRunInto(Literal.of(1f), ONE_TWO, Literal.of(1f)),
        "run: result got f32[], want f32[2]");
    assertRefusal(
        () -> evaluator.compile(OF_ONE.withText(Map.of("replica_count", "9999"), "")),
        "devices: got 9999 replicas of 1 partitions, want 1 to 4096 devices");
  }

  /** All devices do the same, so one does it. */
  @ParameterizedTest
  @MethodSource("evaluators")
  void alikeDevices(Evaluator evaluator) {
    HloModule module =
        Parser.parse(
            """
            HloModule alike, num_partitions=4

            ENTRY e {
              x = f32[4] parameter(0), sharding={devices=[4]<=[4]}
              s = f32[4] custom-call(x), custom_call_target="Sharding", sharding={replicated}
              ROOT y = f32[4] add(s, x), sharding={devices=[4]<=[4]}
            }
            """);
    Executable program = evaluator.compile(module);
    Literal x = Literal.of(new float[] {1, 2, 3, 4});
    Literal want = Literal.of(new float[] {2, 4, 6, 8});
    assertThat(program.run(x)).isEqualTo(want);
    assertThat(program.runOnDevices(Collections.nCopies(4, List.of(x)))).hasSize(4);
    assertThat(program.explain())
        .startsWith("on 4 devices, all alike: a run with whole arrays takes one:\n");
    Literal result = program.newResult();
    program.unsafeRunInto(result, x);
    assertThat(result).isEqualTo(want);
    assertThat(program.profile(1, x).steps()).isNotEmpty();
  }

  private static final HloModule ENDLESS =
      Parser.parse(
          """
          HloModule endless, num_partitions=2

          more {
            ROOT s = s32[] parameter(0)
          }

          on {
            s = s32[] parameter(0)
            ROOT t = pred[] constant(true)
          }

          ENTRY e {
            x = s32[2] parameter(0), sharding={devices=[2]<=[2]}
            part = s32[1] custom-call(x), custom_call_target="SPMDFullToShardShape", sharding={manual}
            n = s32[] reshape(part)
            l = s32[] while(n), condition=on, body=more
            r = s32[1] reshape(l)
            ROOT whole = s32[2] custom-call(r), custom_call_target="SPMDShardToFullShape", sharding={devices=[2]<=[2]}
          }
          """);

  @Test
  void deadline() {
    for (boolean isCompiled : new boolean[] {false, true}) {
      EvaluatorOptions options =
          EvaluatorOptions.builder().deadline(Duration.ofMillis(100)).build();
      Evaluator evaluator =
          isCompiled ? Interpreter.compiled(options) : Interpreter.reference(options);
      Executable program = evaluator.compile(ENDLESS);
      HloException refusal =
          assertThrows(HloException.class, () -> program.run(Literal.of(new int[2])));
      assertThat(refusal.kind()).isEqualTo(HloException.Kind.LIMIT);
      assertThat(refusal).hasMessageThat().contains("100");
    }
  }

  @ParameterizedTest
  @MethodSource("evaluators")
  void interrupt(Evaluator evaluator) {
    Executable program = evaluator.compile(ENDLESS);
    Thread caller = Thread.currentThread();
    Thread.ofVirtual()
        .start(() -> {
          try {
            Thread.sleep(100);
          } catch (InterruptedException early) {
            return;
          }
          caller.interrupt();
        });
    HloException refusal =
        assertThrows(HloException.class, () -> program.run(Literal.of(new int[2])));
    assertThat(Thread.interrupted()).isTrue();
    assertThat(refusal.kind()).isEqualTo(HloException.Kind.INTERRUPTED);
  }

  /** Names in the text: there, computations before the entry may have them, too. */
  @ParameterizedTest
  @MethodSource("evaluators")
  void namesOfParameters(Evaluator evaluator) {
    HloModule module =
        Parser.parse(
            """
            HloModule m

            g {
              x = f32[] parameter(0)
              y = f32[] parameter(1)
              ROOT s = f32[] add(x, y)
            }

            ENTRY e {
              x = f32[3] parameter(0)
              y = f32[] parameter(1)
              ROOT r = f32[] reduce(x, y), dimensions={0}, to_apply=g
            }
            """);
    Literal x = Literal.of(new float[] {1, 2, 3});
    assertThat(module.parameterNames()).containsExactly("x", "y").inOrder();
    Executable program = evaluator.compile(module);
    assertThat(program.parameterNames()).containsExactly("x", "y").inOrder();
    assertThat(evaluator.run(module, Map.of("x", x, "y", Literal.of(4f))))
        .isEqualTo(Literal.of(10f));
    assertThat(program.bind(Map.of("y", Literal.of(4f))).run(x)).isEqualTo(Literal.of(10f));
    assertRefusal(
        () -> program.run(x), "run: got 1 argument, want 2: x f32[3], y f32[]; missing y");
  }

  private static void assertRefusal(Runnable work, String want) {
    assertThat(assertThrows(HloException.class, work::run)).hasMessageThat().isEqualTo(want);
  }
}
