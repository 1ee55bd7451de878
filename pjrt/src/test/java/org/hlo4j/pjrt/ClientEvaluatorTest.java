package org.hlo4j.pjrt;

import static com.google.common.truth.Truth.assertThat;
import static java.util.stream.Collectors.joining;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.common.collect.ImmutableList;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.DeviceGrid;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Executable;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.stablehlo.StableHlo;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@link Pjrt#evaluator} as one of hlo4j's evaluators, on XLA's CPU plugin with 4 devices. */
final class ClientEvaluatorTest {
  /** Before what a test expects to be thrown, which an assumption is not. */
  @BeforeEach
  void skipWithoutPlugin() {
    CpuPlugin.file();
  }

  private static final String HEAD =
      """
      HloModule m
      add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] add(a, b) }
      ENTRY e {
      """;

  private static final DeviceGrid FOUR = new DeviceGrid(1, 4);

  private static HloModule module(String body) {
    return Parser.parse(HEAD + body.replace(";", "\n") + "\n}\n");
  }

  private static Evaluator evaluator() {
    return Pjrt.evaluator(CpuPlugin.client());
  }

  /** A value that all types have: 2, of pred true; 3 elements in place of a bound. */
  private static Literal two(Shape shape) {
    return switch (shape.withoutLayout()) {
      case Shape.Array array ->
          Literal.full(
              array.isDynamic() ? Shape.of(array.elementType(), 3) : array,
              array.elementType() == ElementType.PRED ? (Object) true : (Object) 2);
      case Shape.Tuple tuple ->
          Literal.tuple(tuple.elements().stream().map(ClientEvaluatorTest::two).toList());
      default -> Literal.token();
    };
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          x = f32[3] parameter(0); ROOT o = f32[3] add(x, x)
          x = s4[5] parameter(0); ROOT o = s4[5] negate(x)
          x = pred[5] parameter(0); ROOT o = pred[5] not(x)
          x = bf16[2,3] parameter(0); ROOT o = bf16[3,2] transpose(x), dimensions={1,0}
          x = f8e5m2[2,3] parameter(0); ROOT o = f8e5m2[3,2] transpose(x), dimensions={1,0}
          x = c64[2] parameter(0); ROOT o = c64[2] multiply(x, x)
          x = f32[0] parameter(0); ROOT o = f32[0] negate(x)
          x = f32[2] parameter(0); t = (f32[2], (s32[], token[])) parameter(1); f = f32[2] get-tuple-element(t), index=0; i = (s32[], token[]) get-tuple-element(t), index=1; s = f32[2] add(x, f); ROOT o = (f32[2], (s32[], token[])) tuple(s, i)
          x = s32[4] iota(), iota_dimension=0; ROOT o = (s32[2], s32[2]) topk(x), k=2, largest=false
          ROOT o = () tuple()
          x = f32[3] parameter(0); ROOT o = (f32[3]) tuple(x)
          x = f32[<=4] parameter(0); n = s32[] get-dimension-size(x), dimensions={0}; s = f32[<=4] add(x, x); ROOT o = (f32[<=4], s32[]) tuple(s, n)
          """)
  void valuesAreThoseOfTheReference(String body) {
    HloModule module = module(body);
    Literal[] arguments =
        module.entry().parameters().stream().map(p -> two(p.shape())).toArray(Literal[]::new);
    Executable executable = evaluator().compile(module);
    Literal want = Interpreter.reference().run(module, arguments);
    assertThat(executable.run(arguments)).isEqualTo(want);
    assertThat(executable.run(arguments)).isEqualTo(want);
  }

  /** By default XLA:CPU computes the maximum of NaN and 1 as 1, which JAX prevents. */
  @Test
  void maximumAndMinimumKeepNaNs() {
    HloModule module =
        module(
            "x = f32[2] parameter(0); y = f32[2] parameter(1); a = f32[2] maximum(x, y); b = f32[2]"
                + " minimum(x, y); ROOT t = (f32[2], f32[2]) tuple(a, b)");
    Literal nan = Literal.of(new float[] {Float.NaN, Float.NaN});
    assertThat(
            evaluator()
                .run(
                    module,
                    Literal.of(new float[] {Float.NaN, 1}),
                    Literal.of(new float[] {1, Float.NaN})))
        .isEqualTo(Literal.tuple(nan, nan));
    PjrtCompileOptions fast =
        PjrtCompileOptions.DEFAULT.withFlag("xla_cpu_enable_fast_min_max", true);
    try (PjrtExecutable executable = CpuPlugin.client().compile(module, fast)) {
      assertThat(
              executable
                  .run(
                      Literal.of(new float[] {Float.NaN, 1}),
                      Literal.of(new float[] {1, Float.NaN}))
                  .get(0))
          .isNotEqualTo(nan);
    }
  }

  @Test
  void theLayoutOfAResultIsNotSeen() {
    HloModule module =
        Parser.parse(
            """
            HloModule m, entry_computation_layout={(f32[2,3]{0,1})->f32[2,3]{0,1}}
            ENTRY e {
              x = f32[2,3]{0,1} parameter(0)
              ROOT n = f32[2,3]{0,1} negate(x)
            }
            """);
    Literal x = Literal.of(new float[][] {{1, 2, 3}, {4, 5, 6}});
    assertThat(evaluator().run(module, x))
        .isEqualTo(Literal.of(new float[][] {{-1, -2, -3}, {-4, -5, -6}}));
  }

  @Test
  void boundArgumentsStayOnTheDevice() {
    PjrtClient client = CpuPlugin.client();
    HloModule module =
        module("x = f32[2] parameter(0); w = f32[2] parameter(1); ROOT d = f32[2] subtract(x, w)");
    Executable executable = Pjrt.evaluator(client).compile(module);
    int before = client.liveHandles();
    Executable bound = executable.bind(Map.of("w", Literal.of(new float[] {1, 2})));
    assertThat(bound.run(Literal.of(new float[] {5, 7}))).isEqualTo(Literal.of(new float[] {4, 5}));
    assertThat(bound.run(Map.of("x", Literal.of(new float[] {1, 1}))))
        .isEqualTo(Literal.of(new float[] {0, -1}));
    assertThat(client.liveHandles()).isEqualTo(before + 1);
    assertThat(bound.explain()).contains("on the device: w f32[2]\n");
    assertThat(bound.parameterNames()).containsExactly("x");
  }

  @Test
  void thePlanSaysTheFormAndWhatXlaTells() {
    HloModule module = module("x = f32[3] parameter(0); ROOT o = f32[3] add(x, x)");
    Executable executable = evaluator().compile(module);
    assertThat(executable.explain())
        .containsMatch(
            """
            pjrt cpu: .*\\.so \\(PJRT C API 0.*\\)
            program of \\[f32\\[3\\]\\]
              form: mlir: StableHLO .*, the plugin's version
              cost: 3 operations, 24 bytes read and written
              memory: argument 12, output 12, .*bytes
              optimized: . instructions in the entry, . computations
            """);
    assertThat(executable.profile(2, Literal.of(new float[] {1, 2, 3})).steps().get(0).kernel())
        .isEqualTo("pjrt cpu");
  }

  private static List<List<Literal>> each(int devices, Literal argument) {
    return IntStream.range(0, devices).mapToObj(i -> List.of(argument)).toList();
  }

  /** Each device its own argument: a program of one partition or replica, with collectives. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          4 | 1 | ROOT o = f32[2] all-reduce(x), replica_groups={}, to_apply=add
          2 | 2 | ROOT o = f32[2] all-reduce(x), replica_groups={{0,2},{1,3}}, channel_id=1, use_global_device_ids=true, to_apply=add
          1 | 4 | ROOT o = f32[2] collective-permute(x), channel_id=1, source_target_pairs={{0,1},{1,2},{2,3},{3,0}}
          1 | 4 | i = u32[] partition-id(); f = f32[] convert(i); b = f32[2] broadcast(f), dimensions={}; ROOT o = f32[2] add(x, b)
          1 | 2 | n = f32[2] negate(x), sharding={devices=[2]<=[2]}; ROOT o = f32[2] all-reduce(n), channel_id=1, replica_groups={{0,1}}, use_global_device_ids=true, to_apply=add
          """)
  void programsOfEachDevice(int replicas, int partitions, String body) {
    HloModule module = module("x = f32[2] parameter(0); " + body);
    DeviceGrid grid = new DeviceGrid(replicas, partitions);
    List<List<Literal>> arguments =
        IntStream.range(0, grid.deviceCount())
            .mapToObj(i -> List.of(Literal.of(new float[] {i, 10})))
            .toList();
    assertThat(evaluator().runOnDevices(module, grid, arguments))
        .isEqualTo(Interpreter.reference().runOnDevices(module, grid, arguments));
  }

