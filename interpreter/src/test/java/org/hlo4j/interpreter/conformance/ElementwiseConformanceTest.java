package org.hlo4j.interpreter.conformance;

import static com.google.common.truth.Truth.assertThat;
import static com.google.common.truth.Truth.assertWithMessage;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.common.base.Joiner;
import com.google.common.collect.ImmutableMap;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.hlo4j.hlo.Literal;
import org.hlo4j.testing.ElementwiseCase;
import org.hlo4j.testing.ElementwiseJudge;
import org.junit.jupiter.api.Test;

/**
 * Every element-wise op on every element type that XLA's CPU compiler takes, against its answers
 * and the exact ones. The file stands beside the repository, as {@code
 * ../shared/conformance/elementwise.jsonl.gz}; without it there is nothing to hold against.
 */
class ElementwiseConformanceTest {
  private static final String FILE = "shared/conformance/elementwise.jsonl.gz";

  /** Lines in which we follow the specification and not XLA. */
  private static final ImmutableMap<String, String> DELIBERATE =
      ImmutableMap.of(
          "popcnt s4 -> s4", "XLA counts the sign bits of the byte too; we count in 4 bits");

  @Test
  void everyLineIsAsItShouldBe() throws IOException {
    Optional<Path> file = file();
    assumeTrue(file.isPresent(), "no ../" + FILE);
    List<ElementwiseCase> rows = ElementwiseCase.read(file.orElseThrow());
    Map<String, String> failures = new LinkedHashMap<>();
    for (ElementwiseCase row : rows) {
      ElementwiseJudge.Verdict verdict = ElementwiseJudge.judge(row, Builds.evaluated(row));
      if (!verdict.findings().isEmpty()) {
        failures.put(row.toString(), String.join("\n  ", verdict.findings()));
      }
    }
    assertWithMessage(Joiner.on("\n").withKeyValueSeparator("\n  ").join(failures))
        .that(failures.keySet())
        .containsExactlyElementsIn(DELIBERATE.keySet());
    assertThat(rows).hasSize(1219);
  }

  /** Looks beside each directory above this one. */
  private static Optional<Path> file() {
    return Stream.iterate(Path.of("").toAbsolutePath(), Objects::nonNull, Path::getParent)
        .map(directory -> directory.resolve(FILE))
        .filter(Files::isReadable)
        .findFirst();
  }

  @Test
  void aWrongResultIsFound() {
    ElementwiseCase row =
        ElementwiseCase.parse(
            "{\"op\":\"add\",\"in\":[\"s8\",\"s8\"],\"out\":\"s8\",\"n\":2,"
                + "\"args\":[\"7f01\",\"0102\"],\"xla\":\"8003\"}");
    Literal right = Builds.evaluated(row);
    assertThat(ElementwiseJudge.judge(row, right).findings()).isEmpty();
    assertThat(ElementwiseJudge.judge(row, row.arguments().get(0)).findings())
        .containsExactly(
            "[0] 127 (0x7f) 1 (0x1): got 127 (0x7f), want -128 (0x80)",
            "[1] 1 (0x1) 2 (0x2): got 1 (0x1), want 3 (0x3)");
  }
}
