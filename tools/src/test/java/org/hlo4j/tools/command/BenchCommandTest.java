package org.hlo4j.tools.command;

import static com.google.common.truth.Truth.assertThat;

import com.google.common.base.Splitter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.npy.Npy;
import org.hlo4j.hlo.npy.Npz;
import org.hlo4j.tools.Cli;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BenchCommandTest {
  private static final Literal X = Literal.of(new float[] {1, 2, 3});

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

  /** What files of weights give is bound, unless that is all or something else is asked for. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      value = {
        "--input @/y.npz x=@/x.npy           | 1 of 2 arguments",
        "--input @/y.npz x=@/x.npy --no-bind | -",
        "--input @/both.npz                  | -",
        "--input @/x.npy 7                   | -",
        "--input @/x.npy 7 --bind x          | 1 of 2 arguments",
        "--random 1 --bind ?                 | ?, which is all of x, y, want one to be left for"
            + " each run",
      })
  void whatIsBound(String options, @Nullable String bound) throws IOException {
    Npz.write(folder.resolve("y.npz"), Map.of("y", Literal.of(1f)));
    Npz.write(folder.resolve("both.npz"), Map.of("y", Literal.of(1f), "x", X));
    Npy.write(folder.resolve("x.npy"), X);
    List<String> words = new ArrayList<>(List.of("bench", "@/sum.hlo", "-n", "1", "-w", "1"));
    words.addAll(Splitter.on(' ').splitToList(options));
    Cli.Ran ran = cli().run(words.toArray(new String[0]));
    if (bound != null && bound.startsWith("?")) {
      ran.isRefused("--bind got " + bound + "; see hlo4j bench --help");
    } else {
      assertThat(ran.err()).isEmpty();
      assertThat(ran.out().lines().skip(5).toList())
          .isEqualTo(bound == null ? List.of() : List.of("bound            " + bound));
    }
  }

  @Test
  void boundNamesInJson() {
    Cli.Ran ran =
        cli()
            .run(
                "bench",
                "@/sum.hlo",
                "-r",
                "1",
                "-n",
                "1",
                "-w",
                "1",
                "--bind",
                "y",
                "--format",
                "json");
    assertThat(ran.out().replaceAll("\\s", "")).endsWith("}],\"bound\":[\"y\"]}");
  }

  @Test
  void wrongNamesToBind() {
    cli()
        .run("bench", "@/sum.hlo", "-r", "1", "--bind", "w*", "x")
        .isRefused(
            "--bind got w*, want names or a pattern of names of x, y; see hlo4j bench --help");
    cli()
        .run("bench", "@/sum.hlo", "-r", "1", "--bind", "x", "--no-bind")
        .isRefused("--bind got x beside --no-bind, want one of them; see hlo4j bench --help");
    cli()
        .run("bench", "@/sum.hlo", "-r", "1", "--bind", "x", "--devices", "2")
        .isRefused("--bind got x for 2 devices, want 1; see hlo4j bench --help");
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
