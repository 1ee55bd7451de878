package org.hlo4j.hlo.ir;

import com.google.common.collect.ImmutableMap;
import java.util.Optional;
import org.hlo4j.hlo.SourceLine;

/**
 * Where an instruction comes from. It changes nothing of what is computed.
 *
 * @param opName the name of the operation in the user's program; empty if it has none
 * @param source the line that asked for it
 * @param others what else is known, such as {@code source_column} and {@code stack_frame_id}: by
 *     name, as HLO text has it behind the equals sign
 */
public record Metadata(
    String opName, Optional<SourceLine> source, ImmutableMap<String, String> others) {
  /** Nothing known. */
  public static final Metadata NONE = new Metadata("", Optional.empty());

  /**
   * Name and line, nothing else.
   *
   * @param opName the name of the operation in the user's program; empty if it has none
   * @param source the line that asked for it
   */
  public Metadata(String opName, Optional<SourceLine> source) {
    this(opName, source, ImmutableMap.of());
  }

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
