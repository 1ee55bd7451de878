package org.hlo4j.stablehlo.dialect;

import static com.google.common.collect.ImmutableMap.toImmutableMap;

import com.google.common.collect.ImmutableMap;
import java.util.Optional;

/** The table of known ops, read from {@code stablehlo.ops}. */
public final class OpTable {
  private static final ImmutableMap<String, OpDefinition> ROWS =
      Tables.rows("stablehlo.ops")
          .map(OpDefinition::parse)
          .collect(toImmutableMap(OpDefinition::name, row -> row));

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
}
