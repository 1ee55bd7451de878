package org.hlo4j.hlo.ir;

import static com.google.common.truth.Truth.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.TreeSet;
import org.hlo4j.hlo.schema.OpSchema;
import org.junit.jupiter.api.Test;

/**
 * The pages of ops and of refusals are what {@link ReferencePages} makes. After a wanted change,
 * {@code -Dhlo4j.pages=write} writes them.
 */
final class ReferencePagesTest {
  private static final Path PAGES = Path.of("../docs/markdown/reference");

  @Test
  void everyOpHasAnExample() throws IOException {
    assertThat(ReferencePages.examples().keySet())
        .isEqualTo(new TreeSet<>(OpSchema.all().stream().map(OpSchema::opcode).toList()));
  }

  @Test
  void everyLabelIsOnAPage() throws IOException {
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
  void opsPage() throws IOException {
    isUpToDate("ops.md", ReferencePages.ops());
  }

  @Test
  void refusalsPage() throws IOException {
    isUpToDate("refusals.md", ReferencePages.refusals());
  }

  private static void isUpToDate(String name, String page) throws IOException {
    if ("write".equals(System.getProperty("hlo4j.pages"))) {
      Files.writeString(PAGES.resolve(name), page);
    }
    assertThat(Files.readString(PAGES.resolve(name))).isEqualTo(page);
  }
}
