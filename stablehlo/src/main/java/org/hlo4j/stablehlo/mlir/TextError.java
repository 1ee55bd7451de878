package org.hlo4j.stablehlo.mlir;

import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.SourcePosition;

/** A mistake at a position of a text; becomes an {@link HloException} with line and caret. */
final class TextError extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private static final int WIDEST = 100;

  private final int position;
  private final boolean told;

  TextError(int position, String summary) {
    this(position, summary, false);
  }

  private TextError(int position, String summary, boolean told) {
    super(summary, null, false, false);
    this.position = position;
    this.told = told;
  }

  /** A mistake that only follows from another, which is told. */
  static TextError consequence(int position) {
    return new TextError(position, "", true);
  }

  boolean isTold() {
    return told;
  }

  int position() {
    return position;
  }

  /** The refusal with its place and the line it is in. */
  HloException in(String text) {
    SourcePosition place = place(text, position);
    return new HloException(HloException.Kind.PARSE, place + ": " + getMessage())
        .withPosition(place)
        .withFirst("line", caret(text, position));
  }

  static SourcePosition place(String text, int position) {
    int line = 1;
    int start = 0;
    for (int at = text.indexOf('\n'); at >= 0 && at < position; at = text.indexOf('\n', at + 1)) {
      line++;
      start = at + 1;
    }
    return new SourcePosition(line, position - start + 1);
  }

  private static String caret(String text, int position) {
    int before = text.lastIndexOf('\n', Math.max(0, position - 1));
    int start = Math.max(before + 1, position - WIDEST / 2);
    start = Math.min(start, position);
    int newline = text.indexOf('\n', position);
    int end = Math.min(newline < 0 ? text.length() : newline, start + WIDEST);
    StringBuilder line = new StringBuilder();
    text.substring(start, Math.max(start, end))
        .chars()
        .forEach(c -> line.append(Character.isISOControl(c) ? ' ' : (char) c));
    return line + "\n" + " ".repeat(position - start) + "^";
  }
}
