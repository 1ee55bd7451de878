package org.hlo4j.stablehlo.dialect;

import static com.google.common.collect.ImmutableMap.toImmutableMap;
import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableMap;
import com.google.common.io.Resources;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** The table of known ops, read from {@code stablehlo.ops}. */
public final class OpTable {
  private static final ImmutableMap<String, OpDefinition> ROWS = read();

  private OpTable() {}

  /**
   * {@return the row of an op, if it is known}
   *
   * @param name the name
   */
  public static Optional<OpDefinition> find(String name) {
    return Optional.ofNullable(ROWS.get(name));
  }

  /** {@return all rows by name, in the order of the table} */
  public static ImmutableMap<String, OpDefinition> rows() {
    return ROWS;
  }

  private static ImmutableMap<String, OpDefinition> read() {
    try {
      return Resources.asCharSource(
              requireNonNull(OpTable.class.getResource("/org/hlo4j/stablehlo/stablehlo.ops")),
              StandardCharsets.UTF_8)
          .readLines()
          .stream()
          .filter(line -> !line.isEmpty() && !line.startsWith("#"))
          .map(OpDefinition::parse)
          .collect(toImmutableMap(OpDefinition::name, row -> row));
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }
}
