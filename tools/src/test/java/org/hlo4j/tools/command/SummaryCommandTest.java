package org.hlo4j.tools.command;

import static com.google.common.truth.Truth.assertThat;

import java.nio.file.Path;
import org.hlo4j.tools.Cli;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SummaryCommandTest {
  @TempDir Path folder;

  private Cli cli() {
    return new Cli(folder).with("sum.hlo", Cli.SUM);
  }

  @Test
  void programSummary() {
    cli()
        .run("summary", "@/sum.hlo")
        .prints(
            """
            sum: (x: f32[3], y: f32[]) -> f32[3]
            instructions    6 in 1 computation
              parameter  2
              add        1
              broadcast  1
              constant   1
              multiply   1
            parameters      2 values, 4 elements, 16 B
              x  f32[3]  12 B
              y  f32[]   4 B
            result          f32[3], 12 B
            constants       1 array, 4 B
            operations      4, and 0 transcendental functions
            bytes accessed  64 B
            peak memory     24 B, at sum
              all  f32[3]  12 B  broadcast
              sum  f32[3]  12 B  add        model.py:7
            artifact        StableHLO 0.9.0
            """);
  }

  /** StableHLO, and a loop with an unknown trip count. */
  @Test
  void loopOfUnknownTripCount() {
    Cli.Ran ran =
        cli()
            .with(
                "loop.mlir",
                """
                func.func @main(%n: tensor<i32>) -> tensor<i32> {
                  %r = stablehlo.while(%i = %n) : tensor<i32>
                  cond {
                    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
                    stablehlo.return %c : tensor<i1>
                  } do {
                    %d = stablehlo.add %i, %i : tensor<i32>
                    stablehlo.return %d : tensor<i32>
                  }
                  return %r : tensor<i32>
                }
                """)
            .run("summary", "@/loop.mlir");
    assertThat(ran.err()).isEmpty();
    assertThat(ran.out()).containsMatch("\noperations +2, and 0 transcendental functions\n");
    assertThat(ran.out()).containsMatch("\ncounted once +\\S+, whose iterations are not known\n");
  }

  @Test
  void invalidProgram() {
    cli()
        .with(
            "bad.hlo", "HloModule b ENTRY e { x = f32[3] parameter(0) ROOT n = f32[4] negate(x) }")
        .run("summary", "@/bad.hlo")
        .fails(
            "@/bad.hlo:1:52: negate: declared shape got f32[4], want f32[3] as inferred; at %n ="
                + " f32[4] negate(%x)");
  }
}
