package org.hlo4j.stablehlo;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.file.FileForm;
import org.hlo4j.stablehlo.jax.JaxExport;
import org.hlo4j.stablehlo.mlir.Operation;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Errors of readers for files of another kind. */
class ReadTest {
  @TempDir Path folder;

  /** As MLIR has it. */
  @ParameterizedTest
  @ValueSource(strings = {"", "\n", "// hi", "//! hi\n// -----\n// and more\n"})
  void textOfNothingButCommentsIsAModuleOfNoFunctions(String text) throws IOException {
    Operation module = StableHlo.read(Files.writeString(folder.resolve("f"), text));
    assertThat(StableHlo.print(module)).isEqualTo("module {\n}\n");
    assertThat(StableHlo.verify(module)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "//! a comment \"of any {text\n",
        "//! \u00e4\n\n// b\n",
        "//!x = tensor<2xf32>\n//#y = 1\n",
      })
  void commentsPrecedeModules(String comment) throws IOException {
    String text = comment + "module @m {\n}\n";
    Path file = Files.write(folder.resolve("f"), text.getBytes(StandardCharsets.UTF_8));
    assertThat(FileForm.of(Files.readAllBytes(file))).isEqualTo(FileForm.MLIR_TEXT);
    assertThat(StableHlo.print(StableHlo.read(file))).isEqualTo("module @m {\n}\n");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "`module {` | MLIR text | :1:9: got the end of the text, want }",
        "`PK\3\4` | a .npz archive | `: file: got a .npz archive, want MLIR text or bytecode`",
        "`\1\0` | bytes of no known form | `: file: got bytes of no known form, want MLIR text or"
            + " bytecode`",
      })
  void otherFileKindsAreRejected(String content, String form, String message) throws IOException {
    Path file = Files.write(folder.resolve("f"), content.getBytes(StandardCharsets.ISO_8859_1));
    assertThat(assertThrows(HloException.class, () -> StableHlo.read(file)).summary())
        .isEqualTo(file + message);
    assertThat(assertThrows(HloException.class, () -> JaxExport.read(file)).summary())
        .isEqualTo(file + ": file: got " + form + ", want what Exported.serialize() gives");
  }
}
