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
    assertThat(ran).isEqualTo(new Cli.Ran(0, "29 passed, 0 failed, 0 unsupported\n", ""));
  }

  @ParameterizedTest
  @CsvSource({"run", "print", "trace", "bench", "profile", "explain", "summary", "record -o @/new"})
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
            + " @/f.mlir:2:8: got stablehlo.ad, want an op that is known; nearest known name:"
            + " stablehlo.add",
        "%r = stablehlo.slice %x [0:3] : (tensor<2xf32>) -> tensor<3xf32> |"
            + " @/f.mlir:2:3: stablehlo.slice: limit_indices[0] got 3, want at most 2, the"
            + " size of dimension 0 of f32[2] [slice C3]",
        "%r = stablehlo.abs %z : tensor<2xf32> | @/f.mlir:2:22: got %z, which is not"
            + " defined before, want a value that is",
        "%r = stablehlo.iota dim = 1 : tensor<2xf32> | @/f.mlir:2:3: stablehlo.iota:"
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

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "sdy.mesh @m = <[\"x\"=1]>",
        "\"sdy.mesh\"() {sym_name = \"m\", mesh = #sdy.mesh<[\"x\"=1]>} : () -> ()",
        "#loc = loc(\"a\":1:2)",
        "!t = tensor<4xf32>",
        "%c = stablehlo.constant dense<1.0> : tensor<2xf32>",
        "%c = \"stablehlo.constant\"() {value = dense<1.0> : tensor<2xf32>} : () -> tensor<2xf32>",
        "stablehlo.constant dense<1.0> : tensor<2xf32>",
        "func.func private @g(tensor<4xf32>) -> tensor<4xf32>",
        "`// a comment\n// another\nsdy.mesh @m = <[\"x\"=1]>`",
      })
  void textsMayBeginWithAnyOp(String beginning) {
    Cli.Ran ran =
        new Cli(folder)
            .with(
                "f",
                beginning
                    + "\nfunc.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {"
                    + "\n return %x : tensor<2xf32>\n}\n")
            .run("verify", "@/f");
    assertThat(ran.out()).isEqualTo("ok @/f\n");
  }

  @Test
  void namesThatHloDoesNotHaveAreChanged() {
    Cli cli =
        new Cli(folder)
            .with(
                "f.mlir",
                """
                module @"reactant_loop!" {
                  func.func private @"(µ f)"(%x: tensor<1xf32>) -> tensor<1xf32> {
                    %r = stablehlo.add %x, %x : tensor<1xf32>
                    return %r : tensor<1xf32>
                  }
                  func.func @main(%x: tensor<1xf32>) -> tensor<1xf32> {
                    %r = call @"(µ f)"(%x) : (tensor<1xf32>) -> tensor<1xf32>
                    return %r : tensor<1xf32>
                  }
                }
                """);
    assertThat(cli.run("run", "@/f.mlir", "-i", "{3}").out()).isEqualTo("f32[1] {6}\n");
    assertThat(cli.run("print", "-f", "hlo", "@/f.mlir").out())
        .startsWith("HloModule reactant_loop_, ");
    assertThat(cli.run("print", "-f", "stablehlo", "@/f.mlir").out())
        .startsWith("module @\"reactant_loop!\" {\n  func.func private @\"(\\C2\\B5 f)\"(");
  }

  @Test
  void elidedConstantsAreAWarning() {
    Cli cli =
        new Cli(folder)
            .with(
                "f.mlir",
                """
                func.func @main() -> tensor<64xf32> {
                  %c = stablehlo.constant dense_resource<__elided__> : tensor<64xf32>
                  return %c : tensor<64xf32>
                }
                """);
    assertThat(cli.run("verify", "@/f.mlir").out())
        .isEqualTo(
            "warning @/f.mlir:2:3: stablehlo.constant: the elements of tensor<64xf32> were left"
                + " out, written dense_resource<__elided__>\nok @/f.mlir\n");
    assertThat(cli.run("run", "@/f.mlir").err())
        .contains("constant: the elements of f32[64] were left out, written {...}; want a file");
  }

  @Test
  void sizesMayBeArguments() {
    Cli cli =
        new Cli(folder)
            .with(
                "f.mlir",
                """
                func.func @main(%n: tensor<i32>, %x: tensor<?xf32>) -> tensor<?x?xf32> {
                  %two = stablehlo.constant dense<2> : tensor<1xi32>
                  %m = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
                  %s = stablehlo.concatenate %two, %m, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
                  %r = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [1] : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
                  return %r : tensor<?x?xf32>
                }
                """);
    assertThat(cli.run("run", "@/f.mlir", "-i", "3", "-i", "f32[1] {7}").out())
        .isEqualTo("f32[2,3] {\n  {7, 7, 7},\n  {7, 7, 7}\n}\n");
    assertThat(cli.run("run", "@/f.mlir", "-i", "1", "-i", "f32[1] {7}").out())
        .isEqualTo("f32[2,1] {\n  {7},\n  {7}\n}\n");
    assertThat(cli.run("run", "@/f.mlir", "-i", "3", "-i", "f32[2] {7, 8}").err())
        .contains("stablehlo.dynamic_broadcast_in_dim");
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
            "@/f.mlir: dimensions are dynamic (x: tensor<?x2xf32>, y: tensor<?x2xf32>), want"
                + " --input for each, which makes them known, or --shape NAME=SIZE");
  }
}
