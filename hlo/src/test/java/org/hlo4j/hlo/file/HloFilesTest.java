package org.hlo4j.hlo.file;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.Refusals.assertRefused;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import com.google.common.collect.ImmutableList;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.npy.Npy;
import org.hlo4j.hlo.proto.HloProtos;
import org.hlo4j.hlo.proto.HloSnapshot;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.hlo.text.Printer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class HloFilesTest {
  private static final String TEXT =
      """
      HloModule m, entry_computation_layout={(f32[2]{0})->f32[2]{0}}

      ENTRY %e (p: f32[2]) -> f32[2] {
        %p = f32[2]{0} parameter(0)
        ROOT %n = f32[2]{0} negate(%p)
      }
      """;

  private static byte[] bytes(String latin1) {
    return latin1.getBytes(StandardCharsets.ISO_8859_1);
  }

  private static void assertModule(FileForm form, byte[] file) {
    assertThat(FileForm.of(file)).isEqualTo(form);
    assertThat(form.isModule()).isTrue();
    assertThat(Printer.print(HloFiles.readModule(file))).isEqualTo(TEXT);
  }

  @Test
  void modulesInEveryFormAreRead() {
    HloModule module = Parser.parse(TEXT);
    assertModule(FileForm.HLO_TEXT, bytes(TEXT));
    assertModule(FileForm.HLO_TEXT, bytes("// a comment\n\n/* another */ " + TEXT));
    assertModule(FileForm.HLO_MODULE_PROTO, HloProtos.writeModule(module));
    assertModule(FileForm.HLO_PROTO, HloProtos.writeHloProto(module));
    HloSnapshot snapshot = new HloSnapshot(module, ImmutableList.of(), Optional.empty(), "");
    assertModule(FileForm.HLO_SNAPSHOT, HloProtos.writeSnapshot(snapshot));
  }

  @Test
  void filesWithSeveralModules() {
    assertThat(
            HloFiles.readModules(bytes(TEXT + TEXT.replace("le m", "le n"))).stream()
                .map(HloModule::name))
        .containsExactly("m", "n")
        .inOrder();
    byte[] proto = HloProtos.writeModule(Parser.parse(TEXT));
    assertThat(HloFiles.readModules(proto)).hasSize(1);
  }

  @Test
  void moduleIsReadFromPath(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("any.name");
    Files.write(file, HloProtos.writeModule(Parser.parse(TEXT)));
    assertThat(Printer.print(HloFiles.readModule(file))).isEqualTo(TEXT);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          HLO_TEXT      | ENTRY e {
          HLO_TEXT      | %x = f32[] add(%a, %b)
          HLO_TEXT      | (f32[]) tuple(f32[] a)
          HLO_TEXT      | HloModul
          HLO_TEXT      | fused.1 (p.1: f32[]) -> f32[] {
          HLO_TEXT      | fused.1(p.1: f32[]) -> f32[] {
          HLO_TEXT      | sum.2 {
          HLO_TEXT      | add.3 = f32[] add(a.1, b.2)
          HLO_TEXT      | module.1 = f32[] parameter(0)
          HLO_TEXT      | func (p: f32[]) -> f32[] {
          HLO_TEXT      | %add.3 = (f32[], f32[]) tuple(%a.1, %b)
          HLO_TEXT      | add.3 =\\n f32[] add(a.1, b.2)
          HLO_TEXT      | \u00ef\u00bb\u00bfHloModule m
          PROTO_TEXT    | hlo_module {\\n  name: "m"
          PROTO_TEXT    | name: "m"\\nentry_computation_id: 3
          MLIR_TEXT     | module @jit_f {
          MLIR_TEXT     | // a comment\\nmodule {}
          MLIR_TEXT     | #loc1 = loc("a.py":1:2)
          MLIR_TEXT     | func.func @main() {
          MLIR_TEXT     | "builtin.module"() ({
          MLIR_TEXT     | module attributes {a.b = 1 : i32} {
          MLIR_TEXT     | sdy.mesh @mesh = <["x"=1]>
          MLIR_TEXT     | "sdy.mesh"() {a = 1 : i32} : () -> ()
          MLIR_TEXT     | ml_program.global private @x
          MLIR_TEXT     | stablehlo.constant dense<1> : tensor<i32>
          MLIR_TEXT     | %0 = stablehlo.constant dense<1> : tensor<i32>
          MLIR_TEXT     | %a, %b:2 = "x.y"() : () -> (i32, i32)
          MLIR_TEXT     | !t = tensor<2xf32>
          MLIR_BYTECODE | ML\u00efR\\0
          NPY           | \u0093NUMPY\\1\\0
          NPZ           | PK\\3\\4
          SAFETENSORS   | \\2\\0\\0\\0\\0\\0\\0\\0{}
          UNKNOWN       | {"json": 1}
          UNKNOWN       | # Markdown
          MLIR_TEXT     | // nothing but a comment
          MLIR_TEXT     | //! nothing but\\n // comments
          UNKNOWN       | \\0\\1\\2
          EMPTY         | ` `
          EMPTY         | ``
          """)
  void formIsDetectedFromContent(FileForm form, String first) {
    String unescaped =
        first.replace("\\n", "\n").replaceAll("\\\\(\\d)", "\u0001$1").replace("\u00010", "\0");
    String content =
        unescaped
            .replace("\u00011", "\u0001")
            .replace("\u00012", "\u0002")
            .replace("\u00013", "\u0003");
    assertThat(FileForm.of(bytes(content.replace("\u00014", "\u0004")))).isEqualTo(form);
  }

  /** A long list of names is read once, whatever follows it. */
  @ParameterizedTest
  @ValueSource(
      strings = {"%a,", "%a , ", "%a%b,\n", "%a %b", "a.b ", "module ", "// a\n", "/* */ "})
  void formOfALongBeginning(String part) {
    byte[] file = bytes(part.repeat(100_000) + "%a = f32[] parameter(0)");
    FileForm form = assertTimeoutPreemptively(Duration.ofSeconds(10), () -> FileForm.of(file));
    assertThat(form).isAnyOf(FileForm.HLO_TEXT, FileForm.MLIR_TEXT);
  }

  @Test
  void filesWithoutModuleAreRefusedWithTheirForm() throws IOException {
    assertRefused(
        "file: got MLIR text, want hlo4j-stablehlo on the class path, which reads it",
        () -> HloFiles.readModule(bytes("module {}")));
    assertRefused(
        "file: got MLIR bytecode, want hlo4j-stablehlo on the class path, which reads it",
        () -> HloFiles.readModule(bytes("ML\u00efR")));
    assertRefused(
        "file: got a protocol buffer in text form, which is not read, want HLO text or the binary"
            + " form, as protoc --encode=xla.HloProto makes it",
        () -> HloFiles.readModule(bytes("hlo_module { name: \"m\" }")));
    ByteArrayOutputStream npy = new ByteArrayOutputStream();
    Npy.write(npy, Literal.of(1));
    assertRefused(
        "file: got a .npy array, want HLO, StableHLO or a jax.export file",
        () -> HloFiles.readModule(npy.toByteArray()));
    assertRefused(
        "file: got an empty file, want HLO, StableHLO or a jax.export file",
        () -> HloFiles.readModule(new byte[0]));
    assertRefused(
        "file: got bytes of no known form, want HLO, StableHLO or a jax.export file",
        () -> HloFiles.readModule(bytes("{}")));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "f.hlo | HloModule m ENTRY | :1:18: got the end of the text, want a computation",
        "f.npy | {} | ': file: got bytes of no known form, want HLO, StableHLO or a jax.export"
            + " file'",
      })
  void refusalsNameTheFile(String name, String content, String message, @TempDir Path folder)
      throws IOException {
    Path file = Files.write(folder.resolve(name), bytes(content));
    HloException refusal = assertThrows(HloException.class, () -> HloFiles.readModule(file));
    assertThat(refusal.summary()).isEqualTo(file + message);
  }

  /** A file that begins like a protocol buffer is reported as a damaged one. */
  @Test
  void damagedProtosAreReportedAsDamaged() {
    assertRefused(
        "proto: at byte 1: got a length of 9, want at most 1 bytes",
        () -> HloFiles.readModule(new byte[] {0x0a, 9, 1}));
  }
}
