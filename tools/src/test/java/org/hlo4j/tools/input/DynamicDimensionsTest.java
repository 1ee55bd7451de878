package org.hlo4j.tools.input;

import static com.google.common.truth.Truth.assertThat;
import static com.google.common.truth.Truth.assertWithMessage;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.hlo4j.tools.Cli;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Programs whose sizes, function or platform the command line chooses. */
class DynamicDimensionsTest {
  private static final Path EXPORTS = Path.of("src/test/resources/org/hlo4j/tools/exports");

  private static final String DYNAMIC =
      """
      func.func @main(%x: tensor<?x2xf32>) -> tensor<?x2xf32> {
        %r = stablehlo.negate %x : tensor<?x2xf32>
        return %r : tensor<?x2xf32>
      }
      """;

  private static final String FUNCTIONS =
      """
      func.func @twice(%x: tensor<f32>) -> tensor<f32> {
        %r = stablehlo.add %x, %x : tensor<f32>
        return %r : tensor<f32>
      }
      func.func @four(%x: tensor<f32>) -> tensor<f32> {
        %t = call @twice(%x) : (tensor<f32>) -> tensor<f32>
        %r = call @twice(%t) : (tensor<f32>) -> tensor<f32>
        return %r : tensor<f32>
      }
      """;

  private static final String BOUNDED =
      "HloModule m ENTRY e { x = f32[<=2,3] parameter(0) ROOT r = f32[<=2,3] abs(x) }";

  @TempDir Path folder;
  private Cli cli;

  @BeforeEach
  void programs() throws IOException {
    cli = new Cli(folder).with("open.mlir", DYNAMIC).with("functions.mlir", FUNCTIONS);
    Files.copy(EXPORTS.resolve("batch_mlp/export.bin"), folder.resolve("f.bin"));
  }

  /** The types of all arguments are static; how long the result is depends on one of them. */
  @Test
  void sizesThatArgumentsHold() throws IOException {
    cli.with(
        "n.mlir",
        """
        func.func @main(%n: tensor<i32>, %x: tensor<f32>) -> tensor<?xf32> {
          %s = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
          %r = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [] : (tensor<f32>, tensor<1xi32>) -> tensor<?xf32>
          return %r : tensor<?xf32>
        }
        """);
    cli.run("run", "@/n.mlir", "--input", "3", "--input", "1.5").prints("f32[3] {1.5, 1.5, 1.5}\n");
    cli.run("run", "@/n.mlir", "--input", "0", "--input", "1.5").prints("f32[0] {}\n");
    cli.run("print", "@/n.mlir")
        .fails(
            "@/n.mlir: dimensions are dynamic (n: tensor<i32>, x: tensor<f32>), want --input for"
                + " each, which makes them known, or --shape NAME=SIZE");
  }

  @Test
  void summaryOfAnOpenExport() {
    cli.run("summary", "@/f.bin")
        .prints(
            """
            <lambda>(float32[b,8]) -> float32[b,4]
            arguments       ((*,), {})
              args[0]  float32[b,8]
            result          *
            size variables  b
            platforms       cpu
            contents        known with --input, or --shape b=5
            """);
    cli.run("summary", "@/open.mlir")
        .prints(
            """
              x: tensor<?x2xf32>
            contents        known with --input, or --shape for each: --shape 'x=f32[5,8]'
            """);
    assertThat(cli.run("summary", "@/f.bin", "--format", "json").out())
        .contains("\"sizeVariables\": [\n    \"b\"\n  ]");
  }

  @Test
  void shapesMakeSizesKnown() {
    assertThat(cli.run("summary", "@/f.bin", "--shape", "b=5").out())
        .startsWith("jit__lambda: (arg0: f32[5,8]) -> f32[5,4]\n");
    assertThat(cli.run("print", "@/open.mlir", "-s", "x=f32[3,2]", "-f", "short").out())
        .isEqualTo(
            """
            HloModule main, entry_computation_layout={(f32[3,2]{1,0})->f32[3,2]{1,0}}

            ENTRY main {
              x = f32[3,2] parameter(0)
              ROOT negate = f32[3,2] negate(x)
            }
            """);
    assertThat(cli.run("explain", "@/open.mlir", "-i", "f32[1,2] {{1, 2}}").out())
        .contains("f32[1,2]");
  }

  /** Where a program is run: what has no array, but a known shape or bound, is random. */
  @ParameterizedTest
  @ValueSource(strings = {"run", "bench -n 1 -w 0", "profile -n 1 -w 0", "trace", "compare"})
  void randomArguments(String command) {
    cli.with("bounded.hlo", BOUNDED);
    for (String program :
        List.of(
            "@/f.bin --shape b=2",
            "@/open.mlir --shape x=f32[3,2]",
            "@/bounded.hlo --shape x=f32[2,3]",
            "@/bounded.hlo")) {
      Cli.Ran ran = cli.run((command + " --random 1 " + program).split(" "));
      assertWithMessage(program).that(ran.err()).isEmpty();
      assertWithMessage(program).that(ran.status()).isEqualTo(0);
    }
  }

