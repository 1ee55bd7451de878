package org.hlo4j.hlo.source;

import java.util.Optional;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.SourcePosition;

/** An error at a position of a text. It is converted to an HloException with line and caret. */
public final class ParseException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** The number of the character from 0. */
  private final int position;

  /** The nearest name that is known; empty if none is near. */
  private final String nearest;

  private final transient Optional<HloException> refusal;

  /**
   * Creates an error.
   *
   * @param position the index of the character, from 0
   * @param summary the actual and the expected text
   */
  public ParseException(int position, String summary) {
    this(position, summary, "");
  }

  /**
   * Creates an error that suggests a name.
   *
   * @param position the index of the character, from 0
   * @param summary the actual and the expected text
   * @param nearest the nearest name that is known, empty if none is near
   */
  public ParseException(int position, String summary, String nearest) {
    super(summary, null, false, false);
    this.position = position;
    this.nearest = nearest;
    this.refusal = Optional.empty();
  }

  /**
   * Creates an error from the exception of an op, a shape or a literal at a position.
   *
   * @param position the index of the character, from 0
   * @param refusal the refusal
   */
  public ParseException(int position, HloException refusal) {
    super(refusal.summary(), null, false, false);
    this.position = position;
    this.nearest = "";
    this.refusal = Optional.of(refusal);
  }

  /**
   * Returns an error for the use of a definition that failed; it is not reported, because the
   * failed definition is.
   *
   * @param position the index of the character, from 0
   * @return an error that is not reported
   */
  public static ParseException told(int position) {
    return new ParseException(position, "");
  }

  /** {@return whether it is only a consequence of another error} */
  public boolean isTold() {
    return summary().isEmpty();
  }

  /**
   * {@return the exception with position and source line}
   *
   * @param text the text that was read
   */
  public HloException in(SourceText text) {
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

  /** {@return the index of the character, from 0} */
  public int position() {
    return position;
  }

  /** {@return the actual and the expected text} */
  public String summary() {
    return String.valueOf(getMessage());
  }
}
