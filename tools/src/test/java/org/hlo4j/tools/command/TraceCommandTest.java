package org.hlo4j.tools.command;

import static com.google.common.truth.Truth.assertThat;

import java.nio.file.Path;
import org.hlo4j.tools.Cli;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TraceCommandTest {
  @TempDir Path folder;

  @Test
  void everyValueIsTraced() {
    new Cli(folder)
        .with("sum.hlo", Cli.SUM)
        .run("trace", "@/sum.hlo", "-i", "f32[3] {1, 2, 3}", "-i", "f32[] 10")
        .prints(
            """
            x                    f32[3] {1, 2, 3}
            y                    f32[] 10
            two                  f32[] 2
            twice                f32[] 20
            all                  f32[3] {20, 20, 20}
            sum                  f32[3] {21, 22, 23}   model.py:7
            6 values, all finite
            """);
  }

  /** The -inf that initializes the maximum is no error; the logarithm of 0 is one. */
  private static final String LOG =
      """
      HloModule log

      FileNames
      1 "train.py"

      FunctionNames
      1 "loss"

      FileLocations
      1 {file_name_id=1 function_name_id=1 line=42 end_line=42 column=3 end_column=9}

      StackFrames
      1 {file_location_id=1 parent_frame_id=1}

      max { a = f32[] parameter(0) b = f32[] parameter(1) ROOT m = f32[] maximum(a, b) }

      inner {
        least = f32[2] parameter(0)
        p = f32[2] parameter(1)
        safe = f32[2] maximum(least, p)
        ROOT log = f32[2] log(safe), metadata={op_name="log" stack_frame_id=1}
      }

      ENTRY e {
        x = f32[2] parameter(0)
        low = f32[] constant(-inf)
        lows = f32[2] broadcast(low), dimensions={}
        most = f32[] reduce(x, low), dimensions={0}, to_apply=max
        f = f32[2] fusion(lows, x), kind=kLoop, calls=inner
        ROOT g = f32[2] negate(f)
      }
      """;

  @Test
  void firstNonFiniteValueIsMarked() {
    new Cli(folder)
        .with("log.hlo", LOG)
        .run("trace", "@/log.hlo", "--input", "f32[2] {1, 0}")
        .prints(
            """
            x                    f32[2] {1, 0}
            low                  f32[] -inf
            lows                 f32[2] {-inf, -inf}
            most                 f32[] 1
            least                f32[2] {-inf, -inf}
            p                    f32[2] {1, 0}
            safe                 f32[2] {1, 0}
            log                  f32[2] {0, -inf}   train.py:42   <-- the first that is not finite
            f                    f32[2] {0, -inf}
            g                    f32[2] {-0.0, inf}
            10 values, the first not finite: log                  f32[2] {0, -inf}   train.py:42
            """);
  }

  @Test
  void stopsAtFirstNonFiniteValue() {
    Cli.Ran ran =
        new Cli(folder)
            .with("log.hlo", LOG)
            .run("trace", "@/log.hlo", "-i", "f32[2] {1, 0}", "--until-not-finite");
    assertThat(ran.out())
        .endsWith(
            "8 values, the first not finite: log                  f32[2] {0, -inf}"
                + "   train.py:42\n");
    assertThat(ran.status()).isEqualTo(0);
  }

  @Test
  void everyDeviceIsTraced() {
    Cli.Ran ran =
        new Cli(folder)
            .with("id.hlo", "HloModule id ENTRY e { ROOT p = u32[] partition-id() }")
            .run("trace", "@/id.hlo", "--devices", "2");
    assertThat(ran.out().lines())
        .containsExactly(
            "[0] p                    u32[] 0",
            "[1] p                    u32[] 1",
            "2 values, all finite");
  }

  @Test
  void traceEndsWhereRunFails() {
    Cli.Ran ran =
        new Cli(folder)
            .with("sum.hlo", Cli.SUM)
            .run("trace", "@/sum.hlo", "-r", "1", "--max-steps", "3");
    assertThat(ran.out().lines().count()).isEqualTo(3);
    ran.fails("@/sum.hlo:7:3: run: got beyond 3 steps; at %twice = f32[] multiply(%y, %two)");
  }
}
