package org.hlo4j.tools;

import static com.google.common.truth.Truth.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.hlo4j.tools.command.BenchCommand;
import org.hlo4j.tools.command.BlameCommand;
import org.hlo4j.tools.command.CompareCommand;
import org.hlo4j.tools.command.ConformanceCommand;
import org.hlo4j.tools.command.ExplainCommand;
import org.hlo4j.tools.command.PrintCommand;
import org.hlo4j.tools.command.ProfileCommand;
import org.hlo4j.tools.command.RecordCommand;
import org.hlo4j.tools.command.RunCommand;
import org.hlo4j.tools.command.SummaryCommand;
import org.hlo4j.tools.command.TestCommand;
import org.hlo4j.tools.command.TraceCommand;
import org.hlo4j.tools.command.VerifyCommand;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;

class HelpTest {
  @TempDir Path folder;

  @Test
  void version() {
    Cli.Ran ran = new Cli(folder).run("--version");
    assertThat(ran.out()).matches("hlo4j \\S+\nJava .*\nvectors: (on, \\d+ bits|off, .+)\n");
    assertThat(ran.status()).isEqualTo(0);
  }

  @Test
  void commandHelp() {
    Cli.Ran ran = new Cli(folder).run("--help");
    assertThat(ran.out()).startsWith("Usage: hlo4j [-hV] [--verbose] COMMAND\n");
    for (String told :
        new String[] {
          "run ",
          "verify ",
          "print ",
          "test ",
          "bench ",
          "profile ",
          "trace ",
          "explain ",
          "summary ",
          "record ",
          "compare ",
          "shrink ",
          "fuzz ",
          "diff ",
          "conformance ",
          "serve ",
          "generate-completion ",
          "as_text(\"hlo\", debug_info=True)",
          "Exit status:\n  0     all went well\n"
        }) {
      assertThat(ran.out()).contains(told);
    }
    assertThat(ran.status()).isEqualTo(0);
  }

  /** What the launcher reads from the environment is told by the help and on the page. */
  @ParameterizedTest
  @ValueSource(strings = {"hlo4j", "hlo4j.cmd"})
  void environmentIsDocumented(String launcher) throws IOException {
    String help = new Cli(folder).run("--help").out();
    String page = Files.readString(Path.of("../docs/markdown/reference/command.md"));
    Pattern.compile("HLO4J_[A-Z_]+")
        .matcher(Files.readString(Path.of("../bin", launcher)))
        .results()
        .map(MatchResult::group)
        .forEach(name -> {
          assertThat(help).contains("\n  " + name + " ");
          assertThat(page).contains("\n| `" + name + "` | ");
        });
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "run",
        "verify",
        "print",
        "test",
        "bench",
        "profile",
        "trace",
        "explain",
        "summary",
        "record",
        "compare",
        "shrink",
        "fuzz",
        "conformance",
        "serve"
      })
  void everyCommandHasHelp(String command) {
    Cli.Ran ran = new Cli(folder).run(command, "--help");
    assertThat(ran.out()).startsWith("Usage: hlo4j " + command + " ");
    assertThat(ran.out()).contains("Example");
    assertThat(ran.out().lines().mapToInt(String::length).max().orElse(0)).isAtMost(90);
    assertThat(ran.status()).isEqualTo(0);
  }

  /** picocli treats all texts as format strings, and warns on stderr of invalid ones. */
  @Test
  void helpTextsAreValidFormatStrings() {
    List<Object> commands =
        List.of(
            new RunCommand(),
            new VerifyCommand(),
            new PrintCommand(),
            new TestCommand(),
            new BenchCommand(),
            new ProfileCommand(),
            new TraceCommand(),
            new ExplainCommand(),
            new SummaryCommand(),
            new RecordCommand(),
            new CompareCommand(),
            new BlameCommand(),
            new ConformanceCommand());
    for (Object command : commands) {
      CommandSpec spec = CommandSpec.forAnnotatedObject(command);
      Stream.of(
              Stream.of(spec.usageMessage().description(), spec.usageMessage().footer()),
              spec.args().stream().map(ArgSpec::description))
          .flatMap(texts -> texts)
          .flatMap(Arrays::stream)
          .forEach(text -> assertThat(text.formatted()).doesNotContain("%%"));
    }
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
        .run("rnu")
        .isRefused(
            "no command rnu (did you mean run?), want run, verify, print, test, bench, profile,"
                + " trace, explain, summary, record, compare, blame, shrink, fuzz, diff,"
                + " conformance, serve, devices, generate-completion; see hlo4j --help");
    new Cli(folder).run().isRefused("Missing required subcommand; see hlo4j --help");
  }
}
