package org.hlo4j.tools;

import static com.google.common.truth.Truth.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BenchCommandTest {
  @TempDir Path folder;

  private Cli cli() {
    return new Cli(folder).with("sum.hlo", Cli.SUM);
  }

  @Test
  void medianMinimumAndPercentile() {
    Cli.Ran ran = cli().run("bench", "@/sum.hlo", "-r", "1", "--runs", "9", "--warmup", "1");
    assertThat(ran.out())
        .matches(
            """
            median           +[0-9]+\\.[0-9]+ µs
            minimum          +[0-9]+\\.[0-9]+ µs
            90th percentile  +[0-9]+\\.[0-9]+ µs
            allocated        +[0-9,]+ B
            warm-up          +1 runs
            """);
    assertThat(ran.status()).isEqualTo(0);
  }

  @Test
  void oneColumnPerEvaluator() {
    Cli.Ran ran =
        cli()
            .run(
                "bench",
                "@/sum.hlo",
                "-r",
                "1",
                "-n",
                "3",
                "-w",
                "2",
                "--evaluator",
                "reference,compiled");
    assertThat(ran.err()).isEmpty();
    assertThat(ran.out())
        .matches(
            """
             {22}reference +compiled
            median           +[0-9]+\\.[0-9]+ µs +[0-9]+\\.[0-9]+ µs
            minimum          +[0-9]+\\.[0-9]+ µs +[0-9]+\\.[0-9]+ µs
            90th percentile  +[0-9]+\\.[0-9]+ µs +[0-9]+\\.[0-9]+ µs
            allocated        +[0-9,]+ B +[0-9,]+ B
            warm-up          +2 runs +2 runs
            """);
  }

  @Test
  void invalidRunsAndMissingInputs() {
    cli()
        .run("bench", "@/sum.hlo", "--runs", "0")
        .isRefused("got 0 runs after 0, want at least 1 after 0; see hlo4j bench --help");
    cli()
        .run("bench", "@/sum.hlo")
        .fails(
            "@/sum.hlo: got 0 of 2 arguments (x: f32[3], y: f32[]), want --input for each, or"
                + " --random SEED");
  }
}