  /** As a scheduled program of XLA's, whose schedule and layouts its passes would not keep. */
  @Test
  void scheduledProgramsOfEachDevice() {
    HloModule module =
        Parser.parse(
            """
            HloModule m, is_scheduled=true, num_partitions=4
            fused { a = f32[2] parameter(0)  ROOT n = f32[2] negate(a) }
            ENTRY e {
              x = f32[2] parameter(0), sharding={devices=[4]<=[4]}
              n = f32[2] fusion(x), kind=kLoop, calls=fused
              p = f32[2] collective-permute(n), channel_id=1, source_target_pairs={{0,1},{1,0},{2,3},{3,2}}
              a = f32[2,1]{0,1} reshape(n)
              b = f32[2,1]{0,1} reshape(p)
              c = f32[2,2]{0,1} concatenate(a, b), dimensions={1}
              ROOT t = f32[2,2]{1,0} bitcast(c)
            }
            """);
    List<List<Literal>> arguments =
        IntStream.range(0, 4).mapToObj(i -> List.of(Literal.of(new float[] {i, 10}))).toList();
    assertThat(evaluator().runOnDevices(module, FOUR, arguments))
        .isEqualTo(Interpreter.reference().runOnDevices(module, FOUR, arguments));
  }

  /** A ring on rows of 2, as shard_map writes it: with Shardy, in StableHLO. */
  private static HloModule ringByShardy(int devices, String pairs) {
    return StableHlo.toHlo(
        StableHlo.parse(
            """
            module @ring {
              sdy.mesh @mesh = <["r"=DEVICES]>
              func.func public @main(%a: tensor<ROWSx3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"r"}, {}]>}) -> tensor<ROWSx3xf32> {
                %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"r"}, {}]>] out_shardings=[<@mesh, [{"r"}, {}]>] manual_axes={"r"} (%b: tensor<2x3xf32>) {
                  %1 = "stablehlo.collective_permute"(%b) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[PAIRS]> : tensor<DEVICESx2xi64>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
                  %2 = stablehlo.subtract %1, %b : tensor<2x3xf32>
                  sdy.return %2 : tensor<2x3xf32>
                } : (tensor<ROWSx3xf32>) -> tensor<ROWSx3xf32>
                return %0 : tensor<ROWSx3xf32>
              }
            }
            """
                .replace("DEVICES", "" + devices)
                .replace("ROWS", "" + 2 * devices)
                .replace("PAIRS", pairs)));
  }

