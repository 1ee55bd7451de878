package org.hlo4j.hlo.text;

import static com.google.common.truth.Truth.assertThat;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Pathological texts in {@code corpus}: each is quickly parsed, or refused by an HloException. */
final class ParserCorpusTest {
  static List<Path> kept() throws IOException, URISyntaxException {
    Path corpus =
        Path.of(Objects.requireNonNull(ParserCorpusTest.class.getResource("corpus")).toURI());
    try (Stream<Path> files = Files.list(corpus)) {
      return files.sorted().toList();
    }
  }

  @ParameterizedTest
  @MethodSource
  void kept(Path file) throws IOException {
    boolean accepted = ParserMutationTest.accepted(Files.readString(file));
    assertThat(accepted && file.getFileName().toString().startsWith("deep_")).isFalse();
  }

  @Test
  void corpusIsNotEmpty() throws IOException, URISyntaxException {
    assertThat(kept().size()).isAtLeast(16);
  }
}
