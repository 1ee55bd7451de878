package org.hlo4j.hlo.source;

import java.util.Optional;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.SourcePosition;

/** What is wrong at a position of the text; becomes an HloException with line and caret. */
public final class ParseException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** The number of the character from 0. */
  private final int position;

  /** The nearest name that is known; empty if none is near. */
  private final String nearest;

  private final transient Optional<HloException> refusal;

  /**
   * What is wrong.
   *
   * @param position where, the number of the character from 0
   * @param summary what was got and what was wanted
   */
  public ParseException(int position, String summary) {
    this(position, summary, "");
  }

  /**
   * What is wrong, with a name that may have been meant.
   *
   * @param position where, the number of the character from 0
   * @param summary what was got and what was wanted
   * @param nearest the nearest name that is known, empty if none is near
   */
  public ParseException(int position, String summary, String nearest) {
    super(summary, null, false, false);
    this.position = position;
    this.nearest = nearest;
    this.refusal = Optional.empty();
  }

  /**
   * What an op, a shape or a literal refused that is written there.
   *
   * @param position where, the number of the character from 0
   * @param refusal the refusal
   */
  public ParseException(int position, HloException refusal) {
    super(refusal.summary(), null, false, false);
    this.position = position;
    this.nearest = "";
    this.refusal = Optional.of(refusal);
  }

  /**
   * The use of something whose own definition was refused: it is told there, not here.
   *
   * @param position where, the number of the character from 0
   * @return an error that is not told
   */
  public static ParseException told(int position) {
    return new ParseException(position, "");
  }

  /** {@return whether it only follows from another} */
  public boolean isTold() {
    return summary().isEmpty();
  }

  /**
   * {@return the refusal with its place and the line it is in}
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

  /** {@return where, the number of the character from 0} */
  public int position() {
    return position;
  }

  /** {@return what was got and what was wanted} */
  public String summary() {
    return String.valueOf(getMessage());
  }
}
