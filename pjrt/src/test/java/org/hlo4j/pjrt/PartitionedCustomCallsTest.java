package org.hlo4j.pjrt;

import static com.google.common.truth.Truth.assertThat;

import com.google.common.collect.ImmutableList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.CustomCallTarget;
import org.hlo4j.interpreter.DeviceGrid;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.stablehlo.StableHlo;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Functions in Java in programs of 4 partitions, on 4 devices of XLA's CPU plugin: in a part of the
 * program that is manual they get the shard of each device, elsewhere the whole array, which both
 * partitioners put together for a call that they cannot cut.
 */
final class PartitionedCustomCallsTest {
  private static final DeviceGrid FOUR = new DeviceGrid(1, 4);
  private static final String TARGET = "parts.minusSum";
  private static final Set<Shape> SEEN = ConcurrentHashMap.newKeySet();

  /** Whether it is on a shard or the whole array, its result tells: each element minus the sum. */
  private static final CustomCallTarget MINUS_SUM =
      (call, operands) -> {
        float[] x = operands.get(0).toFloats();
        float sum = 0;
        for (float each : x) {
          sum += each;
        }
        for (int i = 0; i < x.length; i++) {
          x[i] -= sum;
        }
        SEEN.add(operands.get(0).shape());
        return Literal.of(operands.get(0).arrayShape(), x);
      };

  @BeforeAll
  static void register() {
    PjrtCustomCalls.register(CpuPlugin.plugin(), TARGET, MINUS_SUM);
  }

  @BeforeEach
  void clear() {
    SEEN.clear();
  }

  private static HloModule module(String partitioner, String where) {
    String call = ", custom_call_target=\"" + TARGET + "\", api_version=API_VERSION_TYPED_FFI";
    return switch (partitioner + " " + where) {
      case "GSPMD manual" ->
          Parser.parse(
              """
              HloModule m, num_partitions=4
              ENTRY main {
                a = f32[8,3] parameter(0), sharding={devices=[4,1]<=[4]}
                s = f32[8,3] custom-call(a), custom_call_target="Sharding", sharding={devices=[4,1]<=[4]}
                b = f32[2,3] custom-call(s), custom_call_target="SPMDFullToShardShape", sharding={manual}
                c = f32[2,3] custom-call(b)CALL, sharding={manual}
                m = f32[2,3] custom-call(c), custom_call_target="Sharding", sharding={manual}
                ROOT r = f32[8,3] custom-call(m), custom_call_target="SPMDShardToFullShape", sharding={devices=[4,1]<=[4]}
              }
              """
                  .replace("CALL", call));
      case "GSPMD whole" ->
          Parser.parse(
              """
              HloModule m, num_partitions=4
              ENTRY main {
                a = f32[8,3] parameter(0), sharding={devices=[4,1]<=[4]}
                c = f32[8,3] custom-call(a)CALL
                ROOT r = f32[8,3] negate(c), sharding={devices=[4,1]<=[4]}
              }
              """
                  .replace("CALL", call));
      case "none shard" ->
          Parser.parse(
              """
              HloModule m, num_partitions=4
              ENTRY main {
                a = f32[8,3] parameter(0)
                c = f32[8,3] custom-call(a)CALL
                ROOT r = f32[8,3] collective-permute(c), channel_id=1, source_target_pairs={{0,1},{1,2},{2,3},{3,0}}
              }
              """
                  .replace("CALL", call));
      case "Shardy manual" ->
          shardy(
              """
              %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"r"}, {}]>] out_shardings=[<@mesh, [{"r"}, {}]>] manual_axes={"r"} (%b: tensor<2x3xf32>) {
                %1 = stablehlo.custom_call @TARGET(%b) {api_version = 4 : i32, backend_config = {}} : (tensor<2x3xf32>) -> tensor<2x3xf32>
                sdy.return %1 : tensor<2x3xf32>
              } : (tensor<8x3xf32>) -> tensor<8x3xf32>
              """);
      default ->
          shardy(
              "%0 = stablehlo.custom_call @TARGET(%a) {api_version = 4 : i32, backend_config = {}}"
                  + " : (tensor<8x3xf32>) -> tensor<8x3xf32>");
    };
  }

  private static HloModule shardy(String body) {
    return StableHlo.toHlo(
        StableHlo.parse(
            """
            module @m {
              sdy.mesh @mesh = <["r"=4]>
              func.func public @main(%a: tensor<8x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"r"}, {}]>}) -> tensor<8x3xf32> {
                BODY
                return %0 : tensor<8x3xf32>
              }
            }
            """
                .replace("BODY", body)
                .replace("TARGET", TARGET)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          GSPMD  | manual | f32[2,3]
          GSPMD  | whole  | f32[8,3]
          Shardy | manual | f32[2,3]
          Shardy | whole  | f32[8,3]
          none   | shard  | f32[8,3]
          """)
  void functionsGetShardsOrWholeArrays(String partitioner, String where, String seen) {
    HloModule module = module(partitioner, where);
    float[] values = new float[24];
    IntStream.range(0, values.length).forEach(i -> values[i] = i);
    Literal x = Literal.of(Shape.of(ElementType.F32, 8, 3), values);
    List<List<Literal>> arguments = Collections.nCopies(4, List.of(x));
    EvaluatorOptions known = EvaluatorOptions.builder().customCall(TARGET, MINUS_SUM).build();
    ImmutableList<Literal> want =
        Interpreter.reference(known).runOnDevices(module, FOUR, arguments);
    assertThat(SEEN).containsExactly(Shape.parse(seen));
    SEEN.clear();
    assertThat(Pjrt.evaluator(CpuPlugin.client()).runOnDevices(module, FOUR, arguments))
        .isEqualTo(want);
    assertThat(SEEN).containsExactly(Shape.parse(seen));
  }
}
