package org.hlo4j.hlo.ir;

import static com.google.common.truth.Truth.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.TreeSet;
import org.hlo4j.hlo.schema.OpSchema;
import org.junit.jupiter.api.Test;

/**
 * Checks that the reference pages of ops and refusals are those that {@link ReferencePages}
 * generates. After an intended change, {@code -Dhlo4j.pages=write} rewrites them.
 */
final class ReferencePagesTest {
  private static final Path PAGES = Path.of("../docs/markdown/reference");

  @Test
  void everyOpHasAnExample() throws IOException {
    assertThat(ReferencePages.examples().keySet())
        .isEqualTo(new TreeSet<>(OpSchema.all().stream().map(OpSchema::opcode).toList()));
  }

  @Test
  void everyLabelIsDocumented() throws IOException {
    String page =
        ReferencePages.refusals()
            + Files.readString(PAGES.resolve("../explanation/broadcasting.md"));
    assertThat(
            ReferencePages.labels().stream()
                .filter(label -> !page.contains("[" + label + "]"))
                .toList())
        .isEmpty();
  }

  @Test
  void opsPageIsUpToDate() throws IOException {
    assertUpToDate("ops.md", ReferencePages.ops());
  }

  @Test
  void refusalsPageIsUpToDate() throws IOException {
    assertUpToDate("refusals.md", ReferencePages.refusals());
  }

  private static void assertUpToDate(String name, String page) throws IOException {
    if ("write".equals(System.getProperty("hlo4j.pages"))) {
      Files.writeString(PAGES.resolve(name), page);
    }
    assertThat(Files.readString(PAGES.resolve(name))).isEqualTo(page);
  }
}
