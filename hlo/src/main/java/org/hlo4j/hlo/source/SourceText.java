package org.hlo4j.hlo.source;

import java.util.Arrays;
import java.util.stream.IntStream;
import org.hlo4j.hlo.SourcePosition;

/** The lines and columns of a text. */
public final class SourceText {
  private static final int WIDEST = 100;

  private final String text;
  private final int[] lineStarts;

  /**
   * Creates the line index of a text.
   *
   * @param text the text
   */
  public SourceText(String text) {
    this.text = text;
    IntStream.Builder starts = IntStream.builder().add(0);
    for (int at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
      starts.add(at + 1);
    }
    lineStarts = starts.build().toArray();
  }

  /**
   * {@return line and column}
   *
   * @param position the index of the character, from 0
   */
  public SourcePosition position(int position) {
    int line = line(position);
    return new SourcePosition(line + 1, position - lineStarts[line] + 1);
  }

  private int line(int position) {
    int found = Arrays.binarySearch(lineStarts, position);
    return found >= 0 ? found : -found - 2;
  }

  /**
   * {@return the line with a caret below a position; for a long line only the part around it}
   *
   * @param position the index of the character, from 0
   */
  public String caret(int position) {
    int start = Math.max(lineStarts[line(position)], position - WIDEST / 2);
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
