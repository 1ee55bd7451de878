package org.hlo4j.stablehlo;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.hlo4j.hlo.HloException;
import org.hlo4j.stablehlo.jax.JaxExport;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Errors of readers for files of another kind. */
class ReadTest {
  @TempDir Path folder;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "`module {` | MLIR text | :1:9: got the end of the text, want }",
        "`PK\3\4` | a .npz archive | `: file: got a .npz archive, want MLIR text or bytecode`",
        "`\1\0` | bytes of no known form | `: file: got bytes of no known form, want MLIR text or"
            + " bytecode`",
        "`// hi` | bytes of no known form | `: got 0 modules, want 1; StableHlo.readAll reads"
            + " several`",
      })
  void otherFileKindsAreRejected(String content, String form, String message) throws IOException {
    Path file = Files.write(folder.resolve("f"), content.getBytes(StandardCharsets.ISO_8859_1));
    assertThat(assertThrows(HloException.class, () -> StableHlo.read(file)).summary())
        .isEqualTo(file + message);
    assertThat(assertThrows(HloException.class, () -> JaxExport.read(file)).summary())
        .isEqualTo(file + ": file: got " + form + ", want what Exported.serialize() gives");
  }
}
