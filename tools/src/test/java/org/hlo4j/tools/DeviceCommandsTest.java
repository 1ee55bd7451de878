package org.hlo4j.tools;

import static com.google.common.truth.Truth.assertThat;

import com.google.common.io.Resources;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.npy.Npy;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands on programs for several devices. */
final class DeviceCommandsTest {
  /** Each device has arguments of its own. */
  private static final String SUM =
      """
      HloModule sum, replica_count=2

      add {
        a = s32[] parameter(0)
        b = s32[] parameter(1)
        ROOT s = s32[] add(a, b)
      }

      ENTRY main {
        x = s32[2] parameter(0)
        minus = s32[2] negate(x)
        all = s32[2] all-reduce(minus), replica_groups={{0,1}}, to_apply=add
        ROOT y = s32[2] multiply(all, x)
      }
      """;

  private static final String FEEDS =
      """
      HloModule feeds, replica_count=2

      ENTRY main {
        t = token[] after-all()
        i = (s8[2], token[]) infeed(t)
        x = s8[2] get-tuple-element(i), index=0
        o = token[] outfeed(x, t), outfeed_shape=s8[2]
        ROOT r = s8[2] negate(x)
      }
      """;

  private static final String[] INPUTS = {"--input", "{1, 2}", "{3, 4}"};

  @TempDir Path folder;
  private Cli cli;

  @BeforeEach
  void files() {
    cli =
        new Cli(folder)
            .with("sum.hlo", SUM)
            .with("other.hlo", SUM.replace("negate(x)", "abs(x)"))
            .with("feeds.hlo", FEEDS);
  }

  private Cli.Ran run(String command, String... more) {
    String[] all = new String[1 + more.length + INPUTS.length];
    all[0] = command;
    System.arraycopy(more, 0, all, 1, more.length);
    System.arraycopy(INPUTS, 0, all, 1 + more.length, INPUTS.length);
    return cli.run(all);
  }

  @Test
  void compareAndLocate() {
    String same =
        """
        the compiled evaluator beside the reference: same
        device 0:
        result, s32[2]: same
        device 1:
        result, s32[2]: same
        """;
    run("compare", "@/sum.hlo").prints(same);
    run("compare", "@/sum.hlo", "--locate").prints(same);
  }

  @Test
  void compareWithAnotherProgram() {
    Cli.Ran ran = run("compare", "@/sum.hlo", "@/other.hlo", "--locate", "-o", "@/found.hlo");
    assertThat(ran.out())
        .isEqualTo(
            """
            @/sum.hlo beside @/other.hlo: wrong
            device 0:
            result, s32[2]: wrong, 2 of 2 differ
              at [0] got -4, want 4; roundings justify no other value
            device 1:
            result, s32[2]: wrong, 2 of 2 differ
              at [0] got -12, want 12; roundings justify no other value
            first pair that differs although the operands agree:
              %minus = s32[2] negate(%x)
              %minus = s32[2] abs(%x)
              in device 0
              operands: x: s32[2]
              result, s32[2]: wrong, 2 of 2 differ
                at [0] got 1, want -1; roundings justify no other value
              as a program, with its inputs: @/found.hlo
              as a program, with its inputs: @/found.before.hlo
            """);
    assertThat(ran.status()).isEqualTo(1);
  }

  /** What {@code run} and {@code record} write is what {@code --expected} and {@code test} read. */
  @Test
  void recordedResults() throws IOException {
    run("run", "@/sum.hlo", "-o", "@/out");
    run("record", "@/sum.hlo", "-o", "@/case")
        .prints("@/case: 1 input and 1 result on each of 2 devices\n");
    cli.run("test", "@/case").prints("ok case\n1 passed, 0 failed, 0 unsupported\n");
    for (String expected : new String[] {"@/out", "@/case"}) {
      assertThat(run("compare", "@/sum.hlo", "--expected", expected).out())
          .startsWith(expected + " beside the reference: same\ndevice 0:\n");
    }
    Npy.write(folder.resolve("out/device1/0.npy"), Literal.of(new int[] {-12, 0}));
    assertThat(run("compare", "@/sum.hlo", "--expected", "@/out").out())
        .endsWith(
            """
            device 1:
            result, s32[2]: wrong, 1 of 2 differs
              at [1] got 0, want -24; roundings justify no other value
            """);
  }

  @Test
  void otherSystems() {
    run("compare", "@/sum.hlo", "--with", "cat {hlo} {results}")
        .fails(
            "@/sum.hlo: command got a program of which each of 2 devices has arguments of its own,"
                + " want one with whole arrays: it gets one list");
  }

