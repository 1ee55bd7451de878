package org.hlo4j.hlo.ir;

import java.util.Optional;
import org.hlo4j.hlo.SourceLine;

/**
 * Where an instruction comes from. It changes nothing of what is computed.
 *
 * @param opName the name of the operation in the user's program; empty if it has none
 * @param source the line that asked for it
 */
public record Metadata(String opName, Optional<SourceLine> source) {
  /** Nothing known. */
  public static final Metadata NONE = new Metadata("", Optional.empty());

  /**
   * Metadata of a line.
   *
   * @param source the line
   * @return the metadata
   */
  public static Metadata at(SourceLine source) {
    return new Metadata("", Optional.of(source));
  }
}
