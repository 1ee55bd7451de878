package org.hlo4j.tools.command;

import static com.google.common.truth.Truth.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.hlo4j.testing.FakeCommand;
import org.hlo4j.tools.Cli;
import org.hlo4j.tools.UpgradedSystem;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ShrinkCommandTest {
  private static final String CHAIN =
      """
      HloModule f
      ENTRY %main (x: f32[8]) -> f32[8] {
        %x = f32[8] parameter(0)
        %a = f32[8] exponential(%x)
        %b = f32[8] tanh(%a)
        ROOT %c = f32[8] multiply(%b, %x)
      }
      """;

  private static final String SMALL =
      """
      HloModule shrunk, entry_computation_layout={(f32[1]{0})->f32[1]{0}}

      ENTRY %main (p0: f32[1]) -> f32[1] {
        %p0 = f32[1]{0} parameter(0)
        ROOT %tanh = f32[1]{0} tanh(%p0)
      }
      // input 0: f32[1] {0}
      """;

  @TempDir Path folder;

  private Cli cli() {
    return new Cli(folder).with("f.hlo", CHAIN);
  }

  /** The arguments of an earlier run, which were more, are not left beside those of this one. */
  @Test
  void programAndInputsAreWritten() throws IOException {
    Path inputs = Files.createDirectories(folder.resolve("s.inputs"));
    for (int i = 0; i < 3; i++) {
      Files.writeString(inputs.resolve(i + ".npy"), "old");
    }
    Cli.Ran ran =
        cli()
            .run(
                "shrink",
                "@/f.hlo",
                "-r",
                "1",
                "--check",
                FakeCommand.in("FAKE has tanh {}"),
                "-o",
                "@/s.hlo");
    assertThat(ran.err()).isEmpty();
    assertThat(ran.out()).containsMatch("s.hlo: 2 of 4 instructions, \\d+ checks, [\\d.]+ s");
    assertThat(Files.readString(folder.resolve("s.hlo"))).isEqualTo(SMALL);
    cli().run("run", "@/s.hlo", "--input", "@/s.inputs").prints("f32[1] {0}\n");
  }

  @Test
  void programIsPrinted() {
    Cli.Ran ran =
        cli().run("shrink", "@/f.hlo", "-r", "1", "--check", FakeCommand.in("FAKE has tanh {hlo}"));
    assertThat(ran.out()).isEqualTo(SMALL);
  }

  /** A command that takes too long for a candidate says nothing about it. */
  @Test
  void slowCandidatesAreNotKept() {
    String command = FakeCommand.in("FAKE has cosine exponential {}");
    Cli.Ran ran =
        cli()
            .run(
                "shrink",
                "@/f.hlo",
                "-r",
                "1",
                "--check",
                command,
                "--check-deadline",
                "1s",
                "--deadline",
                "3s");
    assertThat(ran.out()).contains("exponential(%p0)");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          --differs              | @/f.hlo: the results agree, want a program that differs
          --fails                | shrink: the check does not hold for the program itself
          --check=true           | --check got a command without {}, want the place of the program in it
          --check='true {x}'     | command got the placeholder {x}, want one of [{}, {hlo}, {inputs}, {mlir}, {mlirbc}, {pb}]
          """)
  void failures(String option, String message) {
    Cli.Ran ran = cli().run("shrink", "@/f.hlo", "-r", "1", option.replace("'", ""));
    assertThat(ran.err().replace("\n", "")).isEqualTo("hlo4j: " + message);
    assertThat(ran.status()).isEqualTo(1);
  }

  /** The sum hides what the system makes of tanh: the instruction alone is made small. */
  @Test
  void whatTheResultHidesIsLocated() {
    cli()
        .with(
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
    Cli.Ran ran =
        cli()
            .run(
                "shrink",
                "@/hidden.hlo",
                "--input",
                "{0.5, 0.75}",
                "--differs",
                "--confirm",
                "2",
                "--with",
                UpgradedSystem.command());
    assertThat(ran.out()).contains("ROOT %tanh = f32[1]{0} tanh(%p0)");
    assertThat(ran.status()).isEqualTo(0);
  }

  /** What was there stays, and nothing else comes. */
  @Test
  void whatIsRefusedLeavesNoResult() throws IOException {
    Files.writeString(folder.resolve("old.hlo"), "an earlier result");
    for (String name : List.of("old.hlo", "new.hlo")) {
      cli()
          .run("shrink", "@/f.hlo", "-r", "1", "--fails", "-o", "@/" + name)
          .fails("shrink: the check does not hold for the program itself");
    }
    cli()
        .run("shrink", "@/f.hlo", "-r", "1", "--fails", "-o", "@/none/new.hlo")
        .fails("@/none/new.hlo: no such file or directory");
    assertThat(Files.readString(folder.resolve("old.hlo"))).isEqualTo("an earlier result");
    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .containsExactly("f.hlo", "old.hlo");
    }
  }

  @Test
  void wrongUse() {
    cli()
        .run("shrink", "@/f.hlo", "-r", "1")
        .isRefused(
            "got 0 checks, want one of --check COMMAND, --differs and --fails; see hlo4j shrink"
                + " --help");
  }
}
