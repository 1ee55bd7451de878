package org.hlo4j.tools.command;

import static com.google.common.truth.Truth.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.hlo4j.testing.FakeCommand;
import org.hlo4j.tools.Cli;
import org.hlo4j.tools.UpgradedSystem;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class CompareCommandTest {
  private static final String PROGRAM =
      """
      HloModule m

      ENTRY main {
        x = f32[2] parameter(0)
        e = f32[2] exponential(x)
        r = f32[2] floor(x), metadata={op_name="jit(f)/floor" source_file="model.py" source_line=7}
        n = f32[2] negate(r)
        ROOT t = (f32[2], f32[2]) tuple(e, n)
      }
      """;

  @TempDir Path folder;
  private Cli cli;

  @BeforeEach
  void write() {
    cli = new Cli(folder);
    cli.with("m.hlo", PROGRAM);
    cli.with("other.hlo", PROGRAM.replace("negate(r)", "abs(r)"));
    cli.with(
        "wrong.hlo", PROGRAM.replace("ROOT t", "t").replace("r = f32[2] f", "ROOT r = f32[2] f"));
  }

  private Cli.Ran compare(String... more) {
    String[] arguments = new String[4 + more.length];
    System.arraycopy(
        new String[] {"compare", "@/m.hlo", "--input", "{0.5, 1.5}"}, 0, arguments, 0, 4);
    System.arraycopy(more, 0, arguments, 4, more.length);
    return cli.run(arguments);
  }

  @Test
  void evaluators() {
    Cli.Ran ran = compare("--locate");
    assertThat(ran.out()).contains("result 1, f32[2]: same\n");
    assertThat(ran.status()).isEqualTo(0);
  }

  /** The sum hides what tanh does: the result is as good as rounded, the instruction is not. */
  @Test
  void theGuiltyInstructionDecides() {
    cli.with(
        "hidden.hlo",
        """
        HloModule m

        ENTRY main {
          x = f32[2] parameter(0)
          y = f32[2] tanh(x)
          large = f32[2] constant({1e6, -1e6})
          all = f32[4] concatenate(y, large), dimensions={0}
          ones = f32[4] constant({1, 1, 1, 1})
          ROOT d = f32[] dot(all, ones), lhs_contracting_dims={0}, rhs_contracting_dims={0}
        }
        """);
    String[] arguments = {
      "compare",
      "@/hidden.hlo",
      "--input",
      "{0.5, 0.75}",
      "--with",
      UpgradedSystem.command(),
      "--locate",
      "-o",
      "@/"
    };
    Cli.Ran ran = cli.run(arguments);
    assertThat(ran.out()).contains("the other system beside the reference: rounded\n");
    assertThat(ran.out())
        .containsMatch("\nthe result may be off by 0\\.\\d+ .*which hides a wrong");
    assertThat(ran.out()).contains("first wrong instruction: %y = f32[2] tanh(%x)\n");
    assertThat(ran.out()).contains("as a program, with its inputs: @/y.hlo\n");
    assertThat(ran.status()).isEqualTo(1);
    Cli.Ran again =
        cli.run("compare", "@/y.hlo", "--input", "@/y.inputs", "--with", UpgradedSystem.command());
    assertThat(again.out()).startsWith("the other system beside the reference: wrong\n");
    compare("-o", "@/").fails("-o got no --locate, want it: it writes what is found");
  }

  @Test
  void twoPrograms() {
    Cli.Ran ran = cli.run("compare", "@/m.hlo", "@/other.hlo", "--input", "{0.5, 1.5}");
    assertThat(ran.out())
        .isEqualTo(
            """
            @/m.hlo beside @/other.hlo: wrong
            result 0, f32[2]: same
            result 1, f32[2]: wrong, 2 of 2 differ, by up to 2130706432 ulps
              ulps: 0: 1, more: 1
              at [0] got -0.0, want 0, 0 ulps apart; roundings justify no other value
            """);
    assertThat(ran.status()).isEqualTo(1);
  }

  /** What comes after the pair differs as well, and is not named. */
  @Test
  void onlyTheFirstPairIsNamed() {
    StringBuilder text = new StringBuilder("HloModule m\nENTRY e {\n v0 = f32[2] parameter(0)\n");
    for (int i = 1; i <= 80; i++) {
      String op = i == 10 ? "exponential" : i % 2 == 0 ? "negate" : "tanh";
      text.append(" v" + i + " = f32[2] " + op + "(v" + (i - 1) + ")\n");
    }
    text.append(" ROOT r = f32[2] negate(v80)\n}\n");
    cli.with("long.hlo", text.toString());
    cli.with("longer.hlo", text.toString().replace("exponential(v9)", "exponential(v8)"));
    Cli.Ran ran = cli.run("compare", "@/long.hlo", "@/longer.hlo", "-i", "{0.5, 1.5}", "--locate");
    assertThat(ran.out())
        .contains("  %v10 = f32[2] exponential(%v9)\n  %v10 = f32[2] exponential(%v8)\n");
  }

  /** Pairs that only look alike are none; the pair is found inside of a fusion. */
  @Test
  void theFirstPairThatDiffers() {
    cli.with(
        "before.hlo",
        """
        HloModule before
        ENTRY main {
          x = f32[2] parameter(0)
          a = f32[2] negate(x)
          b = f32[2] exponential(a)
          c = f32[2] add(x, b)
          d = f32[2] tanh(c)
          ROOT e = f32[2] multiply(d, d)
        }
        """);
    cli.with(
        "after.hlo",
        """
        HloModule after
        fused {
          p = f32[2] parameter(0)
          q = f32[2] parameter(1)
          s = f32[2] add(q, p)
          t = f32[2] tanh(s)
          n = f32[2] negate(t)
          o = f32[2] negate(n)
          one = f32[] constant(1.001)
          ones = f32[2] broadcast(one), dimensions={}
          ROOT m = f32[2] multiply(o, ones)
        }
        ENTRY main {
          x = f32[2] parameter(0)
          a = f32[2] negate(x)
          b = f32[2] exponential(a)
          f = f32[2] fusion(x, b), kind=kLoop, calls=fused
          ROOT e = f32[2] multiply(f, f)
        }
        """);
    Cli.Ran ran =
        cli.run(
            "compare", "@/before.hlo", "@/after.hlo", "-i", "{0.5, 1.5}", "--locate", "-o", "@/");
    assertThat(ran.out())
        .contains(
            """
            first pair that differs although the operands agree:
              %e = f32[2] multiply(%d, %d)
              %e = f32[2] multiply(%f..m, %f..m)
            """);
    assertThat(ran.out()).contains("  as a program, with its inputs: @/e.before.hlo\n");
    assertThat(ran.status()).isEqualTo(1);
    cli.run("run", "@/e.hlo", "--input", "@/e.inputs").prints("f32[2] {0.64583, 0.882053733}\n");
  }

  @Test
  void recordedResults() throws IOException {
    cli.run("record", "@/m.hlo", "--input", "{0.5, 1.5}", "-o", "@/case")
        .prints("@/case: 1 input and 2 results\n");
    compare("--expected", "@/case")
        .prints(
            """
            @/case beside the reference: same
            result 0, f32[2]: same
            result 1, f32[2]: same
            """);
    cli.run("record", "@/wrong.hlo", "--input", "{0.5, 1.5}", "-o", "@/less");
    compare("--expected", "@/less").fails("@/less: got 1 of 2 results, want one for each");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          500ms | FAKE wait {hlo} {results}          | @/m.hlo: command java timed out after 500 ms
          1m    | FAKE fail 4 no {hlo} {results}     | @/m.hlo: command ended with status 4: no
          1m    | FAKE nothing {hlo} {results}       | @/m.hlo: command wrote no {results}/0.npy, want f32[2]
          1m    | FAKE copy {hlo} {results}/0.npy    | @/m.hlo: command wrote {results}/0.npy: npy: got other first bytes, want \\x93NUMPY
          1m    | FAKE fail 3 broken                 | @/m.hlo: command ended with status 3, want ok or error: broken
          1m    | FAKE cat {pbtxt}                   | command got the placeholder {pbtxt}, want one of [{}, {hlo}, {inputs}, {mlir}, {mlirbc}, {pb}, {results}]
          """)
  void wrongSystems(String deadline, String command, String message) {
    Cli.Ran ran = compare("--deadline", deadline, "--with", FakeCommand.in(command));
    new Cli.Ran(ran.status(), ran.out(), ran.err().replace(FakeCommand.java(), "java"))
        .fails(message);
  }

  @ParameterizedTest
  @ValueSource(strings = {"no-such-python", "no-such-python {hlo} {results}"})
  void missingProgram(String command) {
    assertThat(compare("--with", command).err())
        .startsWith(
            "hlo4j: @/m.hlo: command got no-such-python, want a program that can be started: ");
  }

  @Test
  void wrongUse() {
    compare("--expected", "@/none.npy").fails("@/none.npy: no such file, want recorded results");
    compare("--expected", "f32[3] {1, 2, 3}")
        .fails("f32[3] {1, 2, 3}: got 1 of 2 results, want one for each");
    compare("--expected", "7", "--with", "true")
        .fails("compare got 2 of OTHER, --expected and --with, want one");
    compare("--expected", "7", "--locate")
        .fails("--locate got recorded results, want a system that can run parts of the program");
    compare("--profile", "nativ")
        .isRefused(
            "Invalid value for option '--profile': got 'nativ', want one of compiled, native; see"
                + " hlo4j compare --help");
  }
}
