package org.hlo4j.tools.input;

import static com.google.common.truth.Truth.assertThat;
import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.npy.Npy;
import org.hlo4j.tools.Cli;
import org.hlo4j.tools.cases.TestCase;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files and arguments that are not what they seem: each gets one clear line. */
class OddInputsTest {
  @TempDir Path folder;
  private Cli cli;

  @BeforeEach
  void programs() {
    cli =
        new Cli(folder)
            .with("same.hlo", "HloModule same\nENTRY e { ROOT x = f32[3] parameter(0) }\n")
            .with("none.hlo", "HloModule none\nENTRY e { ROOT c = f32[1] constant({1}) }\n");
  }

  private void file(String name, String content) throws IOException {
    Files.write(
        folder.resolve(name),
        content
            .replace("<FF>", "\u00ff")
            .replace("<ESC>", "\u001b")
            .replace("<US>", "\u001f")
            .replace("<LF>", "\n")
            .getBytes(ISO_8859_1));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'' | '--input got an empty text, want an array'",
        "'  ' | '--input got an empty text, want an array'",
        "'{1,2}' | '{1,2}: neither an .npy file nor a literal: 1:5: got }, want 3 elements rather"
            + " than 2 of f32[3]; for parameter x: f32[3]'",
        "'{}' | '{}: neither an .npy file nor a literal: 1:1: got 0 elements, want 3 elements of"
            + " f32[3]; for parameter x: f32[3]'",
        "x[*.npy | 'x[*.npy: no pattern of file names: Missing '']'",
        "@/blank | '@/blank: neither an .npy file nor a literal: got nothing, want f32[3]; for"
            + " parameter x: f32[3]'",
        "- | '-: neither an .npy file nor a literal: got nothing, want f32[3]; for parameter x:"
            + " f32[3]'",
      })
  void inputsOfNothing(String input, String message) throws IOException {
    file("blank", " \n");
    cli.runOn(" ", "run", "@/same.hlo", "--input", input).fails(message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "version https://git-lfs.github.com/spec/v1 | 'a Git LFS pointer: git lfs pull gets the"
            + " file'",
        "<!DOCTYPE html><html> | an HTML page",
        "\u0080\2ccollections | a Python pickle",
      })
  void otherFilesInPlaceOfWeights(String content, String what) throws IOException {
    file("w.safetensors", content);
    cli.run("run", "@/same.hlo", "--input", "@/w.safetensors")
        .fails("@/w.safetensors: safetensors: got " + what + ", want a .safetensors file");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "HloModule m <FF> | text that is not UTF-8 at byte 12",
        "HloModule m <ESC> | text with the control character 0x1b at byte 12",
        "<html><body> | an HTML page",
        "<LF><LF> <!DOCTYPE html> | an HTML page",
        "\u00ef\u00bb\u00bf<html> | an HTML page",
        "<US>\u008b | a gzip file",
        "\u0089HDF | an HDF5 file",
        "{} | bytes of no known form",
        "{ lambda ; a:f32[3]. let | 'a jaxpr: jax.jit(f).lower(x).as_text() gives StableHLO'",
        "\u00ff\u00feH\0l\0o\0 | 'text in UTF-16, not in UTF-8'",
        "\u00fe\u00ff\0H\0l\0o | 'text in UTF-16, not in UTF-8'",
        "H\0l\0o\0M\0o\0d\0u\0l\0e\0 | 'text in UTF-16, not in UTF-8'",
        "\u00ff\u00fe\0\0H\0\0\0 | 'text in UTF-32, not in UTF-8'",
        "<LF>\u00f1\u0017\22\u000e/host:metadata\42 | an XSpace of a profiler (.xplane.pb)",
        "<LF>!\b\1\22\u000b/device:GPU:0 | an XSpace of a profiler (.xplane.pb)",
      })
  void programsThatAreNone(String content, String what) throws IOException {
    file("f.hlo", content);
    assertThat(cli.run("verify", "@/f.hlo").out())
        .isEqualTo(
            "error @/f.hlo: file: got " + what + ", want HLO, StableHLO or a jax.export file\n");
  }

  /** Names and metadata of a file do not reach the terminal as commands. */
  @Test
  void controlCharactersAreEscaped() throws IOException {
    file(
        "ansi.hlo",
        """
        HloModule m
        ENTRY e {
          x = f32[1] constant({-1})
          ROOT r = f32[1] log(x), metadata={op_name="a" source_file="f\\033[2J\\033]0;title\\007.py" source_line=3}
        }
        """);
    assertThat(cli.run("trace", "@/ansi.hlo").out())
        .isEqualTo(
            """
            x                    f32[1] {-1}
            r                    f32[1] {nan}   f\\x1b[2J\\x1b]0;title\\x07.py:3   <-- the first that is not finite
            2 values, the first not finite: r                    f32[1] {nan}   f\\x1b[2J\\x1b]0;title\\x07.py:3
            """);
    assertThat(cli.run("summary", "@/ansi.hlo").out()).doesNotContain("\u001b");
    cli.run("run", "@/no\u001b[31m\u202e.hlo")
        .fails("@/no\\x1b[31m\\u202e.hlo: no such file or directory");
    file("bad.hlo", "HloModule m\nENTRY e { x = f32[1] \u009b31m(x) }\n");
    assertThat(cli.run("verify", "@/bad.hlo").out()).doesNotContain("\u009b");
  }

  /** The text of an array without elements does not grow with its sizes. */
  @Test
  void hugeArraysOfNoElements() {
    cli.with(
        "huge.hlo",
        """
        HloModule m
        ENTRY e {
          x = f32[] parameter(0)
          b = f32[2000000000,0] broadcast(x), dimensions={}
          s = f32[2,0] broadcast(x), dimensions={}
          ROOT t = (f32[2000000000,0], f32[2,0]) tuple(b, s)
        }
        """);
    cli.run("run", "@/huge.hlo", "--input", "1", "--all")
        .prints("0: f32[2000000000,0] {...}\n1: f32[2,0] {{}, {}}\n");
    cli.with(
            "constant.hlo", "HloModule m\nENTRY e { ROOT c = f32[2000000000,0] constant({...}) }\n")
        .run("run", "@/constant.hlo")
        .prints("f32[2000000000,0] {...}\n");
  }

  /** The files of a case lie in its folder. */
  @Test
  void casesReadNoOtherFiles() throws IOException {
    Files.createDirectories(folder.resolve("case/expected"));
    cli.with("case/program.hlo.txt", "HloModule none\nENTRY e { ROOT c = f32[1] constant({1}) }\n")
        .with(
            "case/meta.json",
            """
            {"inputs": [],
             "outputs": [{"file": "expected/../../secret.npy", "dtype": "f32", "shape": [1]}]}
            """);
    assertThat(cli.run("test", "@/case").out())
        .isEqualTo(
            """
            FAIL case meta.json: file got expected/../../secret.npy, want one inside the folder of \
            the case
            0 passed, 1 failed, 0 unsupported
            """);
  }

  /** So they do if the folder is the current one, which has no name. */
  @ParameterizedTest
  @ValueSource(strings = {"", ".", "./src/.."})
  void casesInTheCurrentFolder(String name) throws IOException {
    String file = "src/test/resources/org/hlo4j/tools/exports/random_key/case0/expected/0.npy";
    Literal want = Npy.read(Path.of(file));
    TestCase.Array array = new TestCase.Array(file, Optional.empty(), Optional.empty());
    assertThat(array.read(Path.of(name), Optional.empty(), want.shape())).isEqualTo(want);
  }

  /** A program without parameters may have an empty folder of inputs. */
  @Test
  void emptyFolderOfInputs() throws IOException {
    Files.createDirectories(folder.resolve("case/inputs"));
    cli.run("record", "@/none.hlo", "-o", "@/recorded");
    Files.createDirectories(folder.resolve("recorded/inputs"));
    assertThat(cli.run("test", "@/recorded").out())
        .isEqualTo("ok recorded\n1 passed, 0 failed, 0 unsupported\n");
  }
}
