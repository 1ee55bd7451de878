package org.hlo4j.tools;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Errors of writing output. */
class OutputTest {
  private static final String FULL = "No space left on device";
  private static final Path FULL_DEVICE = Path.of("/dev/full");

  @TempDir Path folder;

  private Cli cli() {
    return new Cli(folder).with("sum.hlo", Cli.SUM);
  }

  /** A stream that rejects all writes and counts them. */
  private static final class Refusing extends OutputStream {
    private final String reason;
    private int tried;

    Refusing(String reason) {
      this.reason = reason;
    }

    @Override
    public void write(int b) throws IOException {
      tried++;
      throw new IOException(reason);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--version",
        "--help",
        "run --help",
        "generate-completion",
        "verify @/sum.hlo",
        "run @/sum.hlo -r 1",
        "run @/sum.hlo -i f32[3]{1,2,3}",
        "trace @/sum.hlo -r 1",
        "print @/sum.hlo",
        "print @/sum.hlo -f proto",
        "print @/sum.hlo -f html -o -",
        "explain @/sum.hlo",
        "bench @/sum.hlo -r 1 -n 1 -w 0",
        "profile @/sum.hlo -r 1 -n 1 -w 0",
        "test @/case"
      })
  void everyCommandReportsWriteErrors(String command) {
    Cli cli = cli().with("case/meta.json", "{\"inputs\": [], \"outputs\": []}");
    boolean printsNothing = command.contains("-i ");
    assertThat(cli.run(new Refusing(FULL), command.split(" ")).err())
        .startsWith(
            "hlo4j: " + (printsNothing ? "@/sum.hlo: got 1 of 2" : "the standard output: " + FULL));
    assertThat(cli.run(new Refusing(FULL), command.split(" ")).status()).isEqualTo(1);
    if (!printsNothing) {
      assertThat(cli.run(new Refusing("Broken pipe"), command.split(" ")))
          .isEqualTo(new Cli.Ran(141, "", ""));
    }
  }

  @Test
  void brokenPipeStopsLongRuns() {
    String loop =
        """
        HloModule loop
        body { i = s32[] parameter(0)  one = s32[] constant(1)  ROOT n = s32[] add(i, one) }
        forever { j = s32[] parameter(0)  ROOT yes = pred[] constant(true) }
        ENTRY e {
          z = s32[] constant(0)
          ROOT w = s32[] while(z), condition=forever, body=body
        }
        """;
    Cli cli = cli().with("loop.hlo", loop);
    Refusing trace = new Refusing("Broken pipe");
    assertThat(cli.run(trace, "trace", "@/loop.hlo")).isEqualTo(new Cli.Ran(141, "", ""));
    Refusing verify = new Refusing("Broken pipe");
    String[] files = "verify @/sum.hlo @/none.hlo @/sum.hlo".split(" ");
    assertThat(cli.run(verify, files)).isEqualTo(new Cli.Ran(141, "", ""));
    assertThat(verify.tried).isAtMost(2);
  }

  @Test
  void commandErrorsPrecedeWriteErrors() {
    Cli cli = cli();
    assertThat(cli.run(new Refusing(FULL), "verify", "@/none.hlo").err())
        .isEqualTo("hlo4j: the standard output: " + FULL + "\n");
    assertThat(cli.run(new Refusing(FULL), "run", "@/none.hlo"))
        .isEqualTo(new Cli.Ran(1, "", "hlo4j: @/none.hlo: no such file or directory\n"));
  }

  @Test
  void unwritableFiles() throws IOException {
    Cli cli = cli().with("file", "");
    Files.createDirectory(folder.resolve("folder"));
    cli.run("print", "@/sum.hlo", "-o", "@/folder").fails("@/folder: Is a directory");
    cli.run("print", "@/sum.hlo", "-o", "@/none/f").fails("@/none/f: no such file or directory");
    cli.run("print", "@/sum.hlo", "-o", "@/file/f").fails("@/file/f: Not a directory");
    cli.run("run", "@/sum.hlo", "-r", "1", "-o", "@/file").fails("@/file: not a folder");
    cli.run("run", "@/sum.hlo", "-r", "1", "-o", "@/file/d").fails("@/file/d: Not a directory");
  }

  @Test
  void fullDevice() throws IOException {
    assumeTrue(Files.exists(FULL_DEVICE), "no " + FULL_DEVICE);
    Cli cli = cli();
    for (String form : new String[] {"hlo", "proto", "html"}) {
      cli.run("print", "@/sum.hlo", "-f", form, "-o", "/dev/full").fails("/dev/full: " + FULL);
    }
    Files.createDirectory(folder.resolve("results"));
    Files.createSymbolicLink(folder.resolve("results/0.npy"), FULL_DEVICE);
    cli.run("run", "@/sum.hlo", "-r", "1", "-o", "@/results").fails("@/results/0.npy: " + FULL);
  }
}
