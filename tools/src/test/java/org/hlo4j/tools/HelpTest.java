package org.hlo4j.tools;

import static com.google.common.truth.Truth.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HelpTest {
  @TempDir Path folder;

  @Test
  void version() {
    Cli.Ran ran = new Cli(folder).run("--version");
    assertThat(ran.out()).matches("hlo4j \\S+\nJava .*\n");
    assertThat(ran.status()).isEqualTo(0);
  }

  @Test
  void theWholeCommand() {
    Cli.Ran ran = new Cli(folder).run("--help");
    assertThat(ran.out()).startsWith("Usage: hlo4j [-hV] [--verbose] COMMAND\n");
    for (String told :
        new String[] {
          "run ",
          "verify ",
          "print ",
          "test ",
          "bench ",
          "trace ",
          "explain ",
          "generate-completion ",
          "Exit status:\n  0   all went well\n",
          "HLO4J_OPTS"
        }) {
      assertThat(ran.out()).contains(told);
    }
    assertThat(ran.status()).isEqualTo(0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"run", "verify", "print", "test", "bench", "trace", "explain"})
  void everyCommandExplainsItself(String command) {
    Cli.Ran ran = new Cli(folder).run(command, "--help");
    assertThat(ran.out()).startsWith("Usage: hlo4j " + command + " ");
    assertThat(ran.out()).contains("Example");
    assertThat(ran.out().lines().mapToInt(String::length).max().orElse(0)).isAtMost(90);
    assertThat(ran.status()).isEqualTo(0);
  }

  @Test
  void completion() {
    Cli.Ran ran = new Cli(folder).run("generate-completion");
    assertThat(ran.out()).startsWith("#!/usr/bin/env bash\n");
    assertThat(ran.out()).contains("_complete_hlo4j");
    assertThat(ran.status()).isEqualTo(0);
  }

  @Test
  void unknownCommands() {
    new Cli(folder)
        .run("runn")
        .isRefused(
            "no command runn, want run, verify, print, test, bench, trace, explain,"
                + " generate-completion; see hlo4j --help");
    new Cli(folder).run().isRefused("Missing required subcommand; see hlo4j --help");
  }
}
