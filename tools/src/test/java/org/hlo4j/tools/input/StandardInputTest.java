package org.hlo4j.tools.input;

import static com.google.common.truth.Truth.assertThat;
import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.npy.Npy;
import org.hlo4j.tools.Cli;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Standard input, written {@code -}, in place of a file. */
class StandardInputTest {
  private static final String TWICE =
      """
      HloModule twice

      ENTRY main {
        x = s32[2] parameter(0)
        ROOT sum = s32[2] add(x, x)
      }
      """;

  private static final String[] OF_INPUT = {"run", "@/twice.hlo", "--input", "-"};

  @TempDir Path folder;

  private Cli cli() {
    return new Cli(folder).with("twice.hlo", TWICE).with("with blanks/a b.hlo", TWICE);
  }

  private static Arguments prints(String printed, String... command) {
    return Arguments.of(printed, command);
  }

  private static Stream<Arguments> programs() {
    return Stream.of(
        prints("ok -\n", "verify", "-"),
        prints(
            "ok @/twice.hlo\nok -\nok @/with blanks/a b.hlo\n",
            "verify",
            "@/twice.hlo",
            "-",
            "@/with blanks/a b.hlo"),
        prints("s32[2] {2, -4}\n", "run", "-", "--input", "s32[2] {1, -2}"),
        prints(
            """
            x                    s32[2] {1, -2}
            sum                  s32[2] {2, -4}
            2 values, all finite
            """,
            "trace",
            "-i",
            "s32[2] {1, -2}",
            "-"));
  }

  @ParameterizedTest
  @MethodSource("programs")
  void program(String printed, String[] command) {
    cli().runOn(TWICE, command).prints(printed);
  }

  @ParameterizedTest
  @ValueSource(strings = {"print -", "print - -o -", "explain -"})
  void printsWhatItPrintsOfAFile(String command) {
    String name = command.replaceAll(" .*", "");
    cli().runOn(TWICE, command.split(" ")).prints(cli().run(name, "@/twice.hlo").out());
  }

  @Test
  void bench() {
    assertThat(cli().runOn(TWICE, "bench", "-", "-r", "1", "-n", "1", "-w", "0").out())
        .startsWith("median ");
  }

  @Test
  void literal() {
    cli().runOn("s32[2] {1, 2}\n", OF_INPUT).prints("s32[2] {2, 4}\n");
  }

  @Test
  void npy() throws IOException {
    ByteArrayOutputStream npy = new ByteArrayOutputStream();
    Npy.write(npy, Literal.of(new int[] {3, 4}));
    cli().runOn(new ByteArrayInputStream(npy.toByteArray()), OF_INPUT).prints("s32[2] {6, 8}\n");
  }

  @Test
  void inputThatIsNoText() {
    cli()
        .runOn(new ByteArrayInputStream("s32[2] {\u00fc}".getBytes(ISO_8859_1)), OF_INPUT)
        .fails("-: neither an .npy file nor a literal: not UTF-8 text; for parameter x: s32[2]");
  }

  @Test
  void errorsNamePosition() {
    String bad = TWICE.replace("ROOT sum = s32[2]", "ROOT sum = s32[3]");
    String told =
        "-:5:8: add: declared shape got s32[3], want s32[2] as inferred; at %sum = s32[3] add(%x,"
            + " %x)";
    assertThat(cli().runOn(bad, "verify", "-"))
        .isEqualTo(new Cli.Ran(1, "error " + told + "\n", ""));
    cli().runOn(bad, "run", "-").fails(told);
    cli()
        .runOn(TWICE.replace("add", "ad"), "run", "-")
        .fails("-:5:21: got the unknown opcode ad; nearest known name: add");
    assertThat(
            cli()
                .runOn(
                    new ByteArrayInputStream("HloModule \u00fc".getBytes(ISO_8859_1)),
                    "verify",
                    "-")
                .out())
        .isEqualTo(
            "error -: file: got text that is not UTF-8 at byte 10, want HLO, StableHLO or a"
                + " jax.export file\n");
  }

  @Test
  void emptyStandardInput() throws IOException {
    Cli cli = cli();
    String empty = "the standard input is empty, or was read before";
    String ofX = empty + "; for parameter x: s32[2]";
    cli.runOn("", "run", "-").fails("-: " + empty);
    cli.runOn("", "run", "@/twice.hlo", "-i", "-").fails("-: " + ofX);
    cli.runOn(TWICE, "run", "-", "-i", "-").fails("-: " + ofX);
    assertThat(cli.runOn(TWICE, "verify", "-", "-", "@/twice.hlo"))
        .isEqualTo(new Cli.Ran(1, "ok -\nerror -: " + empty + "\nok @/twice.hlo\n", ""));
    InputStream closed = InputStream.nullInputStream();
    closed.close();
    cli.runOn(closed, "print", "-").fails("the standard input: Stream closed");
    assertThat(cli.runOn(closed, "verify", "-").out())
        .isEqualTo("error -: the standard input: Stream closed\n");
  }

  @Test
  void dashIsNoFolder() {
    cli()
        .run("run", "@/twice.hlo", "-r", "1", "-o", "-")
        .isRefused(
            "Invalid value for option '--output': got -, want a folder; ./- is one of that name;"
                + " see hlo4j run --help");
    cli()
        .run("test", "-")
        .isRefused(
            "Invalid value for positional parameter at index 0..* (PATH): got -, want a folder; ./-"
                + " is one of that name; see hlo4j test --help");
  }
}
