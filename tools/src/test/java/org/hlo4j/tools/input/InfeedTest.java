package org.hlo4j.tools.input;

import static com.google.common.truth.Truth.assertThat;

import com.google.common.collect.ImmutableList;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.hlo4j.check.Program;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.npy.Npy;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.tools.Cli;
import org.hlo4j.tools.program.ProgramOutput;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The option {@code --infeed}, and what outfeed gets. */
final class InfeedTest {
  private static final String TEXT =
      """
      HloModule feeds

      ENTRY main {
        t = token[] after-all()
        i = ((f32[2], bf16[]), token[]) infeed(t)
        both = (f32[2], bf16[]) get-tuple-element(i), index=0
        x = f32[2] get-tuple-element(both), index=0
        o = token[] outfeed(both, t), outfeed_shape=(f32[2], bf16[])
        ROOT r = f32[2] negate(x)
      }
      """;

  @TempDir Path folder;
  private Cli cli;

  @BeforeEach
  void files() {
    cli =
        new Cli(folder)
            .with("feeds.hlo", TEXT)
            .with("none.hlo", "HloModule m ENTRY e { ROOT r = s8[] constant(1) }");
  }

  @Test
  void run() throws IOException {
    cli.run("run", "@/feeds.hlo", "--infeed", "{1, 2}", "3", "-o", "@/out")
        .prints("f32[2] {-1, -2}\noutfeed 0.0: f32[2] {1, 2}\noutfeed 0.1: bf16[] 3\n");
    assertThat(Npy.read(folder.resolve("out/outfeed/0.npy")))
        .isEqualTo(Literal.of(new float[] {1, 2}));
    assertThat(cli.run("run", "@/feeds.hlo", "--infeed", "{1, 2}", "3", "--format", "json").out())
        .contains("\"outfeed\"");
  }

  @Test
  void compare() {
    assertThat(cli.run("compare", "@/feeds.hlo", "--infeed", "{1, 2}", "3").out())
        .endsWith(
            "result 0, f32[2]: same\nresult 1.0.0, f32[2]: same\nresult 1.0.1, bf16[]: same\n");
  }

  /** What run writes can be compared with: the results, and what outfeed got. */
  @Test
  void expected() {
    cli.run("run", "@/feeds.hlo", "--infeed", "{1, 2}", "3", "-o", "@/out");
    assertThat(
            cli.run("compare", "@/feeds.hlo", "--infeed", "{1, 2}", "3", "--expected", "@/out")
                .out())
        .contains("result 1.0.1, bf16[]: same\n");
  }

  /** Values have the shapes in which the program takes them, also in loops. */
  @Test
  void loops() {
    cli.with(
            "loop.hlo",
            """
            HloModule loop

            body {
              s = s32[] parameter(0)
              t = token[] after-all()
              i = (f32[2], token[]) infeed(t)
              x = f32[2] get-tuple-element(i), index=0
              o = token[] outfeed(x, t), outfeed_shape=f32[2]
              one = s32[] constant(1)
              ROOT n = s32[] subtract(s, one)
            }

            condition {
              s = s32[] parameter(0)
              zero = s32[] constant(0)
              ROOT c = pred[] compare(s, zero), direction=GT
            }

            ENTRY main {
              t = token[] after-all()
              i = (s32[], token[]) infeed(t)
              x = s32[] get-tuple-element(i), index=0
              ROOT w = s32[] while(x), condition=condition, body=body
            }
            """)
        .run("run", "@/loop.hlo", "--infeed", "2", "{1, 2}", "{3, 4}")
        .prints("s32[] 0\noutfeed 0: f32[2] {1, 2}\noutfeed 1: f32[2] {3, 4}\n");
  }

  /** Each device has an outfeed of its own; a folder holds what the last run wrote. */
  @Test
  void outfeedOfDevices() {
    cli.with(
            "told.hlo",
            """
            HloModule told

            ENTRY main {
              x = s8[] parameter(0)
              t = token[] after-all()
              o = token[] outfeed(x, t), outfeed_shape=s8[]
              ROOT r = s8[] negate(x)
            }
            """)
        .run("run", "@/told.hlo", "--replicas", "2", "-i", "1", "2", "-o", "@/out")
        .prints(
            """
            device 0:
            s8[] -1
            device 1:
            s8[] -2
            device 0 outfeed 0: s8[] 1
            device 1 outfeed 0: s8[] 2
            """);
    assertThat(Files.exists(folder.resolve("out/device1/outfeed/0.npy"))).isTrue();
    cli.run("run", "@/none.hlo", "--replicas", "2", "-o", "@/out");
    assertThat(Files.exists(folder.resolve("out/device1/outfeed/0.npy"))).isFalse();
  }

  @Test
  void wrongUses() {
    cli.run("run", "@/none.hlo", "--infeed", "1")
        .fails("--infeed got 1 arrays, want 0: the program takes no more from infeed");
    cli.run("run", "@/feeds.hlo", "--infeed", "{1, 2}", "3", "4")
        .fails("--infeed got 3 arrays, want 2: the program takes no more from infeed");
    cli.run("run", "@/feeds.hlo", "--infeed", "")
        .fails("--infeed got an empty text, want an array");
    cli.run("run", "@/feeds.hlo", "--infeed", "x={1, 2}", "3")
        .fails("--infeed got x={1, 2}, want it without a name");
    assertThat(cli.run("run", "@/feeds.hlo", "--infeed", "{1, 2, 3}", "1").err())
        .contains("got 3, want } behind 2 elements of f32[2]");
    assertThat(cli.run("run", "@/feeds.hlo", "--infeed", "{1, 2}").err())
        .contains("infeed got nothing, want (f32[2], bf16[]) by Transfers.feedIn");
    cli.run("compare", "@/feeds.hlo", "--infeed", "{1, 2}", "3", "--with", "x {hlo} {results}")
        .fails(
            "command got a program with infeed or outfeed, want one without: it gets arguments"
                + " only");
  }

  /** What fuzz and shrink write can be run again. */
  @Test
  void writtenPrograms() throws IOException {
    Literal value = Parser.parseLiteral("(f32[2], bf16[]) ({1, 2}, 3)");
    Program program = new Program(Parser.parse(TEXT), ImmutableList.of(), ImmutableList.of(value));
    ProgramOutput.write(program, folder.resolve("seed-1.hlo"));
    assertThat(Files.readString(folder.resolve("seed-1.hlo")))
        .endsWith("// infeed 0: (f32[2], bf16[]) ( {1, 2}, 3 )\n");
    cli.run("run", "@/seed-1.hlo", "--infeed", "@/seed-1.infeed")
        .prints("f32[2] {-1, -2}\noutfeed 0.0: f32[2] {1, 2}\noutfeed 0.1: bf16[] 3\n");
  }
}
