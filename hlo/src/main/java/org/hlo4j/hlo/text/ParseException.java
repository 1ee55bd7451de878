package org.hlo4j.hlo.text;

import java.util.Optional;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.SourcePosition;

/** What is wrong at a position of the text; becomes an HloException with line and caret. */
final class ParseException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int position;
  private final String nearest;
  private final transient Optional<HloException> refusal;

  ParseException(int position, String summary) {
    this(position, summary, "");
  }

  /** With the nearest name that is known, empty if none is near. */
  ParseException(int position, String summary, String nearest) {
    super(summary, null, false, false);
    this.position = position;
    this.nearest = nearest;
    this.refusal = Optional.empty();
  }

  /** What an op, a shape or a literal refused that is written there. */
  ParseException(int position, HloException refusal) {
    super(refusal.summary(), null, false, false);
    this.position = position;
    this.nearest = "";
    this.refusal = Optional.of(refusal);
  }

  /** The use of something whose own definition was refused: it is told there, not here. */
  static ParseException told(int position) {
    return new ParseException(position, "");
  }

  boolean isTold() {
    return summary().isEmpty();
  }

  /** The refusal with its place and the line it is in. */
  HloException in(SourceText text) {
    SourcePosition place = text.position(position);
    HloException placed =
        refusal
            .orElseGet(() -> new HloException("", summary()))
            .prefixed(place + ": ")
            .withFirst("line", text.caret(position))
            .withKind(HloException.Kind.PARSE)
            .withPosition(place);
    return nearest.isEmpty() ? placed : placed.with("nearest", "nearest known name: " + nearest);
  }

  int position() {
    return position;
  }

  String summary() {
    return String.valueOf(getMessage());
  }
}
