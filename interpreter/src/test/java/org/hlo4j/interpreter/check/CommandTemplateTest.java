package org.hlo4j.interpreter.check;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.common.collect.ImmutableList;
import java.time.Duration;
import java.util.Map;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisabledOnOs(OS.WINDOWS) // the commands are those of Unix
final class CommandTemplateTest {
  private static final HloModule IDENTITY =
      Parser.parse("HloModule m\nENTRY e {\n  ROOT x = f32[2] parameter(0)\n}\n");

  private static String refusal(String template) {
    return assertThrows(
            HloException.class,
            () ->
                CommandTemplate.parse(template).withDeadline(Duration.ofMillis(300)).run(Map.of()))
        .getMessage();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          echo a 'b  c' "d"e          | 0 | a b  c de
          echo {in} x{one}y           | 0 | 1.npy 2.npy x7y
          sh -c 'echo no >&2; exit 3' | 3 | no
          echo {unknown}              | 0 | {unknown}
          cat                         | 0 | ``
          """)
  void wordsAndPlaceholders(String template, int status, String output) {
    CommandTemplate.Ended ended =
        CommandTemplate.parse(template)
            .run(Map.of("in", ImmutableList.of("1.npy", "2.npy"), "one", ImmutableList.of("7")));
    assertThat(ended.status()).isEqualTo(status);
    assertThat(ended.output().strip()).isEqualTo(output);
  }

  @Test
  void refusals() {
    assertThat(refusal("echo 'a")).isEqualTo("command got echo 'a, whose quote is not closed");
    assertThat(refusal(" ")).isEqualTo("command got no word, want a program to start");
    assertThat(refusal("no-such-program x"))
        .startsWith("command got no-such-program, want a program that can be started: ");
    assertThat(refusal("sleep 60")).isEqualTo("command sleep got beyond its time of 300 ms");
    assertThat(refusal("sh -c 'sleep 60 & wait'"))
        .isEqualTo("command sh got beyond its time of 300 ms");
  }

  /** All output is read, so that the command does not wait, but only its end is kept. */
  @Test
  void muchOutput() {
    CommandTemplate.Ended ended =
        CommandTemplate.parse("sh -c 'head -c 50000000 /dev/zero; echo end'").run(Map.of());
    assertThat(ended.status()).isEqualTo(0);
    assertThat(ended.output()).endsWith("end\n");
    assertThat(ended.output().length()).isLessThan(40_000);
  }

  private static Literal external(String template) {
    return new ExternalRunner(CommandTemplate.parse(template), Map.of())
        .run(Program.of(IDENTITY, Literal.of(new float[] {1, 2})));
  }

  @Test
  void aSystemReadsAndWritesFiles() {
    assertThat(external("sh -c 'grep -q ROOT {hlo} && cp {inputs} {results}/0.npy'"))
        .isEqualTo(Literal.of(new float[] {1, 2}));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          run {hlo}                                | command got run {hlo}, want {results} and the program: {hlo}, {pb} …
          run {mlir} {results}                     | command got the placeholder {mlir}, want one of [{}, {hlo}, {inputs}, {pb}, {results}]
          sh -c 'echo no; exit 4' {hlo} {results}  | command ended with status 4: no
          test -e {hlo} -a {results} != x          | command wrote no {results}/0.npy, want f32[2]
          """)
  void wrongSystems(String template, String message) {
    assertThat(assertThrows(HloException.class, () -> external(template)))
        .hasMessageThat()
        .isEqualTo(message);
  }

  /** The server ends at s64 and does not answer at u8. */
  private static final String SERVER =
      """
      sh -c 'while IFS="	" read hlo results input; do
        case $(cat $hlo) in
          *f32*) cp $input $results/0.npy; echo noise; echo ok;;
          *s32*) echo error no s32;;
          *s64*) echo bye >&2; exit 3;;
          *) sleep 60;;
        esac
      done'
      """;

  @Test
  void aServerAnswersManyPrograms() {
    String[] answers = new String[6];
    CommandTemplate command = CommandTemplate.parse(SERVER).withDeadline(Duration.ofSeconds(1));
    try (ExternalRunner server = new ExternalRunner(command, Map.of())) {
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
            "command sh got beyond its time of 1000 ms",
            "f32[] 7",
            "command ended with status 3, want ok or error: bye",
            "f32[] 7")
        .inOrder();
  }

  private static String answer(ExternalRunner server, String type) {
    HloModule module =
        Parser.parse("HloModule m\nENTRY e {\n  ROOT x = " + type + "[] parameter(0)\n}\n");
    try {
      return server.run(Program.of(module, Parser.parseLiteral(type + "[] 7"))).toString();
    } catch (HloException refusal) {
      return refusal.getMessage();
    }
  }
}
