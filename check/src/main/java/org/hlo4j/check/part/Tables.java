package org.hlo4j.check.part;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import com.google.common.io.Resources;
import java.io.IOException;
import java.io.UncheckedIOException;

/** The tables of this module, with a row in each line. */
public final class Tables {
  private Tables() {}

  /**
   * Returns the rows of a table.
   *
   * @param name its package in this module and its name, such as {@code generate/ops.table}
   * @return the lines, without remarks
   */
  public static ImmutableList<String> rows(String name) {
    try {
      return Resources.readLines(
              requireNonNull(Tables.class.getResource("/org/hlo4j/check/" + name), name), UTF_8)
          .stream()
          .filter(line -> !line.startsWith("#"))
          .collect(toImmutableList());
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    }
  }
}
