package org.hlo4j.stablehlo.dialect;

import static java.util.Objects.requireNonNull;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.io.Resources;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;

/** Tables of text in the resources of this module: a row a line, columns between blanks. */
public final class Tables {
  private Tables() {}

  /**
   * {@return the rows of a table; lines that begin with # are comments}
   *
   * @param name the name of the file
   */
  public static Stream<ImmutableList<String>> rows(String name) {
    try {
      return Resources.asCharSource(
              requireNonNull(Tables.class.getResource("/org/hlo4j/stablehlo/" + name)),
              StandardCharsets.UTF_8)
          .readLines()
          .stream()
          .filter(line -> !line.isEmpty() && !line.startsWith("#"))
          .map(line -> ImmutableList.copyOf(Splitter.on(' ').split(line)));
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }
}
