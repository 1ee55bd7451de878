package org.hlo4j.stablehlo;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.truth.Truth.assertThat;
import static com.google.common.truth.Truth.assertWithMessage;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.common.collect.ImmutableList;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.hlo4j.hlo.HloException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Segments of upstream's verifier tests; skipped where they are not installed. */
class VerifierConformanceTest {
  private static final Path SEGMENTS =
      Path.of(System.getProperty("hlo4j.stablehlo.verifier", "/work/shared/conformance/verifier"));

  @ParameterizedTest
  @CsvSource({"reject,280", "accept,73"})
  void verdictsMatchUpstream(String expected, int count) throws IOException {
    assumeTrue(Files.isDirectory(SEGMENTS), "no segments in " + SEGMENTS);
    try (Stream<Path> files = Files.list(SEGMENTS.resolve(expected))) {
      List<Path> all = files.sorted().toList();
      assertThat(all).hasSize(count);
      assertWithMessage("other verdict than %s", expected)
          .that(
              all.stream()
                  .filter(file -> findings(file).isEmpty() == expected.equals("reject"))
                  .map(file -> file.getFileName() + " " + findings(file))
                  .toList())
          .isEmpty();
    }
  }

  private static ImmutableList<String> findings(Path file) {
    try {
      return StableHlo.readAll(Files.readAllBytes(file)).stream()
          .flatMap(module -> StableHlo.verify(module).stream())
          .map(HloException::getMessage)
          .collect(toImmutableList());
    } catch (HloException refusal) {
      return ImmutableList.of(refusal.getMessage());
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }
}
