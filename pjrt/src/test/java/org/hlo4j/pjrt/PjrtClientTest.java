package org.hlo4j.pjrt;

import static com.google.common.truth.Truth.assertThat;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.collect.ImmutableSet;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.hlo4j.hlo.Literal;
import org.hlo4j.interpreter.DeviceGrid;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Programs on XLA's CPU plugin. */
@Tag("slow")
final class PjrtClientTest {
  private static final String PLUS_ONE =
      "%c = stablehlo.constant dense<1.0> : tensor<3xf32>"
          + " %0 = stablehlo.add %a, %c : tensor<3xf32> return %0 : tensor<3xf32>";

  /** The sum of one number of each of 4 replicas. */
  static final String SUM =
      "module @m attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 4 : i32} {"
          + " func.func @main(%a: tensor<f32>) -> tensor<f32> {"
          + " %0 = \"stablehlo.all_reduce\"(%a) ({ ^bb0(%x: tensor<f32>, %y: tensor<f32>):"
          + " %1 = stablehlo.add %x, %y : tensor<f32> stablehlo.return %1 : tensor<f32> })"
          + " {replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}"
          + " : (tensor<f32>) -> tensor<f32> return %0 : tensor<f32> } }";

  @Test
  void runsWithLiterals() {
    try (PjrtExecutable plusOne = CpuPlugin.compile("3xf32", "3xf32", PLUS_ONE)) {
      assertThat(plusOne.run(Literal.of(new float[] {1, 2, 3})))
          .containsExactly(Literal.of(new float[] {2, 3, 4}));
    }
  }

  @Test
  void resultsStayOnTheDevice() {
    try (PjrtScope scope = new PjrtScope()) {
      PjrtExecutable plusOne = scope.add(CpuPlugin.compile("3xf32", "3xf32", PLUS_ONE));
      PjrtBuffer x = scope.add(CpuPlugin.client().buffer(Literal.of(new float[] {1, 2, 3})));
      for (int i = 0; i < 100; i++) {
        x = scope.addAll(plusOne.execute(List.of(x))).get(0);
      }
      assertThat(x.toLiteral()).isEqualTo(Literal.of(new float[] {101, 102, 103}));
    }
  }

  @Test
  void oneListForEachDevice() {
    PjrtClient client = CpuPlugin.client();
    try (PjrtScope scope = new PjrtScope()) {
      PjrtExecutable all =
          scope.add(
              client.compile(
                  SUM.getBytes(UTF_8),
                  "mlir",
                  PjrtCompileOptions.DEFAULT.withGrid(new DeviceGrid(4, 1))));
      List<List<PjrtBuffer>> arguments =
          all.devices().stream()
              .map(
                  device -> List.of(scope.add(client.buffer(Literal.of(device.id() + 1f), device))))
              .toList();
      List<Literal> results =
          all.executeOnDevices(arguments, ImmutableSet.of()).stream()
              .map(each -> scope.addAll(each).get(0).toLiteral())
              .toList();
      assertThat(results)
          .containsExactly(Literal.of(10f), Literal.of(10f), Literal.of(10f), Literal.of(10f));
    }
  }

  @Test
  void factsOfAProgram() {
    try (PjrtExecutable plusOne = CpuPlugin.compile("3xf32", "3xf32", PLUS_ONE)) {
      assertThat(plusOne.toString()).startsWith("[f32[3]{0}] -> [f32[3]] on [");
      assertThat(plusOne.name()).isEqualTo("m");
      assertThat(plusOne.costAnalysis()).containsEntry("flops", 3f);
      assertThat(plusOne.memoryAnalysis()).containsEntry("argument_size_in_bytes", 12L);
      assertThat(plusOne.fingerprint()).isNotEmpty();
      try (PjrtExecutable again = CpuPlugin.client().load(plusOne.serialize())) {
        assertThat(again.run(Literal.of(new float[] {1, 2, 3})))
            .containsExactly(Literal.of(new float[] {2, 3, 4}));
      }
    }
  }

  /** P8, P9: what is kept is taken if all is the same, and compiled again if it is refused. */
  @Test
  void cacheOfPrograms(@TempDir Path folder) throws IOException {
    PjrtOptions options = PjrtOptions.DEFAULT.withCache(folder.resolve("new"));
    assertThat(formOf(options)).isEqualTo("mlir: given");
    assertThat(formOf(options)).isEqualTo("mlir: given, of the cache");
    assertThat(formOf(options.with("cpu_device_count", 2))).isEqualTo("mlir: given");
    List<Path> kept = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder.resolve("new"))) {
      files.forEach(kept::add);
    }
    assertThat(kept).hasSize(2);
    for (Path file : kept) {
      Files.writeString(file, "broken");
    }
    assertThat(formOf(options)).isEqualTo("mlir: given");
    assertThat(formOf(options)).isEqualTo("mlir: given, of the cache");
  }

  private static String formOf(PjrtOptions options) {
    String program =
        "module @m { func.func @main(%a: tensor<3xf32>) -> tensor<3xf32> { " + PLUS_ONE + " } }";
    try (PjrtClient client = CpuPlugin.plugin().client(options);
        PjrtExecutable plusOne =
            client.compile(program.getBytes(UTF_8), "mlir", PjrtCompileOptions.DEFAULT)) {
      assertThat(plusOne.run(Literal.of(new float[] {1, 2, 3})))
          .containsExactly(Literal.of(new float[] {2, 3, 4}));
      assertThat(plusOne.parameters()).isNotEmpty();
      return plusOne.form();
    }
  }

  @Test
  void refusalOfThePlugin() {
    assertThat(CpuPlugin.refusal(() -> CpuPlugin.compile("nonsense")))
        .startsWith("PJRT_Client_Compile: ");
  }
}
