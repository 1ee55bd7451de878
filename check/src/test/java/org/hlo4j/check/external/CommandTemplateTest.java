package org.hlo4j.check.external;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.common.collect.ImmutableList;
import java.time.Duration;
import java.util.Map;
import org.hlo4j.check.Program;
import org.hlo4j.check.command.CommandTemplate;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.testing.FakeCommand;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class CommandTemplateTest {
  private static final HloModule IDENTITY =
      Parser.parse("HloModule m\nENTRY e {\n  ROOT x = f32[2] parameter(0)\n}\n");

  private static CommandTemplate command(String template) {
    return CommandTemplate.parse(FakeCommand.in(template));
  }

  /** Returns the message of a refusal, with the name of Java for its path. */
  private static String refusal(Executable runs) {
    return assertThrows(HloException.class, runs).getMessage().replace(FakeCommand.java(), "java");
  }

  @Test
  void longWords() {
    String word = "a".repeat(100_000) + "'b'".repeat(20_000);
    assertThat(CommandTemplate.parse("echo " + word).placeholders()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          FAKE echo a 'b  c' "d"e   | 0 | a b  c de
          FAKE echo {in} x{one}y    | 0 | 1.npy 2.npy x7y
          FAKE fail 3 no            | 3 | no
          FAKE echo {unknown}       | 0 | {unknown}
          FAKE cat                  | 0 | ``
          """)
  void wordsAndPlaceholders(String template, int status, String output) {
    CommandTemplate.Ended ended =
        command(template)
            .run(Map.of("in", ImmutableList.of("1.npy", "2.npy"), "one", ImmutableList.of("7")));
    assertThat(ended.status()).isEqualTo(status);
    assertThat(ended.output().strip()).isEqualTo(output);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          echo 'a     | command got echo 'a, whose quote is not closed
          ` `         | command got no word, want a program to start
          FAKE wait   | command java timed out after 300 ms
          FAKE parent | command java timed out after 300 ms
          """)
  void refusals(String template, String message) {
    assertThat(refusal(() -> command(template).withDeadline(Duration.ofMillis(300)).run(Map.of())))
        .isEqualTo(message);
  }

  @Test
  void noSuchProgram() {
    assertThat(refusal(() -> command("no-such-program x").run(Map.of())))
        .startsWith("command got no-such-program, want a program that can be started: ");
  }

  /** All output is read, so that the command does not wait, but only its end is kept. */
  @Test
  void muchOutput() {
    CommandTemplate.Ended ended = command("FAKE flood 50000000").run(Map.of());
    assertThat(ended.status()).isEqualTo(0);
    assertThat(ended.lastLine()).endsWith("end");
    assertThat(ended.output().length()).isLessThan(40_000);
  }

  private static ExternalRunner runner(String template, Duration deadline) {
    return new ExternalRunner(FakeCommand.in(template), deadline, Map.of());
  }

  private static Literal external(String template) {
    return runner(template, CommandTemplate.DEFAULT_DEADLINE)
        .run(Program.of(IDENTITY, Literal.of(new float[] {1, 2})));
  }

  @Test
  void aSystemReadsAndWritesFiles() {
    assertThat(external("FAKE answer {hlo} {results} {inputs}"))
        .isEqualTo(Literal.of(new float[] {1, 2}));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          run {hlo}                       | command got run {hlo}, want {results} and the program: {hlo}, {pb} …
          run {mlir} {results}            | command got the placeholder {mlir}, want one of [{}, {hlo}, {inputs}, {pb}, {results}]
          FAKE fail 4 no {hlo} {results}  | command ended with status 4: no
          FAKE nothing {hlo} {results}    | command wrote no {results}/0.npy, want f32[2]
          """)
  void wrongSystems(String template, String message) {
    assertThat(refusal(() -> external(template))).isEqualTo(message);
  }

  @Test
  void aServerAnswersManyPrograms() {
    String[] answers = new String[6];
    try (ExternalRunner server = runner("FAKE serve", Duration.ofSeconds(1))) {
      String[] types = {"f32", "s32", "u8", "f32", "s64", "f32"};
      for (int i = 0; i < types.length; i++) {
        answers[i] = answer(server, types[i]);
      }
    }
    assertThat(answers)
        .asList()
        .containsExactly(
            "f32[] 7",
            "command: no s32",
            "command java timed out after 1000 ms",
            "f32[] 7",
            "command ended with status 3, want ok or error: bye",
            "f32[] 7")
        .inOrder();
  }

  /** An answer that was not asked for does not become that of the next program. */
  @Test
  void aServerThatAnswersTwiceIsStartedAnew() throws InterruptedException {
    try (ExternalRunner server = runner("FAKE chatter", CommandTemplate.DEFAULT_DEADLINE)) {
      for (int i = 0; i < 3; i++) {
        assertThat(answer(server, "f32")).isEqualTo("f32[] 7");
        Thread.sleep(300); // until the second answer is there
      }
    }
  }

  private static String answer(ExternalRunner server, String type) {
    HloModule module =
        Parser.parse("HloModule m\nENTRY e {\n  ROOT x = " + type + "[] parameter(0)\n}\n");
    try {
      return server.run(Program.of(module, Parser.parseLiteral(type + "[] 7"))).toString();
    } catch (HloException refusal) {
      return refusal.getMessage().replace(FakeCommand.java(), "java");
    }
  }
}
