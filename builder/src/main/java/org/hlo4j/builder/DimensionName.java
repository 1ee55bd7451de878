package org.hlo4j.builder;

import static org.hlo4j.hlo.HloException.require;

import java.util.Optional;
import org.hlo4j.hlo.SourceLine;

/**
 * The name of a dimension, given by {@link XlaOp#named} and kept beside the graph: HLO knows none.
 *
 * @param name the name, not empty
 * @param origin the line that gave it, where known
 */
public record DimensionName(String name, Optional<SourceLine> origin) {
  /**
   * Checks the name.
   *
   * @throws org.hlo4j.hlo.HloException if it is null or blank
   */
  public DimensionName {
    require(
        name != null && !name.isBlank(),
        "",
        "name of a dimension got %s, want one",
        name == null ? "null" : "\"" + name + "\"");
  }

  /** Returns the name and, in brackets, the line that gave it. */
  @Override
  public String toString() {
    return name + origin.map(line -> " (named at " + line + ")").orElse("");
  }
}
