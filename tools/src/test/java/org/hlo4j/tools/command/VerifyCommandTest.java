package org.hlo4j.tools.command;

import static com.google.common.truth.Truth.assertThat;
import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.hlo4j.hlo.proto.HloProtos;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.tools.Cli;
import org.hlo4j.tools.program.Finding;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class VerifyCommandTest {
  @TempDir Path folder;

  private static final String BAD =
      """
      HloModule bad
      ENTRY main {
        x = f32[3] parameter(0)
        ROOT %sum = f32[4] add(x, x)
      }
      """;

  private Cli cli() {
    return new Cli(folder).with("good.hlo", Cli.SUM).with("bad.hlo", BAD);
  }

  @Test
  void oneLinePerFile() {
    Cli.Ran ran = cli().run("verify", "@/good.hlo", "@/bad.hlo", "@/none.hlo");
    assertThat(ran)
        .isEqualTo(
            new Cli.Ran(
                1,
                """
                ok @/good.hlo
                error @/bad.hlo:4:8: add: declared shape got f32[4], want f32[3] as inferred; \
                at %sum = f32[4] add(%x, %x)
                error @/none.hlo: no such file or directory
                """,
                ""));
  }

  /** The second x is x.1 in the module. */
  @Test
  void namesAreThoseOfTheText() {
    Cli cli =
        cli()
            .with(
                "twice.hlo",
                """
                HloModule twice
                f {
                  x = f32[3] parameter(0)
                  ROOT y = f32[3] negate(x)
                }
                ENTRY main {
                  x = f32[3] parameter(0)
                  ROOT y = f32[4] call(x), to_apply=f
                }
                """);
    assertThat(cli.run("verify", "@/twice.hlo").out())
        .isEqualTo(
            "error @/twice.hlo:8:8: call: declared shape got f32[4], want f32[3] as inferred; at %y"
                + " = f32[4] call(%x)\n");
    assertThat(cli.run("run", "@/twice.hlo", "--random", "1").err())
        .endsWith("; at %y = f32[4] call(%x)\n");
  }

  @Test
  void severalModulesInFile() {
    Cli cli = cli().with("two.hlo", Cli.TWO + BAD);
    String error =
        """
        error @/two.hlo:9:8: add: declared shape got f32[4], want f32[3] as inferred; \
        at %sum = f32[4] add(%x, %x)
        """;
    assertThat(cli.run("verify", "@/two.hlo"))
        .isEqualTo(new Cli.Ran(1, "ok @/two.hlo: a\nok @/two.hlo: b\n" + error, ""));
    assertThat(cli.run("verify", "@/two.hlo", "--quiet")).isEqualTo(new Cli.Ran(1, error, ""));
    cli.run("verify", "@/two.hlo", "--module", "b").prints("ok @/two.hlo\n");
    assertThat(cli.run("verify", "@/two.hlo", "--module", "c"))
        .isEqualTo(
            new Cli.Ran(
                1,
                "error @/two.hlo: got --module c for 3 modules (0: a, 1: b, 2: bad),"
                    + " want one of them\n",
                ""));
  }

  @Test
  void parseErrorsNamePosition() {
    Cli.Ran ran =
        cli()
            .with("typo.hlo", "HloModule t\n\nENTRY e {\n  ROOT x = f33[] parameter(0)\n}\n")
            .run("verify", "@/typo.hlo");
    assertThat(ran.out()).startsWith("error @/typo.hlo:4:12: ");
    assertThat(ran.out().lines().count()).isEqualTo(1);
    assertThat(ran.status()).isEqualTo(1);
  }

  @Test
  void positionOfDuplicateName() {
    Cli.Ran ran =
        cli()
            .with(
                "renamed.hlo",
                """
                HloModule m

                add {
                 a = f32[] parameter(0)
                 b = f32[] parameter(1)
                 ROOT r = f32[] add(a,b)
                }

                ENTRY e {
                 x = f32[4] parameter(0)
                 ROOT r = f32[5] negate(x)
                }
                """)
            .run("verify", "@/renamed.hlo");
    assertThat(ran.out())
        .isEqualTo(
            "error @/renamed.hlo:11:7: negate: declared shape got f32[5], want f32[4] as inferred;"
                + " at %r = f32[5] negate(%x)\n");
  }

  @Test
  void folderOfPrograms() {
    Cli.Ran ran =
        cli()
            .with("sub/a.hlo.txt", Cli.SUM)
            .with("sub/dump.txt", Cli.SUM)
            .with("sub/notes.txt", "buy milk")
            .with("sub/model.mlir", "func.func @main() { return }")
            .run("verify", "@/");
    assertThat(ran.out())
        .isEqualTo(
            """
            error @/bad.hlo:4:8: add: declared shape got f32[4], want f32[3] as inferred; \
            at %sum = f32[4] add(%x, %x)
            ok @/good.hlo
            ok @/sub/a.hlo.txt
            ok @/sub/dump.txt
            ok @/sub/model.mlir
            skipped @/: other files: 1
            """);
    assertThat(ran.status()).isEqualTo(1);
  }

  @Test
  void quietPrintsNothing() {
    cli().run("verify", "-q", "@/good.hlo").prints("");
  }

  @Test
  void severalFindings() {
    Cli.Ran ran =
        cli()
            .with("two.hlo", BAD.replace("parameter(0)", "parameter(1)"))
            .run("verify", "@/two.hlo");
    assertThat(ran.out())
        .isEqualTo(
            "error @/two.hlo:2:7: computation main: parameter numbers got 1 where 0 should be, want"
                + " each from 0 to 0 once (and 1 more)\n");
    assertThat(cli().run("verify", "--verbose", "@/two.hlo").out())
        .isEqualTo(
            """
            error @/two.hlo:2:7: computation main: parameter numbers got 1 where 0 should be, want \
            each from 0 to 0 once
            error @/two.hlo:4:8: add: declared shape got f32[4], want f32[3] as inferred
              %sum = f32[4] add(%x, %x)
            """);
  }

  @Test
  void strictRejectsUnsortedBroadcast() {
    Cli cli =
        cli()
            .with(
                "b.hlo",
                """
                HloModule b
                ENTRY e {
                  x = f32[2,3] parameter(0)
                  ROOT b = f32[3,2] broadcast(x), dimensions={1,0}
                }
                """);
    cli.run("verify", "@/b.hlo").prints("ok @/b.hlo\n");
    assertThat(cli.run("verify", "--strict", "@/b.hlo").out())
        .isEqualTo(
            "error @/b.hlo:4:8: broadcast: dimensions got (1, 0), want strictly increasing;"
                + " Verifier.lenient() permits others [broadcast B8]; at %b = f32[3,2]"
                + " broadcast(%x)\n");
  }

  @Test
  void invalidFiles() throws IOException {
    Files.write(folder.resolve("garbage.hlo"), new byte[] {0, 1, 2, (byte) 0xff, (byte) 0xfe, 9});
    Files.write(folder.resolve("m.mlirbc"), "ML\u00efR\0\0".getBytes(ISO_8859_1));
    Cli cli = cli().with("m.mlir", "module @m {\n  func.func public @main() {}\n}\n");
    assertThat(cli.run("verify", "@/garbage.hlo").out())
        .isEqualTo(
            "error @/garbage.hlo: file: got bytes of no known form, want HLO, StableHLO or a"
                + " jax.export file\n");
    assertThat(cli.run("verify", "@/m.mlirbc").out()).startsWith("error @/m.mlirbc: ");
    assertThat(cli.run("verify", "@/m.mlir").out())
        .isEqualTo("error @/m.mlir:2:3: func.func: block ends without a return\n");
  }

  @Test
  void emptyFolders() throws IOException {
    Files.createDirectory(folder.resolve("nothing"));
    assertThat(cli().run("verify", "@/nothing", "@/good.hlo"))
        .isEqualTo(
            new Cli.Ran(1, "error @/nothing: no programs in this folder\nok @/good.hlo\n", ""));
    cli().run("verify").isRefused("Missing required parameter: 'FILE'; see hlo4j verify --help");
  }

  /** A dump folder of XLA: modules, other protocol buffers and files of other kinds. */
  @Test
  void dumpFolder() throws IOException {
    Cli cli = new Cli(folder).with("jit_f.kernel_module.ir-no-opt.ll", "; ModuleID = 'f'");
    byte[] module = HloProtos.writeModule(Parser.parse(Cli.SUM));
    Path dump = Files.createDirectories(folder.resolve("jit_f"));
    Files.write(folder.resolve("jit_f.before_optimizations.hlo.pb"), module);
    Files.write(folder.resolve("jit_f.memory-usage-report.pb"), new byte[] {10, 2, 'o', 'k'});
    Files.write(dump.resolve("compile_options.pb"), new byte[] {26, 4, 8, 1, 32, 1});
    Files.write(dump.resolve("cut.hlo.pb"), new byte[] {26, 4, 8, 1, 32, 1});
    Files.write(dump.resolve("cut.pb"), Arrays.copyOf(module, module.length - 1));
    Cli.Ran ran = cli.run("verify", "@/");
    assertThat(ran.out().replaceAll("(cut.pb: proto: at byte ).*", "$1…"))
        .isEqualTo(
            """
            ok @/jit_f.before_optimizations.hlo.pb
            skipped @/jit_f.memory-usage-report.pb: another protocol buffer
            skipped @/jit_f/compile_options.pb: another protocol buffer
            error @/jit_f/cut.hlo.pb: file: got bytes of no known form, want HLO, StableHLO or a jax.export file
            error @/jit_f/cut.pb: proto: at byte …
            skipped @/: other files: 1
            """);
    assertThat(ran.status()).isEqualTo(1);
    assertThat(cli.run("verify", "@/jit_f/compile_options.pb").status()).isEqualTo(1);
  }

  /** An error in one file does not prevent the reports of the others. */
  @Test
  void everyFileIsReported() throws IOException {
    Files.createSymbolicLink(folder.resolve("gone.hlo"), folder.resolve("nowhere"));
    Files.createDirectory(folder.resolve("folder.hlo"));
    assertThat(cli().run("verify", "a\0b.hlo", folder.toString(), "@/good.hlo/x.hlo", "@/good.hlo"))
        .isEqualTo(
            new Cli.Ran(
                1,
                """
                error a\\x00b.hlo: no name of a file (Nul character not allowed)
                error @/bad.hlo:4:8: add: declared shape got f32[4], want f32[3] as inferred; \
                at %sum = f32[4] add(%x, %x)
                error @/gone.hlo: no such file or directory
                ok @/good.hlo
                error @/good.hlo/x.hlo: Not a directory
                ok @/good.hlo
                """,
                ""));
  }

  @Test
  void internalErrorsNameTheFile() {
    IllegalStateException bug = new IllegalStateException("a bug");
    assertThat(told(bug).line(false))
        .isEqualTo(
            "error f.hlo: internal error, please report it:"
                + " java.lang.IllegalStateException: a bug");
    assertThat(told(new OutOfMemoryError()).line(false))
        .isEqualTo("error f.hlo: the heap is full; HLO4J_OPTS=-Xmx8g gives it 8 GB");
    assertThat(told(bug).line(true)).contains("\n\tat org.hlo4j.tools.");
  }

  private static Finding told(Throwable problem) {
    return new Finding(Finding.Severity.ERROR, "f.hlo", problem);
  }

  @Test
  void warnsOfElidedConstants() {
    Cli cli =
        cli()
            .with(
                "cut.hlo",
                """
                HloModule cut
                ENTRY main {
                  a = f32[8,9] constant({...})
                  b = f32[8,9] constant({...})
                  ROOT %sum = f32[8,9] add(a, b)
                }
                """);
    cli.run("verify", "@/cut.hlo")
        .prints(
            """
            warning @/cut.hlo:3:3: constant: the elements of f32[8,9] were left out, written {...}; \
            at %a = f32[8,9] constant({...}) (and 1 more)
            ok @/cut.hlo
            """);
    cli.run("verify", "--quiet", "@/cut.hlo").prints("");
    assertThat(cli.run("verify", "--verbose", "@/cut.hlo").out())
        .isEqualTo(
            """
            warning @/cut.hlo:3:3: constant: the elements of f32[8,9] were left out, written {...}
              %a = f32[8,9] constant({...})
            warning @/cut.hlo:4:3: constant: the elements of f32[8,9] were left out, written {...}
              %b = f32[8,9] constant({...})
            ok @/cut.hlo
            """);
  }

  @Test
  void warnsOfUnknownAttributes() {
    Cli cli =
        cli()
            .with(
                "odd.hlo",
                """
                HloModule odd, zzzbar=1
                ENTRY main {
                  a = f32[2] parameter(0)
                  ROOT n = f32[2] negate(a), zzzfoo=3, sharding={replicated}
                }
                """);
    cli.run("verify", "@/odd.hlo", "--verbose")
        .prints(
            """
            warning @/odd.hlo:1:1: HloModule: got the attribute zzzbar, which XLA does not know
            warning @/odd.hlo:4:8: negate: got the attribute zzzfoo, which XLA does not know
              %n = f32[2] negate(%a)
            ok @/odd.hlo
            """);
  }

  @Test
  void moreFilesThanMayBeOpen() {
    Cli cli = new Cli(folder);
    int count = 1100;
    for (int i = 0; i < count; i++) {
      cli.with("many/" + i + ".hlo", Cli.SUM);
    }
    Cli.Ran ran = cli.run("verify", "@/many");
    assertThat(ran.status()).isEqualTo(0);
    assertThat(ran.out().lines().filter(line -> line.startsWith("ok ")).count()).isEqualTo(count);
  }
}
