package org.hlo4j.pjrt;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.common.collect.ImmutableList;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.DeviceGrid;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.Executable;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.stablehlo.jax.JaxExport;
import org.hlo4j.stablehlo.jax.JaxFunction;
import org.junit.jupiter.api.Test;

/** Programs compiled for several devices of XLA's CPU plugin, by the API of all evaluators. */
final class GridProgramsTest {
  private static final Literal ONE = Literal.of(new float[] {1, 2});
  private static final Literal OTHER = Literal.of(new float[] {3, 4});

  private static final HloModule OF_EACH =
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
            w = f32[2] parameter(1)
            sum = f32[2] all-reduce(x), channel_id=1, replica_groups={{0,1}}, use_global_device_ids=true, to_apply=add
            ROOT y = f32[2] multiply(sum, w)
          }
          """);

  /** Returns a client of 8 devices; skips the test if there is no plugin. */
  private static PjrtClient client() {
    return CpuPlugin.plugin().client(PjrtOptions.DEFAULT.with("cpu_device_count", 8));
  }

  /** What runs, binds and profiles is the same as on the evaluators of hlo4j. */
  @Test
  void eachDeviceItsOwnArguments() {
    try (PjrtClient client = client()) {
      Evaluator evaluator = Pjrt.evaluator(client);
      Executable program = evaluator.compile(OF_EACH);
      assertThat(program.grid()).isEqualTo(new DeviceGrid(2, 1));
      List<List<Literal>> arguments = List.of(List.of(ONE, ONE), List.of(OTHER, OTHER));
      ImmutableList<Literal> want =
          ImmutableList.of(Literal.of(new float[] {4, 12}), Literal.of(new float[] {12, 24}));
      assertThat(program.runOnDevices(arguments)).isEqualTo(want);
      assertThat(evaluator.compile(OF_EACH, new DeviceGrid(2, 1)).runOnDevices(arguments))
          .isEqualTo(want);
      assertThat(program.bind(Map.of("w", ONE)).runOnDevices(List.of(List.of(ONE), List.of(OTHER))))
          .containsExactly(Literal.of(new float[] {4, 12}), Literal.of(new float[] {4, 12}));
      assertThat(program.profileOnDevices(2, arguments).runs()).isEqualTo(2);
      assertThat(assertThrows(HloException.class, () -> program.run(ONE, ONE)).summary())
          .isEqualTo(
              "run: got one list of arguments for 2 devices (2 replicas of 1 partition), each of"
                  + " which runs m on arguments of its own, want runOnDevices with a list for each"
                  + " device, or a compilation for a grid of one");
    }
  }

  @Test
  void moreDevicesThanTheClientHas() {
    try (PjrtClient client = client()) {
      Evaluator evaluator = Pjrt.evaluator(client);
      Executable program = evaluator.compile(OF_EACH, new DeviceGrid(16, 1));
      List<List<Literal>> arguments = Collections.nCopies(16, List.of(ONE, ONE));
      assertThat(assertThrows(HloException.class, () -> program.runOnDevices(arguments)).summary())
          .startsWith("pjrt: got a program for 16 devices, want at most the 8 of cpu");
    }
  }

  /** An export of JAX for 8 devices, with computations by hand in each other. */
  @Test
  void functionOfJaxOnEightDevices() throws IOException {
    try (PjrtClient client = client()) {
      Evaluator evaluator = Pjrt.evaluator(client);
      JaxExport export =
          JaxExport.read(Path.of("../tools/src/test/resources/org/hlo4j/tools/devices/nested.bin"));
      assertThat(export.deviceCount()).isEqualTo(8);
      Literal x = Literal.of(new float[][] {{1, 2, 3, 4}, {5, 6, 7, 8}});
      Object want = call(Interpreter.reference(), export, x);
      assertThat(call(evaluator, export, x)).isEqualTo(want);
      Executable program = evaluator.compile(export.toHlo(Map.of()));
      assertThat(program.grid()).isEqualTo(new DeviceGrid(1, 8));
      Literal result = program.newResult();
      program.unsafeRunInto(result, x);
      assertThat(result).isEqualTo(program.run(x));
      assertThat(program.bind(Map.of(program.parameterNames().get(0), x)).run())
          .isEqualTo(program.run(x));
    }
  }

  private static Object call(Evaluator on, JaxExport export, Literal x) {
    return new JaxFunction(export, (module, bound) -> on.compile(module).bind(bound)::run).call(x);
  }
}
