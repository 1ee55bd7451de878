package org.hlo4j.stablehlo.mlir;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.hlo4j.stablehlo.dialect.StandardDialects;
import org.hlo4j.testing.Nightly;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Round trips of shared MLIR files, by day of 25 of a folder; skipped where they are not there. */
class MlirFilesTest {
  private static final Path SHARED = Path.of(System.getProperty("hlo4j.shared", "/work/shared"));

  @ParameterizedTest
  @CsvSource({
    "conformance/stablehlo/testdata, 714",
    "conformance/stablehlo/interpret, 59",
    "conformance/verifier/accept, 73",
    "programs, 25",
    "exports, 12"
  })
  void printedModulesParseUnchanged(String folder, int files) throws IOException {
    assumeTrue(Files.isDirectory(SHARED.resolve(folder)), SHARED + " is not there");
    List<Path> all;
    try (Stream<Path> paths = Files.walk(SHARED.resolve(folder))) {
      all = paths.filter(path -> path.toString().endsWith(".mlir")).sorted().toList();
    }
    assertThat(all).hasSize(files);
    for (Path file : Nightly.some(1 + all.size() / 25, folder, all)) {
      for (Operation module :
          MlirParser.parseAll(Files.readString(file), StandardDialects.INSTANCE)) {
        readsBack(MlirPrinter.print(module, StandardDialects.INSTANCE, true), module);
        readsBack(MlirPrinter.printGeneric(module, StandardDialects.INSTANCE, true), module);
      }
    }
  }

  private static void readsBack(String text, Operation module) {
    SameModel.assertSame(MlirParser.parse(text, StandardDialects.INSTANCE), module);
  }
}
