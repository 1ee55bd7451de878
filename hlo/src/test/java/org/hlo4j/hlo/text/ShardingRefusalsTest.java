package org.hlo4j.hlo.text;

import static com.google.common.truth.Truth.assertThat;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.common.base.Splitter;
import com.google.common.io.Resources;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import org.hlo4j.hlo.HloException;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Malformed shardings, each with the whole message, from sharding-refusals.txt. */
final class ShardingRefusalsTest {
  private static String message(String text) {
    return String.valueOf(
        assertThrows(HloException.class, () -> Parser.parseSharding(text)).getMessage());
  }

  @TestFactory
  Stream<DynamicTest> refusals() throws IOException {
    String rows =
        Resources.toString(
            Resources.getResource(ShardingRefusalsTest.class, "sharding-refusals.txt"), UTF_8);
    return Splitter.on("\n\n")
        .trimResults()
        .splitToStream(rows)
        .map(row -> {
          List<String> lines = row.lines().toList();
          String text = lines.get(0);
          String want = String.join("\n", lines.subList(1, lines.size()));
          return DynamicTest.dynamicTest(text, () -> assertThat(message(text)).isEqualTo(want));
        });
  }
}