  /** The inputs are written device by device, as {@code --input} reads them. */
  @Test
  void shrink() {
    run("shrink", "@/sum.hlo", "--check", "grep -q replica_count=2 {}", "-o", "@/small.hlo");
    assertThat(cli.run("run", "@/small.hlo", "--input", "@/small.inputs").out())
        .isEqualTo("all 2 devices:\ns32[1] {0}\n");
    assertThat(run("shrink", "@/sum.hlo", "--fails", "").err())
        .isEqualTo("hlo4j: shrink: the check does not hold for the program itself\n");
    assertThat(run("shrink", "@/sum.hlo", "--differs").err())
        .isEqualTo("hlo4j: @/sum.hlo: the results agree, want a program that differs\n");
  }

  @Test
  void profileAndExplain() {
    Cli.Ran ran = run("profile", "@/sum.hlo", "--runs", "2", "--warmup", "1");
    assertThat(ran.err()).isEmpty();
    assertThat(ran.out())
        .contains("all s32[2]  all-reduce, reduced by loops over the arrays of all devices\n");
    assertThat(cli.run("explain", "@/sum.hlo").out())
        .containsMatch(
            "\n  all +s32\\[2] +all-reduce, reduced by loops over the arrays of all devices\n");
    assertThat(cli.run("explain", "@/sum.hlo").out()).doesNotContain("reference:");
  }

  /** Each device takes all arrays, or the first ones are those of device 0. */
  @Test
  void infeed() {
    cli.run("run", "@/feeds.hlo", "--infeed", "{1, 2}")
        .prints(
            """
            all 2 devices:
            s8[2] {-1, -2}
            device 0 outfeed 0: s8[2] {1, 2}
            device 1 outfeed 0: s8[2] {1, 2}
            """);
    cli.run("run", "@/feeds.hlo", "--infeed", "{1, 2}", "{3, 4}", "-o", "@/out")
        .prints(
            """
            device 0:
            s8[2] {-1, -2}
            device 1:
            s8[2] {-3, -4}
            device 0 outfeed 0: s8[2] {1, 2}
            device 1 outfeed 0: s8[2] {3, 4}
            """);
    String compared =
        """
        device 0:
        result 0, s8[2]: same
        result 1.0, s8[2]: same
        device 1:
        result 0, s8[2]: same
        result 1.0, s8[2]: same
        """;
    cli.run("compare", "@/feeds.hlo", "--infeed", "{1, 2}", "{3, 4}")
        .prints("the compiled evaluator beside the reference: same\n" + compared);
    cli.run("compare", "@/feeds.hlo", "--infeed", "{1, 2}", "{3, 4}", "--expected", "@/out")
        .prints("@/out beside the reference: same\n" + compared);
    cli.run("run", "@/feeds.hlo", "--infeed", "{1, 2}", "{3, 4}", "{5, 6}")
        .fails("--infeed got 3 arrays, want 1 for each of 2 devices, or 2 for all");
    cli.run(
        "shrink",
        "@/feeds.hlo",
        "--infeed",
        "{1, 2}",
        "{3, 4}",
        "--check",
        "grep -q infeed {}",
        "-o",
        "@/small.hlo");
    assertThat(Files.exists(folder.resolve("small.infeed/0.npy"))).isTrue();
  }

  @Test
  void blame() {
    for (int i = 0; i < 3; i++) {
      String pass = i == 0 ? "pipeline-start" : "pass" + i;
      cli.with(
          "dump/module_0001.f.000" + i + ".all.after_" + pass + ".before_next.txt",
          i == 2 ? SUM.replace("negate(x)", "abs(x)") : SUM);
    }
    Cli.Ran ran = run("blame", "@/dump");
    assertThat(ran.out())
        .startsWith(
            """
            @/dump: 3 of 3 modules run
            wrong after pass2 of all
              @/dump/module_0001.f.0002.all.after_pass2.before_next.txt
              result 0, s32[2]: wrong, 2 of 2 differ
                at [0] got 4, want -4; roundings justify no other value
              result 1, s32[2]: wrong, 2 of 2 differ
                at [0] got 12, want -12; roundings justify no other value
              first pair that differs although the operands agree:
                %minus = s32[2] negate(%x)
                %minus = s32[2] abs(%x)
                in device 0
            """);
    assertThat(ran.status()).isEqualTo(1);
  }

  /** Exports of JAX with manual computations take and give whole arrays. */
  @ParameterizedTest
  @ValueSource(strings = {"ring", "nested_gspmd", "pipeline", "disagreeing"})
  void recordedManualComputation(String name) throws IOException {
    byte[] export =
        Resources.toByteArray(
            Resources.getResource(DeviceCommandsTest.class, "devices/" + name + ".bin"));
    Files.write(folder.resolve("f.bin"), export);
    assertThat(
            cli.run("record", "@/f.bin", "--random", "1", "--evaluator", "reference", "-o", "@/f")
                .err())
        .isEmpty();
    cli.run("test", "@/f").prints("ok f\n1 passed, 0 failed, 0 unsupported\n");
    assertThat(cli.run("compare", "@/f.bin", "--random", "1", "--expected", "@/f").out())
        .startsWith("@/f beside the reference: same\n");
  }
}
