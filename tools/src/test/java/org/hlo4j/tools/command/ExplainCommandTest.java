package org.hlo4j.tools.command;

import static com.google.common.truth.Truth.assertThat;

import java.nio.file.Path;
import org.hlo4j.tools.Cli;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExplainCommandTest {
  @TempDir Path folder;

  @Test
  void stepsAreListed() {
    Cli.Ran ran = new Cli(folder).with("sum.hlo", Cli.SUM).run("explain", "@/sum.hlo");
    assertThat(ran.err()).isEmpty();
    assertThat(ran.out()).containsMatch("f32\\[3\\] +loop \\[f32\\[3\\]\\] of 2 operands");
    // The tests of this module have no Vector API.
    assertThat(ran.out())
        .endsWith(
            "\nas a program runs it without --add-modules jdk.incubator.vector; HLO4J_VECTORS=on"
                + " explains it with\n");
    assertThat(ran.status()).isEqualTo(0);
  }

  @Test
  void operationsOfFusedDotsAreCounted() {
    String layer =
        """
        HloModule layer
        ENTRY main {
          x = f32[64,100] parameter(0)
          w = f32[100,50] parameter(1)
          b = f32[64,50] parameter(2)
          d = f32[64,50] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
          ROOT s = f32[64,50] add(d, b)
        }
        """;
    Cli.Ran ran = new Cli(folder).with("layer.hlo", layer).run("explain", "@/layer.hlo");
    assertThat(ran.out())
        .containsMatch(
            "add_fusion .*gemm f32 64x100x50.*, then .* writes 12.8 kB, 0.000640 GFLOP\n");
  }

  @Test
  void boundArguments() {
    Cli cli = new Cli(folder).with("sum.hlo", Cli.SUM);
    assertThat(cli.run("explain", "@/sum.hlo", "--bind", "y").out())
        .startsWith(
            """
            bound: (y: f32[])
            computed once: 1 arrays, 4 bytes
            held: 1 arrays, 4 B; kept by kernels: 0 B
            """);
    cli.run("explain", "@/sum.hlo", "--bind", "z")
        .isRefused(
            "--bind got z, want names or a pattern of names of x, y; see hlo4j explain --help");
  }

  @Test
  void missingFile() {
    new Cli(folder).run("explain", "@/none.hlo").fails("@/none.hlo: no such file or directory");
  }
}