  /** The same with GSPMD, in HLO. */
  private static HloModule ringByGspmd(int devices, String pairs) {
    return Parser.parse(
        """
        HloModule ring, num_partitions=DEVICES
        ENTRY main {
          a = f32[ROWS,3] parameter(0), sharding={devices=[DEVICES,1]<=[DEVICES]}
          s = f32[ROWS,3] custom-call(a), custom_call_target="Sharding", sharding={devices=[DEVICES,1]<=[DEVICES]}
          b = f32[2,3] custom-call(s), custom_call_target="SPMDFullToShardShape", sharding={manual}
          p = f32[2,3] collective-permute(b), channel_id=1, source_target_pairs={PAIRS}, sharding={manual}
          d = f32[2,3] subtract(p, b), sharding={manual}
          m = f32[2,3] custom-call(d), custom_call_target="Sharding", sharding={manual}
          ROOT r = f32[ROWS,3] custom-call(m), custom_call_target="SPMDShardToFullShape", sharding={devices=[DEVICES,1]<=[DEVICES]}
        }
        """
            .replace("DEVICES", "" + devices)
            .replace("ROWS", "" + 2 * devices)
            .replace("PAIRS", pairs.replace('[', '{').replace(']', '}')));
  }

  @ParameterizedTest
  @CsvSource({"4, Shardy", "4, GSPMD", "8, Shardy", "8, GSPMD"})
  void manualComputations(int devices, String partitioner) {
    String pairs =
        IntStream.range(0, devices)
            .mapToObj(i -> "[" + i + "," + (i + 1) % devices + "]")
            .collect(joining(","));
    HloModule module =
        partitioner.equals("Shardy") ? ringByShardy(devices, pairs) : ringByGspmd(devices, pairs);
    Literal x = Literal.of(Shape.of(ElementType.F32, 2L * devices, 3), values(6 * devices));
    DeviceGrid grid = new DeviceGrid(1, devices);
    ImmutableList<Literal> want =
        Interpreter.reference().runOnDevices(module, grid, each(devices, x));
    PjrtPlugin plugin = CpuPlugin.plugin();
    try (PjrtClient client = plugin.client(PjrtOptions.DEFAULT.with("cpu_device_count", devices))) {
      assertThat(Pjrt.evaluator(client).runOnDevices(module, grid, each(devices, x)))
          .isEqualTo(want);
    }
    assertThat(want.get(0).toString())
        .startsWith("f32[" + 2 * devices + ",3] { { " + (6 * devices - 6));
  }

