package org.hlo4j.hlo;

import java.io.Serializable;

/**
 * A position in HLO text.
 *
 * @param line the line, from 1
 * @param column the column in UTF-16 code units, from 1
 */
public record SourcePosition(int line, int column) implements Serializable {
  /** Returns the position as {@code 3:15}. */
  @Override
  public String toString() {
    return line + ":" + column;
  }
}
