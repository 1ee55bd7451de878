package org.hlo4j.check.compare;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import com.google.common.io.Resources;
import java.io.IOException;
import java.io.UncheckedIOException;

/** The tables beside the classes, with a row in each line. */
final class Tables {
  private Tables() {}

  static ImmutableList<String> rows(String name) {
    try {
      return ImmutableList.copyOf(
          Resources.readLines(requireNonNull(Tables.class.getResource(name), name), UTF_8));
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    }
  }
}