  /** StableHLO keeps no sharding of a tuple, and XLA ends the process that gives it one without. */
  @Test
  void tuplesOfAProgramOfEachDevice() {
    HloModule module =
        Parser.parse(
            """
            HloModule m
            add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] add(a, b) }
            pair {
              v = f32[2] parameter(0)
              r = f32[2] all-reduce(v), channel_id=2, replica_groups={{0,1,2,3}}, use_global_device_ids=true, to_apply=add
              k = s32[] constant(1)
              ROOT p = (f32[2], s32[]) tuple(r, k)
            }
            ENTRY e {
              x = f32[2] parameter(0)
              p = pred[] constant(true)
              t = (f32[2], s32[]) conditional(p, x, x), true_computation=pair, false_computation=pair
              g = f32[2] get-tuple-element(t), index=0
              u = (f32[2]) tuple(x)
              ROOT o = (f32[2], (f32[2])) tuple(g, u)
            }
            """);
    List<List<Literal>> arguments =
        IntStream.range(0, 4).mapToObj(i -> List.of(Literal.of(new float[] {i, 10}))).toList();
    assertThat(evaluator().runOnDevices(module, FOUR, arguments))
        .isEqualTo(Interpreter.reference().runOnDevices(module, FOUR, arguments));
  }

  /** 10 rows on 4 devices are 3, 3, 3 and 1. */
  @ParameterizedTest
  @CsvSource({"8", "10", "1"})
  void programsOfAllDevicesArePartitioned(int rows) {
    HloModule module =
        module(
            """
            x = SHAPE parameter(0), sharding={devices=[4,1]<=[4]}
            n = SHAPE negate(x)
            z = f32[] constant(0)
            r = f32[2] reduce(n, z), dimensions={0}, to_apply=add
            ROOT t = (SHAPE, f32[2]) tuple(n, r), sharding={{devices=[4,1]<=[4]}, {devices=[2,2]<=[4] last_tile_dim_replicate}}
            """
                .replace("SHAPE", "f32[" + rows + ",2]"));
    Literal x = Literal.of(Shape.of(ElementType.F32, rows, 2), values(rows * 2));
    ImmutableList<Literal> want = Interpreter.reference().runOnDevices(module, FOUR, each(4, x));
    assertThat(evaluator().runOnDevices(module, FOUR, each(4, x))).isEqualTo(want);
  }

  private static float[] values(int count) {
    float[] all = new float[count];
    for (int i = 0; i < count; i++) {
      all[i] = i;
    }
    return all;
  }

  @Test
  void devicesOfAPartitionedProgramWantTheSameArrays() {
    HloModule module =
        module("x = f32[4] parameter(0), sharding={devices=[2]<=[2]}; ROOT n = f32[4] negate(x)");
    Literal a = Literal.of(new float[] {1, 2, 3, 4});
    Literal b = Literal.of(new float[] {1, 2, 3, 5});
    assertThat(
            refusal(() ->
                evaluator()
                    .runOnDevices(module, new DeviceGrid(1, 2), List.of(List.of(a), List.of(b)))))
        .isEqualTo(
            "pjrt: argument 0 of a partitioned program got other values on device 1 than on 0,"
                + " want the whole array on each");
  }

  @Test
  void moreDevicesThanThereAre() {
    HloModule module = module("x = f32[4] parameter(0); ROOT n = f32[4] negate(x)");
    Literal x = Literal.of(values(4));
    assertThat(refusal(() -> evaluator().runOnDevices(module, new DeviceGrid(8, 1), each(8, x))))
        .isEqualTo(
            "pjrt: got a program for 8 devices, want at most the 4 of cpu\n"
                + "  fits: the client's option cpu_device_count=8");
  }

