package org.hlo4j.tools;

import static com.google.common.truth.Truth.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Self-checking StableHLO files on each evaluator, and errors of invalid files. */
class StableHloTest {
  private static final Path PROGRAMS =
      Path.of("src/test/resources/org/hlo4j/tools/stablehlo").toAbsolutePath();

  @TempDir Path folder;

  @ParameterizedTest
  @CsvSource({"reference", "compiled"})
  void programsPass(String evaluator) {
    Cli.Ran ran = new Cli(folder).run("test", "-q", PROGRAMS.toString(), "--evaluator", evaluator);
    assertThat(ran).isEqualTo(new Cli.Ran(0, "17 passed, 0 failed, 0 unsupported\n", ""));
  }

  @ParameterizedTest
  @CsvSource({"run", "print", "trace", "bench", "explain", "summary", "record -o @/new"})
  void everyCommandNamesFileInErrors(String command) {
    Cli cli =
        new Cli(folder).with("f.mlir", "func.func @f() { return }\nfunc.func @g() { return }\n");
    cli.run((command + " @/f.mlir").split(" "))
        .fails(
            "@/f.mlir:1:1: builtin.module: got the functions [f, g], want one that is named main");
  }

  @Test
  void failedCheck() {
    Cli cli =
        new Cli(folder)
            .with(
                "a.mlir",
                """
                func.func @main() {
                  %x = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
                  check.expect_eq_const %x, dense<[1.0, 2.5]> : tensor<2xf32>
                  return
                }
                """);
    assertThat(cli.run("test", "@/a.mlir").out())
        .isEqualTo(
            """
            FAIL a.mlir 3:3: element 1 got 2, want 2.5, 2097152 ulps
            0 passed, 1 failed, 0 unsupported
            """);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "%r = stablehlo.add %x, %y : tensor<2xf32> |"
            + " @/f.mlir:2:26: got %y of type tensor<3xf32>, want tensor<2xf32>",
        "%r = stablehlo.ad %x, %x : tensor<2xf32> |"
            + " @/f.mlir:2:8: got stablehlo.ad, want an op with a form of its own or"
            + " \"stablehlo.ad\"(...); nearest known name: stablehlo.add",
        "%r = stablehlo.slice %x [0:3] : (tensor<2xf32>) -> tensor<3xf32> |"
            + " @/f.mlir:2:3: stablehlo.slice: slice: limit_indices[0] got 3, want at most 2, the"
            + " size of dimension 0 of f32[2] [slice C3]",
        "%r = stablehlo.abs %z : tensor<2xf32> | @/f.mlir:2:22: got %z, which is not"
            + " defined before, want a value that is",
        "%r = stablehlo.iota dim = 1 : tensor<2xf32> | @/f.mlir:2:3: stablehlo.iota: iota:"
            + " iota_dimension got 1, want one from 0 to 0 of f32[2] [iota C1]",
      })
  void verifyReportsErrors(String line, String message) {
    Cli.Ran ran =
        new Cli(folder)
            .with(
                "f.mlir",
                "func.func @main(%x: tensor<2xf32>, %y: tensor<3xf32>) {\n  "
                    + line
                    + "\n  return\n}\n")
            .run("verify", "@/f.mlir");
    assertThat(ran.out()).isEqualTo("error " + message + "\n");
  }

  @Test
  void dynamicSizesComeFromInputs() {
    Cli cli =
        new Cli(folder)
            .with(
                "f.mlir",
                """
                func.func @main(%x: tensor<?x2xf32>, %y: tensor<?x2xf32>) -> tensor<?x2xf32> {
                  %r = stablehlo.add %x, %y : tensor<?x2xf32>
                  return %r : tensor<?x2xf32>
                }
                """);
    assertThat(
            cli.run("run", "@/f.mlir", "-i", "f32[1,2] {{1, 2}}", "-i", "f32[1,2] {{3, 4}}").out())
        .isEqualTo("f32[1,2] {\n  {4, 6}\n}\n");
    cli.run("run", "@/f.mlir", "-i", "f32[1,2] {{1, 2}}", "-i", "f32[1,3] {{3, 4, 5}}")
        .fails(
            "@/f.mlir:1:1: func.func: argument 1 of @main got tensor<1x3xf32>, want"
                + " tensor<?x2xf32>");
    cli.run("explain", "@/f.mlir")
        .fails(
            "@/f.mlir: sizes are open (x: tensor<?x2xf32>, y: tensor<?x2xf32>), want --input for"
                + " each, whose shapes make them known, or --shape NAME=SIZE where nothing is run");
  }
}