  @Test
  void shapesOfRandomArguments() {
    assertThat(cli.run("run", "@/f.bin", "--shape", "b=2", "-r", "1").out())
        .startsWith("f32[2,4] {");
    cli.with("bounded.hlo", BOUNDED)
        .run("run", "@/bounded.hlo", "-s", "x=f32[1,3]", "-i", "{{-1, 2, -3}}")
        .prints("f32[1,3] {\n  {1, 2, 3}\n}\n");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "run @/f.bin --random 1 | @/f.bin: --random got args[0]: float32[b,8], whose dimensions are"
            + " dynamic, want --input or --shape for it",
        "run @/f.bin --random 1 --shape c=2 |"
            + " @/f.bin: --shape got {c=2}, want [b], the size variables of"
            + " <lambda>(float32[b,8]) -> float32[b,4]",
        "run @/open.mlir --input f32[1,2]{{1,2}} --shape x=f32[3,2] |"
            + " f32[1,2]{{1,2}}: got f32[1,2], want f32[3,2] for parameter x",
        "run @/open.mlir --random 1 --shape y=f32[3,2] |"
            + " --shape got [y], want names of inputs: [x: tensor<?x2xf32>]",
        "run @/open.mlir --input {{1,2}} |"
            + " {{1,2}}: neither an .npy file nor a literal: got no sizes for f32[?,2], want them"
            + " before the elements: f32[3] {1, 2, 3}; for parameter x: tensor<?x2xf32>",
        "explain @/f.bin --shape c=5 |"
            + " @/f.bin: --shape got {c=5}, want [b], the size variables of"
            + " <lambda>(float32[b,8]) -> float32[b,4]",
        "explain @/f.bin --shape b=5 -s c=7 |"
            + " @/f.bin: --shape got {b=5, c=7}, want [b], the size variables of"
            + " <lambda>(float32[b,8]) -> float32[b,4]",
        "explain @/f.bin --shape b=5 -s b=6 | @/f.bin: --shape got b twice, want it once",
        "explain @/f.bin --shape b=x | @/f.bin: --shape b got x, want a number",
        "explain @/open.mlir --shape y=f32[3,2] |"
            + " --shape got [y], want names of inputs: [x: tensor<?x2xf32>]",
        "explain @/two.mlir --shape y=f32[3] |"
            + " --shape got none for x: tensor<?xf32>, want one: --shape 'x=f32[5,8]'",
        "explain @/open.mlir --shape x=f32[?,2] |"
            + " --shape x got f32[?,2], want the shape of an array of known sizes",
        "explain @/open.mlir --shape x=5 |"
            + " --shape x: 1:1: got 5, want a shape such as f32[2,3]",
        "explain @/open.mlir --shape x=f32[3,5] |"
            + " @/open.mlir:1:1: func.func: argument 0 of @main got tensor<3x5xf32>, want"
            + " tensor<?x2xf32>",
      })
  void wrongShapes(String command, String message) {
    cli.with(
        "two.mlir",
        """
        func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
          return %x : tensor<?xf32>
        }
        """);
    cli.run(command.split(" ")).fails(message);
  }

  @Test
  void functionOfAFile() {
    cli.run("run", "@/functions.mlir", "--function", "four", "-i", "3").prints("f32[] 12\n");
    cli.run("run", "@/functions.mlir", "--function", "twice", "-i", "3").prints("f32[] 6\n");
    cli.run("run", "@/functions.mlir", "--function", "main", "-i", "3")
        .fails("@/functions.mlir: function got main, want one of [twice, four]");
    cli.run("run", "@/f.bin", "--function", "main", "-i", "3")
        .fails(
            "@/f.bin: --function got main for another form, want StableHLO without jax.export's"
                + " signature");
  }

  /** The module is selected first: others need not have the function, nor any entry. */
  @Test
  void functionOfOneOfSeveralModules() {
    cli.with(
        "several.mlir",
        DYNAMIC + "// -----\n" + FUNCTIONS + "// -----\nmodule @m { " + DYNAMIC + "}");
    cli.run("run", "@/several.mlir", "-m", "1", "--function", "four", "-i", "3")
        .prints("f32[] 12\n");
    cli.run("run", "@/several.mlir", "-m", "twice", "--function", "four", "-i", "3")
        .prints("f32[] 12\n");
    cli.run("run", "@/several.mlir", "-m", "m", "-i", "f32[0,2] {}").prints("f32[0,2] {}\n");
    cli.run("run", "@/several.mlir", "-m", "four", "-i", "3")
        .fails(
            "@/several.mlir: got --module four for 3 modules (0: main, 1: twice, 2: m), want one"
                + " of them");
  }

  @Test
  void platformOfAnExport() {
    cli.run("summary", "@/f.bin", "--platform", "tpu", "--shape", "b=5")
        .fails("@/f.bin: <lambda>: platform got tpu, want one of [cpu], which it was exported for");
    cli.run("summary", "@/open.mlir", "--platform", "tpu")
        .fails("@/open.mlir: --platform got tpu for another form, want a jax.export file");
  }

  /** The message of an assertion is the user's, with nothing before it but the file. */
  @Test
  void assertionsOfSizes() throws IOException {
    Files.copy(EXPORTS.resolve("shape_arithmetic/export.bin"), folder.resolve("s.bin"));
    assertThat(cli.run("summary", "@/s.bin", "--shape", "b=6").err())
        .startsWith("hlo4j: @/s.bin: ");
    assertThat(cli.run("summary", "@/s.bin", "--shape", "b=6").err()).doesNotContain("byte ");
  }

  /** Files named *.bin are programs if they are what jax.export saves. */
  @Test
  void exportsInFolders() {
    cli.with("other.bin", "weights").with("notes.md", "text");
    cli.run("verify", "@/")
        .prints(
            """
            ok @/f.bin
            ok @/functions.mlir
            ok @/open.mlir
            skipped @/: other files: 2
            """);
    cli.run("verify", "--quiet", "@/").prints("");
    new Cli(folder.resolve("empty")).with("a.bin", "weights");
    assertThat(cli.run("verify", "@/empty").out())
        .isEqualTo("error @/empty: no programs in this folder, other files: 1\n");
  }
}
