package org.hlo4j.tools.command;

import static com.google.common.truth.Truth.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.hlo4j.testing.FakeCommand;
import org.hlo4j.tools.Cli;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FuzzCommandTest {
  @TempDir Path folder;

  /** A system that always fails: what fails is a program of one instruction. */
  @Test
  void failuresAreKeptAndMadeSmall() throws IOException {
    Cli.Ran ran =
        new Cli(folder)
            .run(
                "fuzz",
                "--count",
                "1",
                "--seed",
                "3",
                "--max-size",
                "10",
                "--with",
                FakeCommand.in("FAKE fail 1 no {hlo} {results}"),
                "--shrink-deadline",
                "20s",
                "-o",
                "@/found");
    assertThat(ran.err()).isEmpty();
    assertThat(ran.out()).containsMatch("seed-3: 1 of \\d+ instructions: it failed: command ended");
    assertThat(ran.out()).endsWith("\n1 program, 1 found\n");
    assertThat(ran.status()).isEqualTo(1);
    assertThat(Files.readString(folder.resolve("found/seed-3.hlo"))).contains("\n// seed-3: 1 of ");
    assertThat(Files.exists(folder.resolve("found/seed-3.expected"))).isTrue();
    assertThat(Files.exists(folder.resolve("found/seed-3.got"))).isFalse();
  }

  /** What there is no time to make small is kept as it is, as is what differs once only. */
  @Test
  void whatIsNotMadeSmall() {
    Cli.Ran ran =
        new Cli(folder)
            .run(
                "fuzz",
                "--count",
                "2",
                "--max-size",
                "10",
                "--with",
                FakeCommand.in("FAKE fail 1 no {hlo} {results}"),
                "--shrink-deadline",
                "1ms",
                "-o",
                "@/found");
    assertThat(ran.err()).isEmpty();
    assertThat(ran.out()).containsMatch("seed-0: (\\d+) of \\1 instructions: it failed: command");
    assertThat(ran.out()).endsWith("\n2 programs, 2 found\n");
  }

  /** What was found once, and what becomes the same when it is made small, is not found again. */
  @Test
  void knownFindings() throws IOException {
    String[] command = {
      "fuzz",
      "--count",
      "2",
      "--jobs",
      "1",
      "--max-size",
      "4",
      "--ops",
      "add",
      "--types",
      "f32",
      "--with",
      FakeCommand.in("FAKE fail 1 no {hlo} {results}"),
      "--shrink-deadline",
      "20s",
      "-o",
      "@/found"
    };
    Cli.Ran first = new Cli(folder).run(command);
    assertThat(first.out()).containsMatch("\n2 programs, 2 found\n$");
    String[] again = Arrays.copyOf(command, command.length + 2);
    again[command.length] = "--known";
    again[command.length + 1] = "@/found";
    assertThat(new Cli(folder).run(again).out()).isEqualTo("2 programs, 0 found, 2 known\n");
  }

  @Test
  void opsLeftOut() {
    new Cli(folder)
        .run("fuzz", "--count", "2", "--not-ops", "dot,sort")
        .prints("2 programs, 0 found\n");
    new Cli(folder)
        .run("fuzz", "--not-ops", "dots")
        .isRefused("--ops got dots, want opcodes such as add; see hlo4j fuzz --help");
  }

  @Test
  void evaluatorsAgree() {
    new Cli(folder)
        .run("fuzz", "--count", "3", "--ops", "add,multiply", "--types", "f32")
        .prints("3 programs, 0 found\n");
  }

  /** The threads share the seeds: each program runs once. */
  @Test
  void jobs() {
    new Cli(folder)
        .run("fuzz", "--count", "7", "--jobs", "3", "--ops", "add", "--dynamic")
        .prints("7 programs, 0 found\n");
  }

  @Test
  void endsAfterMaxFound() {
    Cli.Ran ran =
        new Cli(folder)
            .run(
                "fuzz",
                "--max-found",
                "2",
                "--jobs",
                "1",
                "--max-size",
                "5",
                "--with",
                FakeCommand.in("FAKE fail 1 no {hlo} {results}"),
                "--shrink-deadline",
                "1s",
                "-o",
                "@/found");
    assertThat(ran.out()).endsWith("\n2 programs, 2 found\n");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          --ops=ad       | --ops got ad, want opcodes such as add
          --types=f33    | --types got f33, want element types such as f32
          --count=0      | --count got 0, want at least 1
          --jobs=0       | --jobs got 0, want at least 1
          --max-found=0  | --max-found got 0, want at least 1
          """)
  void wrongUse(String option, String message) {
    new Cli(folder).run("fuzz", option).isRefused(message + "; see hlo4j fuzz --help");
  }
}