  @Test
  void whatPluginsCannotDoIsRefusedByName() {
    PjrtClient client = CpuPlugin.client();
    assertThat(
            refusal(() -> Pjrt.evaluator(client, EvaluatorOptions.builder().maxSteps(9).build())))
        .isEqualTo("pjrt: maxSteps got a value, want none: a plugin does not count steps");
    assertThat(
            refusal(
                () -> Pjrt.evaluator(client, EvaluatorOptions.builder().checkBounds(true).build())))
        .isEqualTo("pjrt: checkBounds got a value, want none: a plugin does not check indices");
    HloModule random =
        module(
            "z = f32[] constant(0); o = f32[] constant(1); ROOT r = f32[3] rng(z, o),"
                + " distribution=rng_uniform");
    assertThat(
            refusal(() ->
                Pjrt.evaluator(client, EvaluatorOptions.builder().seed(7).build()).run(random)))
        .isEqualTo("pjrt: got the seed 7 for an rng, want none: a plugin has its own");
    HloModule module = module("x = f32[4] parameter(0); ROOT n = f32[4] negate(x)");
    assertThat(
            refusal(() ->
                Pjrt.evaluator(client, EvaluatorOptions.builder().maxBytes(31).build())
                    .run(module, Literal.of(values(4)))))
        .isEqualTo("run: arguments and results got 32 bytes, want at most 31");
  }

  /** XLA gives the bits in place of bf16. */
  @Test
  void aProgramThatGivesAnotherType() {
    HloModule module =
        module(
            "k = u64[2] parameter(0); ROOT r = (u64[2], bf16[1]) rng-bit-generator(k),"
                + " algorithm=rng_three_fry");
    assertThat(refusal(() -> evaluator().compile(module)))
        .isEqualTo("pjrt: the plugin's program gives [u64[2], u16[1]], want [u64[2], bf16[1]]");
  }

  /** What the plugin has no number for ends the process when it is asked for it. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          x = s1[3] parameter(0); ROOT n = s32[3] convert(x)   | s1 | 0.94
          x = f32[3] parameter(0); n = u1[3] convert(x); ROOT t = (f32[3], (u1[3])) tuple(x, u) | u1 | 0.94
          """)
  void typesThatAreNewerThanThePlugin(String body, String type, String since) {
    String whole = body.replace("ROOT t", "u = (u1[3]) tuple(n); ROOT t");
    assertThat(refusal(() -> evaluator().compile(module(whole))))
        .startsWith("pjrt: got elements of type " + type + ", which plugins have since " + since);
  }

  @Test
  void aRunThatIsTooLongIsLeft() {
    HloModule module =
        Parser.parse(
            """
            HloModule m
            body { x = f32[300,300] parameter(0)  ROOT d = f32[300,300] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0} }
            step {
              p = (s32[], f32[300,300]) parameter(0)
              i = s32[] get-tuple-element(p), index=0
              x = f32[300,300] get-tuple-element(p), index=1
              d = f32[300,300] call(x), to_apply=body
              one = s32[] constant(1)
              n = s32[] add(i, one)
              ROOT t = (s32[], f32[300,300]) tuple(n, d)
            }
            more {
              p = (s32[], f32[300,300]) parameter(0)
              i = s32[] get-tuple-element(p), index=0
              m = s32[] constant(3000)
              ROOT c = pred[] compare(i, m), direction=LT
            }
            ENTRY e {
              x = f32[300,300] parameter(0)
              z = s32[] constant(0)
              t = (s32[], f32[300,300]) tuple(z, x)
              w = (s32[], f32[300,300]) while(t), condition=more, body=step
              ROOT r = f32[300,300] get-tuple-element(w), index=1
            }
            """);
    Evaluator evaluator =
        Pjrt.evaluator(
            CpuPlugin.client(),
            EvaluatorOptions.builder().deadline(Duration.ofMillis(600)).build());
    Executable executable = evaluator.compile(module);
    HloException refusal =
        assertThrows(
            HloException.class,
            () -> executable.run(Literal.zeros(Shape.of(ElementType.F32, 300, 300))));
    assertThat(refusal.kind()).isEqualTo(Kind.LIMIT);
    assertThat(refusal)
        .hasMessageThat()
        .isEqualTo("run: got beyond the deadline of 600 ms; what runs it goes on");
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
  }

  private static String refusal(org.junit.jupiter.api.function.Executable call) {
    return String.valueOf(assertThrows(HloException.class, call).getMessage());
  }
}
