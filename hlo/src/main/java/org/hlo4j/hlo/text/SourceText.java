package org.hlo4j.hlo.text;

import org.hlo4j.hlo.SourcePosition;

/** Places in a text, as people name them. */
final class SourceText {
  private static final int WIDEST = 100;

  private final String text;
  private int lastPosition;
  private int lastLine = 1;

  SourceText(String text) {
    this.text = text;
  }

  /** Line and column; fast for places in the order of the text. */
  SourcePosition position(int position) {
    if (position < lastPosition) {
      lastPosition = 0;
      lastLine = 1;
    }
    for (int at = text.indexOf('\n', lastPosition);
        at >= 0 && at < position;
        at = text.indexOf('\n', at + 1)) {
      lastLine++;
      lastPosition = at + 1;
    }
    return new SourcePosition(lastLine, position - lineStart(position) + 1);
  }

  private int lineStart(int position) {
    return text.lastIndexOf('\n', position - 1) + 1;
  }

  /** The line with a caret below the position; of a long line only what is around it. */
  String caret(int position) {
    int start = Math.max(lineStart(position), position - WIDEST / 2);
    int newline = text.indexOf('\n', position);
    int end = Math.min(newline < 0 ? text.length() : newline, start + WIDEST);
    String line = printable(text.substring(start, Math.max(start, end)));
    return line + "\n" + " ".repeat(position - start) + "^";
  }

  private static String printable(String line) {
    StringBuilder printable = new StringBuilder();
    for (int i = 0; i < line.length(); i++) {
      char c = line.charAt(i);
      printable.append(Character.isISOControl(c) || c == '\u2028' || c == '\u2029' ? ' ' : c);
    }
    return printable.toString();
  }
}
