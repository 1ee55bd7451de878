package org.hlo4j.stablehlo.mlir;

import java.util.Optional;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.SourcePosition;

/**
 * A position in the file that something was read from: line and column of a text, or the offset of
 * a byte.
 *
 * @param position line and column; empty for a binary file
 * @param offset the offset of the first byte in a binary file; -1 for a text
 */
public record Place(Optional<SourcePosition> position, long offset) {
  /** The position of what was not read from a file. */
  public static final Place NONE = new Place(Optional.empty(), -1);

  /**
   * {@return a position in a text}
   *
   * @param position line and column
   */
  public static Place at(SourcePosition position) {
    return new Place(Optional.of(position), -1);
  }

  /**
   * {@return a position in a binary file}
   *
   * @param offset the offset of its first byte
   */
  public static Place atByte(long offset) {
    return new Place(Optional.empty(), offset);
  }

  /**
   * Returns a refusal with this position before its summary.
   *
   * @param refusal what is wrong
   * @return the refusal, {@code 3:15: …} or {@code byte 120: …}
   */
  public HloException of(HloException refusal) {
    String text = toString();
    HloException placed = text.isEmpty() ? refusal : refusal.prefixed(text + ": ");
    return position.map(placed::withPosition).orElse(placed);
  }

  /** Returns {@code 3:15}, {@code byte 120}, or an empty string. */
  @Override
  public String toString() {
    return position.map(SourcePosition::toString).orElse(offset < 0 ? "" : "byte " + offset);
  }
}
